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

bool can_execute(const std::string& path) noexcept {
  return access(path.c_str(), X_OK) == 0;
}

// Info key path comes before PATH; seen from the directory in which the process will run.
std::string find_in(const std::string& path, const std::string& name, const std::string& from) {
  if (path.empty() || name.find('/') != std::string::npos) return name;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string directory = path.substr(begin, end - begin);
    if (!directory.empty() && directory.front() != '/') directory = from + "/" + directory;
    if (!directory.empty() && can_execute(directory + "/" + name)) return directory + "/" + name;
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

Result<std::unique_ptr<LaunchedJob>> Runner::prepare(const SpawnOrder& order) {
  auto job = std::make_unique<LaunchedJob>();
  job->own_order = std::make_unique<JobOrder>();
  JobOrder& own = *job->own_order;
  job->order = &own;
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
  job->segment = segment.value();
  open_outputs();
  job->number = ++last_number_;
  job->starter = std::make_unique<Starter>(own, *job->segment,
                                           Outputs{out_.get(), err_ ? err_.get() : out_.get()},
                                           job->number, order.port);
  return job;
}

void Runner::ordered(std::uint64_t client, SpawnOrder order) {
  auto job = ending_ ? Result<std::unique_ptr<LaunchedJob>>(Status::failure(
                           Errc::refused, "the job is being ended; nothing new is started"))
                     : prepare(order);
  if (!job.ok()) return spawn_server_->tell(client, SpawnWord::failed, job.status().text());
  LaunchedJob& made = *jobs_.emplace_back(std::move(*job));
  made.client = client;
  if (const Status started = start_all(made); !started.ok()) {
    return order_failed(made, cannot_start(order.commands.front().program, started.text()).text());
  }
  spawn_server_->tell(client, SpawnWord::started);
}

void Runner::order_failed(LaunchedJob& job, const std::string& what) {
  spawn_server_->tell(std::exchange(job.client, 0), SpawnWord::failed, what);
  end_job(job, SIGKILL);
}

// A parent that is gone before it has met its children will not do so any more.
void Runner::settled(std::uint64_t client, bool met) {
  for (const auto& job : jobs_) {
    if (job->client != client) continue;
    job->client = 0;
    if (!met) end_job(*job, SIGTERM);
  }
}

// Its children live on if they are connected with nobody, or when it ended in order.
void Runner::owner_gone(bool finalized) {
  for (const auto& job : jobs_) {
    if (!finalized && job->connected()) end_job(*job, SIGTERM);
  }
}

void Runner::end_job(LaunchedJob& job, int signal) {
  job.ending = true;
  job.kill_at = signal == SIGKILL ? kNever : now_ + kGraceMs;
  signal_ranks(signal, &job);
  signal_ranks(SIGCONT, &job);
}

bool Runner::alive(const LaunchedJob& job) const noexcept {
  return std::any_of(rank_of_.begin(), rank_of_.end(),
                     [&](const auto& entry) { return entry.second.job == &job; });
}

void Runner::drop_finished() {
  std::erase_if(jobs_, [this](const auto& job) {
    return job->number != 1 && job->client == 0 && !alive(*job);
  });
}

}  // namespace tessera::launcher
