// SPDX-License-Identifier: BSD-3-Clause
// Starting processes, and meeting the parents.
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "core/dynamic/connections.h"
#include "core/dynamic/dynamic.h"
#include "core/dynamic/engine_programs.h"
#include "core/dynamic/gathering.h"
#include "core/dynamic/link.h"
#include "core/dynamic/packing.h"
#include "core/dynamic/spawn_service.h"
#include "core/engine/instance.h"

namespace tessera {
namespace {

// An engine does not tell that its processes have ended before they called MPI_Init.
constexpr double kEngineSeconds = 60;

std::string current_directory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) != nullptr ? path : "";
}

// What the processes of comm are told, whatever came of it.
std::vector<std::byte> pack(const SpawnOutcome& outcome) {
  Packer packer;
  packer.bytes(std::as_bytes(std::span(outcome.started)));
  packer.text(outcome.why);
  return packer.take();
}

SpawnOutcome unpack(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  SpawnOutcome outcome;
  for (const std::byte one : unpacker.bytes())
    outcome.started.push_back(static_cast<std::uint8_t>(one));
  outcome.why = unpacker.text();
  return outcome;
}

SpawnOutcome outcome_of(const SpawnOrder& order) {
  SpawnOutcome outcome;
  for (const SpawnCommand& command : order.commands) {
    for (std::uint32_t i = 0; i < command.most; ++i)
      outcome.started.push_back(i < command.wanted ? 1 : 0);
  }
  return outcome;
}

Status engine_cannot(const Boot& boot) {
  return Status::failure(
      Errc::unsupported,
      "the engine that started this job (" + boot.component() +
          ") does not start further processes; start the program with "
          "Tessera's mpiexec on one host (under Slurm: salloc -N 1 ... mpiexec ...)");
}

}  // namespace

std::string_view parents_port() noexcept {
  const char* const text = secure_getenv(kParentVariable);
  return text != nullptr ? text : std::string_view();
}

// A connection for one order.
Result<std::unique_ptr<SpawnService>> Dynamic::spawn_service() {
  const Boot& boot = instance_.boot();
  if (boot.starts() == Starts::its_launcher) return SpawnService::find(boot.spawn_server());
  if (!launcher_) {
    launcher_number_ = JobSegment::random_id();
    auto started = SpawnService::start(launcher_number_);
    if (!started.ok()) return started.status();
    launcher_ = std::move(*started);
  }
  return SpawnService::find(launcher_number_);
}

// `open`: where more will be told of it; null after an order to an engine, which tells nothing.
Status Dynamic::place_order(SpawnOrder& order, const Port& port, const Deadline& deadline,
                            std::unique_ptr<SpawnService>& open) {
  order.port = port.name().text();
  order.directory = current_directory();
  order.job = instance_.me().name.job;
  if (instance_.boot().starts() == Starts::its_engine) {
    const Status taken = instance_.boot().spawn(order);
    return taken == Errc::unsupported ? engine_cannot(instance_.boot()) : taken;
  }
  auto found = spawn_service();
  if (!found.ok()) return found.status();
  open = std::move(*found);
  return open->order(order, deadline);
}

// Returns when a child calls at the port; or mpiexec says that it will not.
Status Dynamic::start_children(Comm& comm, SpawnOrder& order, SpawnOutcome& outcome,
                               RootsMeeting& meeting, Line& line,
                               std::unique_ptr<SpawnService>& open) {
  outcome = outcome_of(order);
  const bool engine = instance_.boot().starts() == Starts::its_engine;
  auto seconds = static_cast<double>(instance_.params().integer("core_spawn_timeout"));
  if (engine && seconds == 0) seconds = kEngineSeconds;
  const Deadline deadline(instance_.progress(), seconds);
  auto port = Port::open({.other_hosts = engine, .address = {}, .port = 0});
  if (!port.ok()) return port.status();
  if (Status s = place_order(order, **port, deadline, open); !s) return s;
  SpawnService* const service = open.get();
  const auto has_news = [service] { return service != nullptr && service->has_news(); };
  meeting.mine = preface_of(comm);
  if (service != nullptr) (void)instance_.progress().watch(service->socket(), EPOLLIN);
  auto caller = (*port)->take(deadline, has_news);
  if (service != nullptr) instance_.progress().unwatch(service->socket());
  if (!caller.ok()) {
    if (has_news()) return service->news(deadline);
    return Status::failure(Errc::cancelled,
                           "the new processes have not called MPI_Init in time "
                           "(core_spawn_timeout)");
  }
  line = std::move(*caller);
  auto theirs = hear(line, deadline);
  if (!theirs.ok()) return theirs.status();
  meeting.theirs = *theirs;
  return say(line, meeting.mine, deadline);
}

Result<Comm*> Dynamic::spawn(Comm& comm, int root, SpawnOrder order, const Status& refusal,
                             SpawnOutcome& outcome) {
  RootsMeeting meeting;
  Line line;
  const Deadline none(instance_.progress(), 0);
  Gathering group(comm, root);
  std::unique_ptr<SpawnService> open;
  std::uint64_t nobody[2] = {0, 0};  // whether there is nothing to start, and a context for it
  if (!refusal.ok()) {
    meeting.failure = refusal;
    outcome = outcome_of(order);
  } else if (group.is_root() && order.wanted() == 0) {
    nobody[0] = 1;
    nobody[1] = instance_.context_ids().draw();
    outcome = outcome_of(order);
  } else if (group.is_root()) {
    meeting.failure = start_children(comm, order, outcome, meeting, line, open);
  }
  std::vector<std::byte> told(sizeof nobody);
  std::memcpy(told.data(), nobody, sizeof nobody);
  if (Status s = group.spread(told); !s) return s;
  std::memcpy(nobody, told.data(), sizeof nobody);
  std::vector<std::byte> packed = pack(outcome);
  if (Status s = group.spread(packed); !s) return s;
  outcome = unpack(packed);
  if (nobody[0] != 0) {
    return Comm::make_inter(instance_, comm.group(), Ref<Group>(Group::empty()), nobody[1],
                            ContextIds::of_local_group(nobody[1]));
  }
  meeting.line = &line;
  auto made = make_link(comm, root, Side::accepts, meeting, none);
  if (open && made.ok()) open->done(none);
  if (made.ok()) return made;
  outcome.why = made.status().text();
  for (std::uint8_t& one : outcome.started) one = 0;
  return made;
}

Status Dynamic::meet_parents() {
  const std::string_view port = parents_port();
  if (port.empty()) return {};
  auto made = connect(instance_.world(), 0, port, 0);
  if (!made.ok()) return made.status();
  parent_ = *made;
  parent_->set_name("MPI_COMM_PARENT");
  parent_->set_errhandler(Ref<Errhandler>::share(&instance_.world().errhandler()));
  unsetenv(kParentVariable);
  return {};
}

}  // namespace tessera
