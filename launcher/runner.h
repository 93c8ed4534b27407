// SPDX-License-Identifier: BSD-3-Clause
// Runs a job: starts the ranks, carries their output, judges their ends, and leaves nothing behind.
#pragma once
//
// Contract. One thread, one epoll loop. A job ends well when all ranks ended with status 0 (after
// MPI_Finalize, if they called MPI_Init). The first that fails, is killed, or calls MPI_Abort ends
// it: one line says which, the others get SIGTERM, and SIGKILL a second later. A signal to mpiexec
// goes to the ranks, which then have five seconds. A rank that fails after MPI_Finalize ends
// nothing: nobody can be waiting for it. With --enable-recovery a rank that fails ends nothing
// either: the line says so, its death is marked in the job segment, and the status is that of the
// ranks that go on, or of the first one that died when none ended well.
//
// Processes may order more (spawn_server.h): each order is a job of its own, a LaunchedJob. A
// failure ends all jobs that are connected with others, and leaves those alone that are not. Until
// the parents have met their children, the end of a child is the failure of the order and of
// nothing else.
//
#include <sys/signalfd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/job/segment.h"
#include "launcher/carrier/carrier.h"
#include "launcher/hang/hang_watch.h"
#include "launcher/hang/job_survey.h"
#include "launcher/hang/whereabouts.h"
#include "launcher/job_order.h"
#include "launcher/launched_job.h"
#include "launcher/output_mux.h"
#include "launcher/spawn_server.h"
#include "launcher/starter.h"

namespace tessera::launcher {

class Runner final : private SpawnHandler, private carrier::CarrierHandler {
 public:
  // `front` is the parent, from which signals come. `spawn_server`: an open one, reached
  // under `number`, for a process that is alone (the order has no program then), or null.
  Runner(JobOrder& order, pid_t front, std::unique_ptr<SpawnServer> spawn_server = nullptr,
         std::uint64_t number = 0);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  // The exit status for mpiexec.
  int run();

 private:
  using Millis = std::int64_t;
  static constexpr Millis kNever = INT64_MAX;
  static constexpr Millis kGraceMs = 1'000;  // from SIGTERM to SIGKILL

  // Starting.
  bool set_up();
  bool make_first_job();
  void open_spawn_server(std::uint64_t number);
  void open_outputs();
  Status start_all(LaunchedJob& job);
  void start_failed(const Status& status);

  // Orders (runner_orders.cpp).
  void ordered(std::uint64_t client, SpawnOrder order) override;
  void settled(std::uint64_t client, bool met) override;
  void owner_gone(bool finalized) override;
  Result<std::unique_ptr<LaunchedJob>> prepare(const SpawnOrder& order);
  void order_failed(LaunchedJob& job, const std::string& what);
  void end_job(LaunchedJob& job, int signal);
  void drop_finished();
  // Whether its parents have not met it: they may, and their word of it be on its way.
  static bool unmet(const LaunchedJob& job) noexcept { return job.client != 0 && !job.connected(); }
  bool alive(const LaunchedJob& job) const noexcept;

  // Other hosts (runner_hosts.cpp).
  bool join_hosts();
  void told_to_end(bool with_places) override;
  void carrier_failed(const std::string& what) override;
  void asked_for_waits(std::uint32_t question) override;
  void told_waits(std::uint32_t node, std::uint32_t question, std::string_view waits) override;
  void finish_with_hosts();
  std::uint32_t others_elsewhere() const noexcept;

  // The loop.
  bool over() const noexcept;
  void wait_for_events();
  int wait_limit_ms() const noexcept;
  void dispatch(std::uint64_t token);
  void check_deadlines();
  void look_after_leftovers();
  void finish_output();
  void tell_lost_files();

  // Signals.
  void read_signals();
  void handle(const signalfd_siginfo& info);
  void asked_to_end(int signal, bool keyboard);
  void signal_ranks(int signal, const LaunchedJob* only = nullptr) noexcept;
  [[noreturn]] void follow_front();

  // Ends.
  void reap();
  void process_ended(const JobMember& member, int wait_status);
  bool goes_on_elsewhere(const JobMember& member, int wait_status);
  void judge(const JobMember& member, int wait_status);
  void judge_bad_end(const JobMember& member, int wait_status);
  bool go_on_without(const JobMember& member, std::int32_t pid, int wait_status,
                     const std::string& what);
  void check_abort();
  bool cause_may_come(LaunchedJob& job, std::int32_t code) noexcept;
  static bool follows_death(const JobMember& member) noexcept;
  void time_is_up();
  void end_as_told();
  void fail(const JobMember& member, std::int32_t pid, int status, const std::string& what);
  void drain(const JobMember& member);
  void tell_exit_codes();
  void end_job(int status, int signal, Millis grace_ms);
  void kill_all();
  bool reader_gone() const noexcept;
  bool output_failed() const noexcept;

  // Ranks that wait for each other.
  void watch_for_hangs(JobSegment& segment);
  bool looks_for_hangs() const noexcept;
  Millis next_hang_look() const noexcept;
  void look_for_hang();
  void tell_hang(const HangWatch::Finding& finding);
  void write_hang_report(const HangWatch::Finding& finding);
  void ask_for_places();
  void tell_places();
  enum class TimeUp : std::uint8_t { no, here, elsewhere };  // of --timeout: on which host
  void ask_before_end(TimeUp where);
  void end_timed_out(TimeUp where, const std::string& places);
  bool anybody_catches(int signal) const;

  // Ranks behind a script (runner_wrappers.cpp).
  void look_behind_wrappers();
  void judge_wrapper(pid_t process);

  // Programs of another MPI, which do not join the job.
  bool joined(std::uint32_t rank) const noexcept;
  bool none_joined() const noexcept;
  void watch_for_other_mpi();
  bool look_for_other_mpi(pid_t process, const JobMember& member);
  void look_for_other_mpi();
  void look_again_for_other_mpi();
  void judge_strangers();

  void say(const std::string& words);
  void each_output(void (*action)(OutputMux&, Millis));

  JobOrder* order_;
  pid_t front_;
  int poller_ = -1;
  int signals_ = -1;
  std::unique_ptr<OutputMux> out_;
  std::unique_ptr<OutputMux> err_;  // null when `out_` serves both
  // Of the first job. Over several hosts the first one judges, and the others report to it.
  std::unique_ptr<WaitSurvey> survey_;
  JobSurvey* all_hosts_ = nullptr;  // it, where it is that
  std::optional<HangWatch> hangs_;
  std::optional<WaitReporter> wait_reporter_;
  // Of whom somebody has asked where they are: the ranks of each job, by its number.
  std::vector<std::pair<std::uint32_t, Whereabouts>> asked_;
  TimeUp time_up_ = TimeUp::no;  // they are asked for that
  std::unique_ptr<SpawnServer> spawn_server_;
  std::uint64_t spawn_number_ = 0;
  std::vector<std::unique_ptr<LaunchedJob>> jobs_;  // the first one is that of the command line
  std::uint32_t last_number_ = 0;
  std::unordered_map<pid_t, JobMember> rank_of_;  // living processes that stand for a rank
  std::unordered_map<std::uint32_t, int> ends_;   // of the first job, for --print-all-exitcodes
  std::unordered_map<pid_t, Millis> gone_since_;  // scripts whose MPI process is not seen
  bool children_left_ = true;
  std::string other_mpi_;     // its library, once one was seen
  std::string behind_ranks_;  // the same in a process that a rank has started
  int looks_ = 0;
  std::size_t turns_ = 0;
  Millis other_mpi_at_ = kNever;  // the next look that nobody's output asks for
  Millis other_mpi_pause_ = 0;    // since the last one
  bool lost_file_ = false;        // a file of a rank's output took no more
  bool told_ = false;             // to end, by another host
  bool finishing_ = false;        // all ranks of this host have ended, others may run
  bool ending_ = false;           // the others are being ended, or have been asked to
  int status_ = 0;
  int keyboard_signal_ = 0;
  Millis now_ = 0;
  Millis asked_at_ = 0;
  Millis deadline_ = kNever;  // of the job
  Millis timeout_at_ = kNever;
  Millis wrappers_at_ = kNever;
  Millis kill_at_ = kNever;
  Millis leftovers_at_ = kNever;
  Millis give_up_at_ = kNever;  // on a reader that does not read, once somebody wanted the end
};

}  // namespace tessera::launcher
