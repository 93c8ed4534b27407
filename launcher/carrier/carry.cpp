// SPDX-License-Identifier: BSD-3-Clause
// From an order to the ranks of one host.
#include "launcher/carrier/carry.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "framework/help.h"
#include "launcher/across/silence.h"
#include "launcher/carrier/carrier.h"
#include "launcher/carrier/input.h"
#include "launcher/front.h"
#include "launcher/hosts.h"
#include "launcher/prepare.h"
#include "launcher/runner.h"

namespace tessera::launcher::carrier {
namespace {

constexpr int kWrongUse = 2;

int complain_here(const std::string& text, int status) {
  return complain((host_name() + ": " + text).c_str(), status);
}

// By these an engine tells a process who it is; ranks are told by mpiexec.
void forget_engine() {
  constexpr const char* kNames[] = {"PMI_FD",
                                    "PMI_PORT",
                                    "PMI_ID",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "PMI_SPAWNED",
                                    "PMIX_RANK",
                                    "PMIX_NAMESPACE",
                                    "MPI_LOCALRANKID",
                                    "MPI_LOCALNRANKS",
                                    "SLURM_PROCID",
                                    "SLURM_LOCALID",
                                    "SLURM_STEP_NUM_TASKS",
                                    "SLURM_NTASKS",
                                    "SLURM_NPROCS",
                                    "SLURM_GTIDS",
                                    "HYDI_CONTROL_FD"};
  for (const char* name : kNames) unsetenv(name);
}

// The connections of carriers are looked after even where those of ranks are not.
int silence_of(const CommandLine& line) {
  constexpr int kOtherwise_s = 20;
  const int seconds = across::silence_s(line.params);
  return seconds > 0 ? seconds : kOtherwise_s;
}

// What the front has settled, or what is another host's.
void adapt(CommandLine& line, std::uint32_t node) {
  if (node != 0) line.reader.reset();
  if (node != 0) line.timeout_s = 0;
  line.quiet = line.quiet || node != 0;
  PlacementRequest& places = line.placement;
  if (places.map_level == Level::machine) places.mapping = Mapping::unsaid;
}

// The exit status of what goes wrong before ranks start, and is said then.
int prepare(const CarrierOrder& order, JobOrder& job) {
  if (!order.directory.empty() && chdir(order.directory.c_str()) != 0)
    return complain_here("cannot start in '" + order.directory + "': " + strerror(errno),
                         kWrongUse);
  if (const Status found = find_programs(job); !found)
    return complain_here(found.text(), status_of_missing(found));
  auto places = Arrangement::read(job.line.placement);
  Status planned = places.status();
  if (planned) planned = places->make_plan(job.line, job.ranks());
  if (!planned) return complain_here(planned.text(), kWrongUse);
  complain_all(job.line, places->plan().notes);
  auto snapshot = take_snapshot(job.line, job.part.job_size);
  if (!snapshot.ok()) {
    print_help(snapshot.status().text());
    return kWrongUse;
  }
  job.snapshot = std::move(*snapshot);
  show_places(job, *places);
  job.plan = std::move(places->plan());
  return 0;
}

// A job that does not start here ends everywhere.
class Nothing final : public CarrierHandler {
 public:
  void told_to_end(bool) override {}
  void carrier_failed(const std::string& what) override { complain_here(what, 0); }
  void asked_for_waits(std::uint32_t) override {}
  void told_waits(std::uint32_t, std::uint32_t, std::string_view) override {}
};

int end_unstarted(Carrier& carrier, int status) {
  Nothing nothing;
  (void)carrier.start(nullptr);
  carrier.tell_end(status, false);
  std::int64_t passed_ms = 0;
  while (!carrier.finish(status, passed_ms)) {
    pollfd ready{carrier.descriptor(), POLLIN, 0};
    poll(&ready, 1, 100);
    passed_ms += 100;
    carrier.ready(nothing);
  }
  return carrier.result();
}

int run(const CarrierOrder& order, const SignalSetting& signals, pid_t front) {
  auto carrier = Carrier::join(order, silence_of(order.line));
  if (!carrier.ok()) return complain_here(carrier.status().text(), 1);
  forget_engine();
  JobOrder job;
  job.signals = signals;
  job.part = part_of(order, (*carrier)->node(), job.line);
  job.carrier = carrier->get();
  adapt(job.line, (*carrier)->node());
  take_input(job.line.reader.has_value());
  const int status = prepare(order, job);
  if (status != 0) return end_unstarted(**carrier, status);
  return Runner(job, front).run();
}

}  // namespace

int carry(const char* word, char** words) {
  auto order = decode(word);
  if (!order.ok()) return complain_here(order.status().text(), kWrongUse);
  // What the engine has on this host is the parent; it does not always live to end its processes.
  const pid_t engine = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != engine) return 1;
  const SignalSetting signals = take_over_signals();
  return run_behind_front(signals, words, [&](pid_t front) { return run(*order, signals, front); });
}

}  // namespace tessera::launcher::carrier
