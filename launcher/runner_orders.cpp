// SPDX-License-Identifier: BSD-3-Clause
// Jobs that processes order: started, watched and dropped.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "launcher/hosts.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kGraceMs = 1'000;

bool is_executable(const std::string& path) noexcept {
  return access(path.c_str(), X_OK) == 0;
}

// Info key path comes before PATH; seen from the directory in which the process will run.
std::string find_in(const std::string& path, const std::string& name, const std::string& from) {
  if (path.empty() || name.find('/') != std::string::npos) return name;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string directory = path.substr(begin, end - begin);
    if (!directory.empty() && directory.front() != '/') directory = from + "/" + directory;
    if (!directory.empty() && is_executable(directory + "/" + name)) return directory + "/" + name;
    begin = end + 1;
  }
  return name;
}

App app_of(const SpawnCommand& command, const std::string& from) {
  App app;
  app.ranks = command.wanted;
  const bool relative = !command.directory.empty() && command.directory.front() != '/';
  app.directory = command.directory.empty() ? from
                  : relative                ? from + "/" + command.directory
                                            : command.directory;
  app.words = {find_in(command.path, command.program, app.directory)};
  app.words.insert(app.words.end(), command.arguments.begin(), command.arguments.end());
  for (const std::string& variable : command.environment) {
    const std::size_t equals = variable.find('=');
    app.environment.set.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return app;
}

// Names program, host and reason.
Status cannot_start(const std::string& program, const std::string& why) {
  return Status::failure(Errc::refused,
                         fmt::format("cannot start '{}' on {}: {}", program, host_name(), why));
}

}  // namespace

Result<std::unique_ptr<Crew>> Runner::prepare(const SpawnOrder& order) {
  auto crew = std::make_unique<Crew>();
  crew->own_order = std::make_unique<JobOrder>();
  JobOrder& own = *crew->own_order;
  crew->order = &own;
  own.line = order_->line;
  own.line.apps.clear();
  own.snapshot = order_->snapshot;
  own.signals = order_->signals;
  for (const SpawnCommand& command : order.commands) {
    if (Status here = check_here(command.host); !here)
      return cannot_start(command.program, here.text());
    if (Status right = check_arch(command.arch); !right)
      return cannot_start(command.program, right.text());
    own.line.apps.push_back(app_of(command, order.directory));
    auto program = Program::prepare(own.line.apps.back(), own.line.environment);
    if (!program.ok()) return cannot_start(command.program, program.status().text());
    own.programs.push_back(std::move(program).value());
  }
  auto segment = JobSegment::create(
      own.ranks(),
      {.snapshot = own.snapshot, .recovers = own.line.recovers, .spawn_server = spawn_number_});
  if (!segment.ok()) return segment.status();
  crew->segment = segment.value();
  open_outputs();
  crew->number = ++last_number_;
  crew->starter = std::make_unique<Starter>(own, *crew->segment,
                                            Outputs{out_.get(), err_ ? err_.get() : out_.get()},
                                            crew->number, order.port);
  return crew;
}

void Runner::ordered(std::uint64_t client, SpawnOrder order) {
  auto crew = ending_ ? Result<std::unique_ptr<Crew>>(Status::failure(
                            Errc::refused, "the job is being ended; nothing new is started"))
                      : prepare(order);
  if (!crew.ok()) return spawn_server_->tell(client, SpawnWord::failed, crew.status().text());
  Crew& made = *crews_.emplace_back(std::move(*crew));
  made.client = client;
  if (const Status started = start_all(made); !started.ok()) {
    return order_failed(made, cannot_start(order.commands.front().program, started.text()).text());
  }
  spawn_server_->tell(client, SpawnWord::started);
}

void Runner::order_failed(Crew& crew, const std::string& what) {
  spawn_server_->tell(std::exchange(crew.client, 0), SpawnWord::failed, what);
  end_crew(crew, SIGKILL);
}

// A parent that is gone before it has met its children will not do so any more.
void Runner::settled(std::uint64_t client, bool met) {
  for (const auto& crew : crews_) {
    if (crew->client != client) continue;
    crew->client = 0;
    if (!met) end_crew(*crew, SIGTERM);
  }
}

// Its children live on if they are connected with nobody, or when it ended in order.
void Runner::owner_gone(bool finalized) {
  for (const auto& crew : crews_) {
    if (!finalized && crew->connected()) end_crew(*crew, SIGTERM);
  }
}

void Runner::end_crew(Crew& crew, int signal) {
  crew.ending = true;
  crew.kill_at = signal == SIGKILL ? kNever : now_ + kGraceMs;
  signal_ranks(signal, &crew);
  signal_ranks(SIGCONT, &crew);
}

bool Runner::alive(const Crew& crew) const noexcept {
  return std::any_of(rank_of_.begin(), rank_of_.end(),
                     [&](const auto& entry) { return entry.second.crew == &crew; });
}

void Runner::drop_finished() {
  std::erase_if(crews_, [this](const auto& crew) {
    return crew->number != 1 && crew->client == 0 && !alive(*crew);
  });
}

}  // namespace tessera::launcher
