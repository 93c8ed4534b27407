// SPDX-License-Identifier: BSD-3-Clause
// The event loop of a job and its deadlines.
#include "launcher/runner.h"

#include <signal.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/machine/usable_cpus.h"
#include "framework/text.h"
#include "launcher/descendants.h"
#include "launcher/report.h"

namespace tessera::launcher {
namespace {

enum Token : std::uint64_t {
  kSignals,
  kOutSources,
  kOutWritable,
  kErrSources,
  kErrWritable,
  kSpawnServer,
  kCarrier
};

constexpr std::int64_t kIdleLineMs = 50;  // an unfinished line is shown after this
constexpr std::int64_t kLeftoversMs =
    250;  // for what a script left running, such as a tee that still writes
constexpr std::int64_t kFirstLookMs = 1'000;  // behind scripts
constexpr std::int64_t kFinishLookMs = 200;
constexpr int kMostEvents = 8;

std::int64_t monotonic_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

NodePlace place_of(const HostPart& part) noexcept {
  return {part.job_size, part.ids, part.node, part.nodes};
}

int status_for(const Status& failure) noexcept {
  if (failure.code() == Errc::not_found) return 127;
  return failure.code() == Errc::refused ? 126 : 1;
}

// By impirun (IMPI). What its ranks wait for may be elsewhere, where nobody sees it from here.
bool one_of_several_systems() noexcept {
  const char* const server = std::getenv("TESSERA_MCA_impi_server");
  return server != nullptr && *server != 0;
}

}  // namespace

Runner::Runner(JobOrder& order, pid_t front, std::unique_ptr<SpawnServer> spawn_server,
               std::uint64_t number)
    : order_(&order),
      front_(front),
      spawn_server_(std::move(spawn_server)),
      spawn_number_(number),
      now_(monotonic_ms()) {}

Runner::~Runner() {
  if (signals_ >= 0) close(signals_);
  if (poller_ >= 0) close(poller_);
}

int Runner::run() {
  adopt_orphans();
  if (!set_up()) return 1;
  if (!jobs_.empty()) {
    if (const Status started = start_all(*jobs_.front()); !started.ok()) {
      start_failed(started);
      if (order_->carrier != nullptr) finish_with_hosts();
      return status_;
    }
  }
  while (!over()) wait_for_events();
  judge_strangers();
  tell_exit_codes();
  finish_output();
  if (order_->carrier != nullptr) finish_with_hosts();
  return status_;
}

bool Runner::make_first_job() {
  spawn_number_ = JobSegment::random_id();
  const std::uint32_t cpus =
      order_->plan.binds() ? std::min(usable_cpus(), order_->plan.cpus_in_use()) : 0;
  auto segment = JobSegment::create(order_->ranks(), {.usable_cpus = cpus,
                                                      .snapshot = order_->snapshot,
                                                      .place = place_of(order_->part),
                                                      .job_id = order_->part.job_id,
                                                      .recovers = order_->line.recovers,
                                                      .spawn_server = spawn_number_});
  if (!segment.ok()) {
    say(std::string("mpiexec: ") + segment.status().text() + "\n");
    return false;
  }
  auto& job = *jobs_.emplace_back(std::make_unique<LaunchedJob>());
  job.number = ++last_number_;
  job.order = order_;
  job.segment = segment.value();
  return true;
}

bool Runner::join_hosts() {
  carrier::Carrier& carrier = *order_->carrier;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kCarrier;
  epoll_ctl(poller_, EPOLL_CTL_ADD, carrier.descriptor(), &event);
  const Status started = carrier.start(jobs_.front()->segment.get());
  if (!started.ok()) say(std::string("mpiexec: ") + started.text() + "\n");
  return started.ok();
}

// Without a spawn server nothing can be ordered; the job runs all the same.
void Runner::open_spawn_server(std::uint64_t number) {
  if (!spawn_server_) {
    spawn_server_ = std::make_unique<SpawnServer>();
    (void)spawn_server_->open(number);
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kSpawnServer;
  epoll_ctl(poller_, EPOLL_CTL_ADD, spawn_server_->descriptor(), &event);
}

bool Runner::set_up() {
  const bool serves = spawn_server_ != nullptr;
  if (!serves && !make_first_job()) return false;
  poller_ = epoll_create1(EPOLL_CLOEXEC);
  signals_ = signalfd(-1, &order_->signals.handled, SFD_CLOEXEC | SFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kSignals;
  if (poller_ < 0 || signals_ < 0 || epoll_ctl(poller_, EPOLL_CTL_ADD, signals_, &event) != 0) {
    say(std::string("mpiexec: cannot wait for events: ") + strerror(errno) + "\n");
    return false;
  }
  open_spawn_server(spawn_number_);
  if (order_->carrier != nullptr && !join_hosts()) return false;
  if (!serves) {
    if (!Starter::is_direct(*order_)) open_outputs();
    LaunchedJob& first = *jobs_.front();
    first.starter = std::make_unique<Starter>(*order_, *first.segment,
                                              Outputs{out_.get(), err_ ? err_.get() : out_.get()});
    const bool looks = order_->line.on_hang != OnHang::ignore && !one_of_several_systems();
    if (looks) watch_for_hangs(*first.segment);
  }
  wrappers_at_ = now_ + kFirstLookMs;
  watch_for_other_mpi();
  if (order_->line.timeout_s > 0)
    deadline_ = timeout_at_ = now_ + static_cast<Millis>(order_->line.timeout_s * 1000);
  return true;
}

void Runner::open_outputs() {
  if (out_) return;
  const bool one_target =
      order_->line.output.merge_streams || same_target(STDOUT_FILENO, STDERR_FILENO);
  const bool in_lines = order_->carrier != nullptr;
  out_ = std::make_unique<OutputMux>(STDOUT_FILENO, poller_, kOutSources, kOutWritable, in_lines);
  if (!one_target)
    err_ = std::make_unique<OutputMux>(STDERR_FILENO, poller_, kErrSources, kErrWritable, in_lines);
}

Status Runner::start_all(LaunchedJob& job) {
  std::uint32_t rank = 0;
  const CommandLine& line = job.order->line;
  for (std::uint32_t app = 0; app < line.apps.size(); ++app) {
    for (std::uint32_t i = 0; i < line.apps[app].ranks; ++i, ++rank) {
      auto process = job.starter->start(rank, app);
      if (!process.ok()) return process.status();
      rank_of_.emplace(process.value(), JobMember{&job, rank});
      children_left_ = true;
      if (line.verbose) {
        say("mpiexec: " + name_rank(job.number, job.segment->id_of(rank), process.value()) + ": " +
            line.apps[app].words.front() + "\n");
      }
    }
  }
  return {};
}

void Runner::start_failed(const Status& status) {
  say(std::string("mpiexec: ") + status.text() + "\n");
  status_ = status_for(status);
  if (order_->carrier != nullptr) order_->carrier->tell_end(status_, false);
  kill_all();
  finish_output();
}

bool Runner::over() const noexcept {
  return rank_of_.empty() && !children_left_ && !(spawn_server_ && spawn_server_->has_owner());
}

int Runner::wait_limit_ms() const noexcept {
  Millis next = std::min({timeout_at_, kill_at_, leftovers_at_, give_up_at_});
  if (looks_for_hangs()) next = std::min(next, next_hang_look());
  if (!ending_ && !rank_of_.empty()) next = std::min({next, wrappers_at_, other_mpi_at_});
  for (const auto& job : jobs_) {
    next = std::min(next, job->kill_at);
    if (!ending_ && !job->ending) next = std::min(next, job->blame_at);
  }
  const bool partial = (out_ && out_->has_partial_lines()) || (err_ && err_->has_partial_lines());
  if (partial) next = std::min(next, now_ + kIdleLineMs);
  if (finishing_) next = std::min(next, now_ + kFinishLookMs);
  if (!asked_.empty()) next = std::min(next, now_ + Whereabouts::kLook);
  if (next == kNever) return -1;
  return static_cast<int>(std::clamp<Millis>(next - now_, 0, 60'000));
}

void Runner::wait_for_events() {
  epoll_event events[kMostEvents];
  const int count = epoll_wait(poller_, events, kMostEvents, wait_limit_ms());
  now_ = monotonic_ms();
  for (int i = 0; i < count; ++i) dispatch(events[i].data.u64);
  check_deadlines();
}

void Runner::dispatch(std::uint64_t token) {
  switch (token) {
    case kSignals:
      return read_signals();
    case kOutSources:
      if (out_->sources_ready(now_)) look_for_other_mpi();
      return;
    case kOutWritable:
      return out_->sink_ready();
    case kErrSources:
      err_->sources_ready(now_);
      return;
    case kErrWritable:
      return err_->sink_ready();
    case kSpawnServer:
      return spawn_server_->ready(*this);
    case kCarrier:
      return order_->carrier->ready(*this);
    default:
      return;
  }
}

void Runner::check_deadlines() {
  each_output([](OutputMux& output, Millis now) { output.flush_idle(now - kIdleLineMs); });
  tell_lost_files();
  if (now_ >= timeout_at_) time_is_up();
  look_for_hang();
  tell_places();
  look_behind_wrappers();
  look_again_for_other_mpi();
  if (now_ >= kill_at_) kill_all();
  bool blame = false;
  for (const auto& job : jobs_) {
    if (now_ >= job->kill_at) end_job(*job, SIGKILL);
    blame = blame || now_ >= job->blame_at;
  }
  if (blame) check_abort();
  drop_finished();
  look_after_leftovers();
}

// When all ranks have ended, whatever they started has a moment to end too.
void Runner::look_after_leftovers() {
  if (!rank_of_.empty() || !children_left_ || (spawn_server_ && spawn_server_->has_owner())) {
    leftovers_at_ = kNever;
    return;
  }
  if (leftovers_at_ == kNever) leftovers_at_ = now_ + kLeftoversMs;
  if (now_ >= leftovers_at_) kill_all();
}

// The pipes hold what was written last, and the reader may be slow.
void Runner::finish_output() {
  now_ = monotonic_ms();
  each_output([](OutputMux& output, Millis now) { output.drain_all(now); });
  each_output([](OutputMux& output, Millis) { output.close_files(); });
  tell_lost_files();
  timeout_at_ = kill_at_ = leftovers_at_ = kNever;
  while (((out_ && out_->stalled()) || (err_ && err_->stalled())) && now_ < give_up_at_)
    wait_for_events();
  each_output([](OutputMux& output, Millis) {
    if (output.error() != 0 && output.error() != EPIPE) {
      const std::string text =
          std::string("mpiexec: cannot write the output: ") + strerror(output.error()) + "\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    }
  });
  const int error = out_ ? out_->error() : 0;
  if (((error != 0 && error != EPIPE) || lost_file_) && status_ == 0) status_ = 1;
}

void Runner::tell_lost_files() {
  for (OutputMux* const output : {out_.get(), err_.get()}) {
    if (output == nullptr) continue;
    for (const std::string& line : output->take_lost_files()) {
      say(line);
      lost_file_ = true;
    }
  }
}

void Runner::each_output(void (*action)(OutputMux&, Millis)) {
  if (out_) action(*out_, now_);
  if (err_) action(*err_, now_);
}

void Runner::say(const std::string& words) {
  const std::string text = text::printable(words);
  OutputMux* const output = err_ ? err_.get() : out_.get();
  if (output != nullptr) return output->put_line(text);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace tessera::launcher
