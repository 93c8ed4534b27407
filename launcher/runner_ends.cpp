// SPDX-License-Identifier: BSD-3-Clause
// How a job ends: signals, deaths of ranks, MPI_Abort, timeout.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/job/abort_status.h"
#include "launcher/descendants.h"
#include "launcher/report.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kGraceAfterFailureMs = 1'000;
constexpr std::int64_t kGraceAfterSignalMs = 5'000;
// timeout(1) and shells send the same signal to the process and to its group: that is one request.
constexpr std::int64_t kSameRequestMs = 300;

bool is_alive(pid_t process) noexcept {
  return process > 0 && kill(process, 0) == 0;
}

bool ended_well(int wait_status) noexcept {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

}  // namespace

void Runner::read_signals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == sizeof info) handle(info);
}

void Runner::handle(const signalfd_siginfo& info) {
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGCHLD) {
    reap();
    check_abort();
    return;
  }
  if (getppid() != front_) follow_front();
  // A signal to the whole group reaches this process too: the one to the front counts, unless it is
  // the keyboard's. An engine signals the group of a carrier, and its ranks may die before the
  // front has passed it on.
  const bool keyboard = is_from_keyboard(signal, info.ssi_code);
  const bool of_engine = order_->carrier != nullptr && ends_job(signal);
  if (!keyboard && !of_engine && info.ssi_pid != static_cast<std::uint32_t>(front_)) return;
  if (ends_job(signal)) return asked_to_end(signal, keyboard);
  if (signal == SIGUSR1 && !anybody_catches(signal)) return ask_for_places();
  if (!keyboard) signal_ranks(signal);
}

// The keyboard's signals come before the deaths they cause: they were sent to the whole group in
// one go, and signalfd(2) hands out the lower number first.
void Runner::asked_to_end(int signal, bool keyboard) {
  if (over()) give_up_at_ = now_;  // only a reader that does not read keeps us
  if (ending_) {
    if (now_ - asked_at_ >= kSameRequestMs) kill_all();
    return;
  }
  asked_at_ = now_;
  if (keyboard) keyboard_signal_ = signal;
  // A single rank at the keyboard may be interactive, a debugger say: what the signal means is its
  // own affair.
  if (keyboard && order_->ranks() == 1 && order_->carrier == nullptr) return;
  give_up_at_ = now_ + kGraceAfterSignalMs;
  if (!keyboard && !over() && order_->part.node == 0)
    say(fmt::format("mpiexec: got signal {} ({}); ending the job\n", signal, strsignal(signal)));
  end_job(128 + signal, keyboard ? 0 : signal, kGraceAfterSignalMs);
}

// A rank may be a script: then its MPI process gets the signal as well.
void Runner::signal_ranks(int signal, const LaunchedJob* only) noexcept {
  for (const auto& [process, member] : rank_of_) {
    if (only != nullptr && member.job != only) continue;
    kill(process, signal);
    const pid_t inner = member.page().pid.load(std::memory_order_acquire);
    if (inner != process && inner > 0) kill(inner, signal);
  }
}

void Runner::follow_front() {
  kill_all_descendants();
  _exit(1);
}

void Runner::reap() {
  int wait_status = 0;
  pid_t process = 0;
  while ((process = waitpid(-1, &wait_status, WNOHANG)) > 0) {
    const auto found = rank_of_.find(process);
    if (found == rank_of_.end()) continue;  // an orphan that a script left behind
    const JobMember member = found->second;
    rank_of_.erase(found);
    if (!goes_on_elsewhere(member, wait_status)) process_ended(member, wait_status);
  }
  children_left_ = process == 0;
}

// A script that ended before the MPI program it started: the program is now our child and stands
// for the rank.
bool Runner::goes_on_elsewhere(const JobMember& member, int wait_status) {
  const RankPage& page = member.page();
  const pid_t inner = page.pid.load(std::memory_order_acquire);
  if (!ended_well(wait_status) || !member.inside_mpi() || !is_alive(inner)) return false;
  rank_of_.emplace(inner, member);
  return true;
}

void Runner::drain(const JobMember& member) {
  if (out_) out_->drain(member.stream(), now_);
  if (err_) err_->drain(member.stream(), now_);
  tell_lost_files();
}

// Whether the rank has ended the job because another process had died.
bool Runner::follows_death(const JobMember& member) noexcept {
  return member.page().aborted.load(std::memory_order_acquire) != 0 &&
         member.page().abort_code.load(std::memory_order_relaxed) == kPeerDiedCode;
}

// What a process of another job reads here, when it sees this one end, is whether it had finalized.
void Runner::process_ended(const JobMember& member, int wait_status) {
  if (order_->line.print_exit_codes && member.job->number == 1) ends_[member.rank] = wait_status;
  drain(member);
  check_abort();
  const bool judged = ending_ || member.job->ending;
  if (!judged && (member.job->blame_at == kNever || !follows_death(member)))
    judge(member, wait_status);
  if (rank_of_.empty() && member.job->blame_at != kNever) {
    member.job->blame_at = now_;
    check_abort();
  }
  if (order_->carrier != nullptr && member.job->number == 1)
    order_->carrier->rank_ended(member.rank);
  if (ended_well(wait_status)) member.job->survived = true;
  std::atomic<RankState>& state = member.page().state;
  if (member.inside_mpi())
    state.store(RankState::failed, std::memory_order_release);
  else if (state.load(std::memory_order_relaxed) != RankState::failed)
    state.store(RankState::ended, std::memory_order_release);
}

void Runner::judge(const JobMember& member, int wait_status) {
  const RankPage& page = member.page();
  const RankState state = page.state.load(std::memory_order_acquire);
  const bool finalized = state == RankState::finalized;
  if (unmet(*member.job) && !(ended_well(wait_status) && finalized)) {
    const std::string when = state == RankState::started ? " before it called MPI_Init" : "";
    return order_failed(*member.job, fmt::format("rank {} of the new processes {}{}", member.rank,
                                                 describe_end(wait_status, page), when));
  }
  if (!ended_well(wait_status)) return judge_bad_end(member, wait_status);
  const pid_t pid = page.launched_pid.load(std::memory_order_relaxed);
  const std::string what = "ended without calling MPI_Finalize or MPI_Session_finalize";
  if (member.inside_mpi() && !go_on_without(member, pid, wait_status, what))
    fail(member, pid, 1, what);
}

void Runner::judge_bad_end(const JobMember& member, int wait_status) {
  const pid_t pid = member.page().launched_pid.load(std::memory_order_relaxed);
  const int status = exit_status_of(wait_status);
  if (status == 128 + SIGPIPE && reader_gone())
    return end_job(output_failed() ? 1 : status, SIGTERM, kGraceAfterFailureMs);
  if (keyboard_signal_ != 0 && status == 128 + keyboard_signal_)
    return end_job(status, SIGTERM, kGraceAfterFailureMs);
  const RankState state = member.page().state.load(std::memory_order_acquire);
  if (WIFEXITED(wait_status) && state == RankState::finalized) {
    if (status_ == 0) status_ = status;
    return say(fmt::format("mpiexec: {} {} after MPI_Finalize\n",
                           name_rank(member.job->number, member.id(), pid),
                           describe_end(wait_status)));
  }
  const std::string what = describe_end(wait_status, member.page());
  const int first_loss = member.job->first_loss;
  if (!go_on_without(member, pid, wait_status, what))
    fail(member, pid, first_loss != 0 ? first_loss : status, what);
}

// True when survivors shall go on and there are any.
bool Runner::go_on_without(const JobMember& member, std::int32_t pid, int wait_status,
                           const std::string& what) {
  LaunchedJob& job = *member.job;
  if (!job.order->line.recovers || (rank_of_.empty() && !job.survived)) return false;
  if (job.first_loss == 0) job.first_loss = std::max(1, exit_status_of(wait_status));
  const std::string rest = rank_of_.size() == 1
                               ? "the other rank goes on"
                               : fmt::format("the other {} ranks go on", rank_of_.size());
  say(fmt::format("mpiexec: {} {}; {}\n", name_rank(job.number, member.id(), pid), what,
                  rank_of_.empty() ? "the others have ended" : rest));
  job.segment->mark_failed(member.rank, wait_status);
  return true;
}

// For another reason than that nobody reads: a full device, say.
bool Runner::output_failed() const noexcept {
  if (lost_file_) return true;
  const auto failed = [](const std::unique_ptr<OutputMux>& output) {
    return output && output->error() != 0 && output->error() != EPIPE;
  };
  return failed(out_) || failed(err_);
}

bool Runner::reader_gone() const noexcept {
  return !out_ || lost_file_ || out_->error() != 0 || (err_ && err_->error() != 0);
}

// Sockets of a process that dies close before its parent hears of it: a rank that has lost another
// one may have aborted first. The death is what the user has to know.
bool Runner::cause_may_come(LaunchedJob& job, std::int32_t code) noexcept {
  if (code != kPeerDiedCode || job.first_loss != 0 || unmet(job)) return false;
  if (job.blame_at == kNever) job.blame_at = now_ + kGraceAfterFailureMs;
  const bool waits = now_ < job.blame_at;
  if (!waits) job.blame_at = kNever;
  return waits;
}

void Runner::check_abort() {
  std::uint32_t rank = 0;
  std::int32_t code = 0;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    LaunchedJob& job = *jobs_[i];
    if (ending_ || job.ending || !job.segment->aborted(rank, code)) continue;
    if (cause_may_come(job, code)) continue;
    const JobMember member{&job, rank};
    drain(member);
    const pid_t pid = member.page().pid.load(std::memory_order_relaxed);
    const std::string what = fmt::format("called MPI_Abort with code {}", code);
    if (unmet(job))
      order_failed(job, fmt::format("rank {} of the new processes {}", rank, what));
    else
      fail(member, pid, abort_status(code), what);
  }
}

// Ends the job of this rank, and with it all jobs that are connected, if this one is.
void Runner::fail(const JobMember& member, std::int32_t pid, int status, const std::string& what) {
  const bool connected = member.job->connected();
  std::size_t others = 0;
  bool spares = false;
  for (const auto& [process, one] : rank_of_) {
    const bool concerned = one.job == member.job || (connected && one.job->connected());
    spares = spares || !concerned;
    others += concerned && process != pid ? 1 : 0;  // one that called MPI_Abort may live on
  }
  others += others_elsewhere();
  const std::string rest = others == 0   ? ""
                           : others == 1 ? "; ending the other rank"
                                         : fmt::format("; ending the other {} ranks", others);
  say(fmt::format("mpiexec: {} {}{}\n", name_rank(member.job->number, member.id(), pid), what,
                  rest));
  if (!spares && !(spawn_server_ && spawn_server_->has_owner()))
    return end_job(status, SIGTERM, kGraceAfterFailureMs);
  if (status_ == 0) status_ = status;
  for (const auto& job : jobs_) {
    if (job.get() == member.job || (connected && job->connected())) end_job(*job, SIGTERM);
  }
}

void Runner::tell_exit_codes() {
  if (!order_->line.print_exit_codes) return;
  for (std::uint32_t rank = 0; rank < order_->ranks(); ++rank) {
    const auto end = ends_.find(rank);
    say(fmt::format("mpiexec: rank {} {}\n", jobs_.front()->segment->id_of(rank),
                    end == ends_.end() ? "was ended by mpiexec" : describe_end(end->second)));
  }
}

void Runner::end_job(int status, int signal, Millis grace_ms) {
  if (order_->carrier != nullptr && !told_) order_->carrier->tell_end(status, false);
  ending_ = true;
  status_ = status;
  kill_at_ = now_ + grace_ms;
  if (signal == 0) return;
  signal_ranks(signal);
  signal_ranks(SIGCONT);  // one that is stopped could not act on it
}

void Runner::kill_all() {
  kill_at_ = kNever;
  signal_ranks(SIGKILL);
  kill_all_descendants();
  rank_of_.clear();
  children_left_ = false;
}

}  // namespace tessera::launcher
