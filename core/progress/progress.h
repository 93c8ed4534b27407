// SPDX-License-Identifier: BSD-3-Clause
// Progress of one Instance: the pollers, the engine's lock, and how waiting gives way.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "core/job/failures.h"
#include "core/job/segment.h"
#include "core/machine/cpu_spread.h"
#include "core/progress/patience.h"
#include "core/progress/waiting_threads.h"
#include "tessera/comm.h"

namespace tessera {

// When to stop spinning, in nanoseconds since the last event. A rank that shares its CPU gives way
// at once: no spin time.
struct WaitPolicy {
  std::uint64_t spin_ns = 20'000;  // pause instructions only
  std::uint64_t yield_ns =
      60'000;  // then sched_yield(2) until this, or longer (patience.h); then sleep
  // The policy for `ranks` processes on `cpus` usable CPUs.
  static WaitPolicy adaptive(std::uint32_t ranks, std::uint32_t cpus) noexcept;
  static WaitPolicy spin_only() noexcept { return {~0ull, ~0ull}; }
  static WaitPolicy sleep_at_once() noexcept { return {0, 0}; }
};

// What waiting has cost so far.
struct WaitTally {
  std::uint64_t idle_polls = 0;  // rounds of a wait that found nothing
  std::uint64_t yields = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t sleep_ns = 0;
};

namespace coll {
struct Call;
}

// What else a call knows about its wait; on its stack, and read only when somebody asks.
struct WaitDetail {
  std::uint64_t collective = 0;  // of a collective operation: which one on the communicator, from 1
  const coll::Call* call = nullptr;  // likewise
  // The requests that are waited for; the i-th may be null.
  const Request* (*request)(const void* list, Count i) noexcept = nullptr;
  const void* list = nullptr;
  bool any = false;  // one of them is enough
  // The send of a call that sends and receives.
  int to = kProcNull;
  int send_tag = 0;
  std::uint64_t send_bytes = 0;
};

// What a blocking call waits for, kept where the call keeps it, published for others to read only
// when the wait is long.
struct WaitNote {
  const char* function;      // "MPI_Recv"
  int peer;                  // rank in the communicator, negative: any or all
  int tag;                   // negative: any or none
  const Communicator* comm;  // or null
  Count count;               // elements of `type`, or without a type, requests
  const Datatype* type;      // or null
  const WaitDetail* detail = nullptr;
};

// The calls that wait now, of all threads of this process.
struct WaitNotes {
  const WaitNote& own;     // of the thread that tells
  WaitingThreads& beside;  // that sleep until they are woken
  bool all;                // no other thread makes progress meanwhile
  pid_t agent;             // the thread of the progress agent, or 0
};

// Answers mpiexec, which has asked what this process waits for; under the engine's lock.
class WaitTeller {
 public:
  virtual void tell(const WaitNotes& notes) noexcept = 0;

 protected:
  ~WaitTeller() = default;
};

// Waiting ends in a futex sleep on this process's Doorbell, or, when descriptors are watched, in
// epoll_wait(2), where the Doorbell rings through a descriptor too. Where it cannot, the sleep is
// cut into slices of a millisecond.
//
// With several threads, those that spin poll all; of the others one polls and sleeps so, the rest
// sleeps until it is told (waiting_threads.h). A thread that leaves the engine lets another poll.
class AdaptiveProgress final : public Progress {
 public:
  // `bell` and `blocked` may be null (a process alone); they outlive this object.
  AdaptiveProgress(WaitPolicy policy, Doorbell* bell, BlockedSlot* blocked = nullptr) noexcept
      : policy_(policy), bell_(bell), blocked_(blocked) {}
  ~AdaptiveProgress();

  void add(Poller& poller) noexcept override;
  void remove(Poller& poller) noexcept override;
  Status watch(int descriptor, std::uint32_t events) noexcept override;
  void unwatch(int descriptor) noexcept override;
  void notice_failures() noexcept override {
    if (failures_ != nullptr && failures_->news()) deaths_ += failures_->learn();
  }
  // For calls that answer "not yet": the program may never wait.
  int poll() noexcept {
    notice_failures();
    return Progress::poll();
  }
  // Where survivors go on when a process dies; `failures` outlives this object.
  void expect_failures(Failures& failures) noexcept { failures_ = &failures; }

  // `teller` answers `question`; both outlive this object.
  void answer(const WaitQuestion& question, WaitTeller& teller) noexcept {
    question_ = &question;
    teller_ = &teller;
  }

  // Looks at a call when its wait turns out to be long, on the thread that waits: for mistakes that
  // are told only where time is lost anyway.
  using Onlooker = void (*)(const WaitNote& note) noexcept;
  void set_onlooker(Onlooker onlooker) noexcept { onlooker_ = onlooker; }

  // The note of the call in progress, or null; the old one is returned. With several threads it is
  // that of the thread in the engine.
  const WaitNote* note(const WaitNote* note) noexcept {
    if (published_ != nullptr && published_ == note_) [[unlikely]]
      retract();
    return std::exchange(note_, note);
  }

  // For a report on a crash.
  const WaitNote* noted() const noexcept { return note_; }

  // A call has looked, found nothing, and is about to say so. It gives way to other processes:
  // always where ranks share CPUs, else now and then, since a program may do nothing but ask. Under
  // the lock, where there is one.
  void not_yet() noexcept {
    if (policy_.spin_ns == 0 || ++fruitless_ % kFruitlessPerYield == 0) [[unlikely]]
      yield();
  }

  // Nobody rings this process: where descriptors are watched, they alone end a sleep.
  void expect_no_ring() noexcept { rung_ = false; }
  void expect_ring() noexcept { rung_ = true; }
  void set_policy(WaitPolicy policy) noexcept { policy_ = policy; }
  bool shares_cpus() const noexcept { return policy_.spin_ns == 0; }
  // How often this process has begun to stand still: each wait that finds nothing, once, and again
  // after something has come. Two equal numbers: nothing has come between.
  std::uint64_t standstills() const noexcept { return standstills_; }
  // For tools; may be a moment old.
  const WaitTally& tally() const noexcept { return tally_; }
  // For a rank with a CPU of its own; `spread` outlives this object.
  void keep_apart(CpuSpread& spread) noexcept { spread_ = &spread; }
  // Sleeps end after this time at the latest: for pollers that watch the clock.
  void limit_naps(std::int64_t longest_us) noexcept { longest_nap_us_ = longest_us; }
  std::int64_t longest_nap() const noexcept { return longest_nap_us_; }
  // From now on others ring this one instead; the old one lives on.
  void replace_doorbell(Doorbell& bell) noexcept;
  // From MPI_THREAD_MULTIPLE on, every entry into the engine holds this lock; waiting releases it
  // when it pauses. To be enabled only while no thread is in the engine.
  void enable_lock() noexcept { several_threads_.store(true, std::memory_order_relaxed); }
  bool locking() const noexcept { return several_threads(); }
  void lock() noexcept;
  void unlock() noexcept;

  // For the agent (agent.h), which is no thread of the program. How often threads have entered the
  // engine, for any thread; and, for one that is in it, whether another one waits there.
  void set_agent(pid_t thread) noexcept { agent_ = thread; }
  std::uint64_t entries() const noexcept { return entries_.load(std::memory_order_relaxed); }
  bool others_wait() const noexcept {
    return polling_ > 0 || sleeper_ != nullptr || !waiting_.empty();
  }
  // Outside of the engine while `pause` runs; another thread polls if one waits. One that has slept
  // in the kernel for long meanwhile rings `bell`. `pause` runs again while another thread holds
  // the lock; where it returns true, this thread waits for the lock instead.
  template <class Pause>
  void step_outside(std::atomic<std::uint32_t>& bell, Pause&& pause) noexcept {
    agent_bell_ = &bell;
    const unsigned depth = std::exchange(depth_, 0);
    unlock_and_wake(depth, true);
    bool urgent = pause();
    while (!urgent && !mutex_.try_lock()) urgent = pause();
    for (unsigned i = urgent ? 0 : 1; i < depth; ++i) mutex_.lock();
    depth_ = depth;
    agent_bell_ = nullptr;
  }

 private:
  static constexpr std::uint32_t kFruitlessPerYield = 1024;

  // How the thread that polls for all sleeps, and so what wakes it.
  struct SleepMode {
    enum class Kind : std::uint8_t { bell, descriptors_and_bell, descriptors } kind;
    std::int64_t longest_us;   // negative: no limit
    Doorbell* bell = nullptr;  // announced; another one may have taken its place meanwhile
  };

  bool idle(std::uint32_t rounds, const Condition& condition) noexcept override;
  void give_way(std::uint32_t rounds) noexcept;
  bool idle_among_threads(std::uint32_t rounds, const Condition& condition) noexcept;
  bool gives_way_awake(std::uint32_t rounds) noexcept;
  bool sleep_beside(const Condition& condition) noexcept;
  bool sleep_for_all(const Condition& condition) noexcept;
  SleepMode choose_sleep_mode() noexcept;
  void sleep_by(const SleepMode& mode) noexcept;
  void wake_sleeper(const SleepMode& mode) noexcept;
  template <class Pause>
  void unlocked(Pause&& pause) noexcept;
  void unlock_and_wake(unsigned depth, bool leaving) noexcept;
  void sleep() noexcept;
  void prepare_sleep() noexcept;
  // Tells that this process sleeps until `bell` rings.
  void announce(Doorbell& bell, bool heard_by_descriptor) noexcept;
  // After an announcement, and before the sleep: what arrives after this look rings.
  bool look_once_more() noexcept;
  // Of a process that hears no bell, and may be asked what it waits for.
  std::int64_t unwakeable_sleep_us() const noexcept;
  void sleep_on_doorbell() noexcept;
  void sleep_on_descriptors() noexcept;
  bool has_wakeup_fd() noexcept;
  void wait_for_descriptors(std::int64_t longest_us) noexcept;
  void yield() noexcept;
  void publish_pollers() noexcept;
  bool must_speak() const noexcept {
    return note_ != nullptr &&
           (published_ == nullptr || (question_ != nullptr && question_->pending()));
  }
  void publish_note() noexcept;
  void publish(const WaitNote& note) noexcept;
  void retract() noexcept;

  void note_sleep(std::uint64_t since_ns) noexcept;

  WaitPolicy policy_;
  WaitTally tally_;
  std::uint64_t standstills_ = 0;
  Patience patience_;
  Doorbell* bell_;
  BlockedSlot* blocked_;
  CpuSpread* spread_ = nullptr;
  Failures* failures_ = nullptr;
  const WaitNote* note_ = nullptr;
  const WaitQuestion* question_ = nullptr;
  WaitTeller* teller_ = nullptr;
  const WaitNote* published_ = nullptr;
  bool rung_ = true;
  std::vector<Poller*> list_;
  std::uint64_t idle_since_ns_ = 0;
  std::uint32_t fruitless_ = 0;       // calls that found nothing
  std::int64_t longest_nap_us_ = -1;  // negative: no limit
  int epoll_ = -1;
  std::atomic<int> wakeup_fd_{-1};  // the Doorbell's descriptor; sleepers look without the lock
  bool no_wakeup_fd_ = false;       // there is none
  int watched_ = 0;
  std::recursive_mutex mutex_;
  // Protected by the mutex.
  unsigned depth_ = 0;                                // how often the holder has locked
  std::atomic<std::uint64_t> entries_{0};             // written under the mutex
  std::atomic<std::uint32_t>* agent_bell_ = nullptr;  // of the agent, while it is outside
  pid_t agent_ = 0;
  WaitingThreads waiting_;
  int polling_ = 0;                   // threads in a pause that will poll after it
  WaitingThread* sleeper_ = nullptr;  // the one of them that sleeps
  SleepMode sleep_mode_{};            // its
  int wake_event_ = -1;               // an eventfd that ends its wait for descriptors
  unsigned without_yields_ = 0;       // waits to come that shall not yield
  Doorbell own_doorbell_{};           // of a process without one
  Onlooker onlooker_ = nullptr;       // or nobody
};

// Holds the engine's lock for one call, when there is one to hold.
class EngineGuard {
 public:
  explicit EngineGuard(AdaptiveProgress& progress) noexcept
      : progress_(progress.locking() ? &progress : nullptr) {
    if (progress_ != nullptr) [[unlikely]]
      progress_->lock();
  }
  ~EngineGuard() {
    if (progress_ != nullptr) [[unlikely]]
      progress_->unlock();
  }
  EngineGuard(const EngineGuard&) = delete;
  EngineGuard& operator=(const EngineGuard&) = delete;

 private:
  AdaptiveProgress* progress_;
};

// Says, for the time of one blocking call, what it waits for.
class WaitScope {
 public:
  WaitScope(AdaptiveProgress& progress, const WaitNote& note) noexcept
      : progress_(progress), outer_(progress.note(&note)) {}
  ~WaitScope() { progress_.note(outer_); }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  AdaptiveProgress& progress_;
  const WaitNote* outer_;
};

}  // namespace tessera
