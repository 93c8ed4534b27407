// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job and what all components share to reach them: Job, Peer, Doorbell,
// Progress, Bootstrap.
#pragma once
//
// Contract. A job is a set of processes, numbered from 0 in the order of the launcher. The name of
// a process, (job, index), is the same wherever it is known; names, never ids, travel between
// processes. The engine owns one Peer per process it knows, in a table that grows and forgets. A
// Peer keeps its address until the engine forgets it (btl.h, Module::disconnect); components keep
// references and own nothing. `Peer::id` is the place in the table of this process: the processes
// of its own job have their index as id from start to end, processes of other jobs have ids from
// Job::size() on, which the table uses again after it has forgotten their owner. A job on one
// machine shares one anonymous memory object inherited from the launcher; components get named
// regions of it from Job::shared(). A process that was started alone is peer 0 of 1 and has no
// shared memory.
//
// Waiting. All waiting goes through Progress::wait_until. It polls all registered pollers, and when
// nothing happens for a while it yields, then sleeps until the process's Doorbell is rung or a
// watched descriptor becomes ready. A process that changes something for which a peer may sleep (a
// slot in its mailbox) rings the peer's bell afterwards; that costs one load of a shared cache line
// while the peer is awake.
//
// Failure. The engine sets Peer::failed when it learns that the process has died, after it has
// delivered what had arrived from it, and never resets it. A component waits for an act of certain
// peers with wait_for() or with wait_until() and two conditions: these end with peer_failed instead
// of waiting for ever. Requests of the pml end by themselves (btl.h, Sink::lost).
//
// Threads. All of this is entered by one thread at a time: the engine's lock is held when several
// threads may call MPI. wait_until releases it whenever it pauses. Of several waiting threads one
// makes progress for all; the others sleep until a thread that releases the lock has found their
// condition to hold. Doorbell::ring alone may be called from anywhere.
//
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "tessera/cpu.h"
#include "tessera/status.h"

namespace tessera {

// How a process sleeps and is woken; lives in shared memory, one per process of the machine.
class alignas(kCacheLine) Doorbell {
 public:
  // Wakes the owner if it sleeps. Call after the store that the owner shall see. The owner
  // announces its sleep with a memory barrier in all processes of the job (membarrier(2)), so that
  // no fence is needed here; where the kernel has none, `fenced` is set and this side pays.
  void ring() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (fenced_.load(std::memory_order_relaxed) != 0)
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  // For the owner (the engine): announce, look once more at everything, then sleep or call off.
  // sleep() returns after a ring, after `timeout_us` (unless negative), or sooner. Instead, who has
  // announced so may wait for the descriptor of listen(), which a ring makes readable; drain()
  // takes what has rung out of it.
  void announce(bool by_descriptor = false) noexcept;
  void call_off() noexcept { sleeping_.store(0, std::memory_order_relaxed); }
  void sleep(std::int64_t timeout_us) noexcept;
  int listen() noexcept;  // the caller closes it; -1: there is none
  bool heard_by_descriptor() const noexcept {
    return name_bytes_.load(std::memory_order_relaxed) != 0;
  }
  static void drain(int descriptor) noexcept;
  // Prepares a bell in fresh zeroed memory and registers this process for barriers; once, by the
  // owner.
  void install() noexcept;

 private:
  void wake() noexcept;
  std::atomic<std::uint32_t> sleeping_;
  std::atomic<std::uint32_t> rings_;
  std::atomic<std::uint32_t> fenced_;
  std::atomic<std::uint32_t> name_bytes_;  // 0: no descriptor, or somebody could not reach it
  char name_[16];                          // of the owner's socket
};

enum class Locality : std::uint8_t { self, node, remote };

// Which process, the same everywhere.
struct ProcessName {
  std::uint64_t job = 0;    // random, drawn by the launcher of the job
  std::uint32_t index = 0;  // in the job, in the order of its launcher
  auto operator<=>(const ProcessName&) const = default;
};

// One process, as seen from this one.
struct Peer {
  std::uint32_t id = 0;  // place in the table of this process
  Locality locality = Locality::remote;
  std::int32_t pid = 0;  // on its machine; 0 until known
  // Null for processes without common memory, and for all where no transport in use goes through
  // memory.
  Doorbell* bell = nullptr;
  void* route = nullptr;  // the pml's: how it reaches this peer
  ProcessName name{};
  std::atomic<bool> failed{false};       // the process is dead; nothing will come from it any more
  std::atomic<std::uint32_t> groups{0};  // the engine's: how many groups list it
};

// Copies between this process and another one of the machine: process_vm_readv(2),
// process_vm_writev(2). Whole or a failure (any part may be done then): peer_failed: no such
// process; system: the kernel refused, or a bad address.
Status read_memory(std::int32_t pid, void* mine, std::uint64_t theirs, std::size_t bytes) noexcept;
Status write_memory(std::int32_t pid, const void* mine, std::uint64_t theirs,
                    std::size_t bytes) noexcept;

// A named piece of the job's shared memory, the same bytes in every process that asked for the
// name. It is zero at first, and sparse: memory is taken page by page on first use. commit() takes
// it ahead of use, so that exhaustion is a Status (no_space) and not a SIGBUS; touching what was
// not committed is the caller's risk.
class SharedRegion {
 public:
  SharedRegion() = default;
  SharedRegion(std::byte* base, std::size_t bytes, int descriptor,
               std::uint64_t file_offset) noexcept
      : base_(base), bytes_(bytes), file_offset_(file_offset), descriptor_(descriptor) {}
  std::byte* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return bytes_; }
  Status commit(std::size_t offset, std::size_t bytes) const noexcept;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t file_offset_ = 0;
  int descriptor_ = -1;
};

class Job {
 public:
  virtual std::uint32_t my_id() const noexcept = 0;
  virtual std::uint32_t size() const noexcept = 0;         // processes in the job
  virtual std::uint32_t local_size() const noexcept = 0;   // of these, on this machine
  virtual std::uint32_t usable_cpus() const noexcept = 0;  // that the local ones may run on
  // Whether the survivors go on when a process dies (mpiexec --enable-recovery); else its launcher
  // ends the job.
  virtual bool recovers() const noexcept { return false; }
  // 0 <= id < size(), or the id of a process of another job that the engine has not forgotten.
  virtual Peer& peer(std::uint32_t id) const noexcept = 0;
  // All ids lie below: size(), or more once processes of other jobs are known.
  virtual std::uint32_t end_id() const noexcept { return size(); }
  // The peer of that name, or null while it is unknown.
  virtual Peer* find(const ProcessName& name) const noexcept;
  // The region `name` (at most 31 characters) of `bytes` bytes; all processes must ask for the same
  // size. It stays mapped until the process has called release() as often as shared(), at the
  // latest until the Instance ends. unsupported: no shared memory in this job; argument: another
  // size was asked for; no_space: too many regions, or no memory.
  virtual Result<SharedRegion> shared(std::string_view name, std::size_t bytes) const noexcept = 0;
  // Memory that this process and one of another job have for themselves: the same bytes in both,
  // zero at first, sparse, given back when the engine forgets the peer. At most 1 MiB; again with
  // the same peer gives the same memory. not_found: these two share none; unsupported: this process
  // meets no other job.
  virtual Result<SharedRegion> shared_with(const Peer& /*peer*/,
                                           std::size_t /*bytes*/) const noexcept {
    return Errc::unsupported;
  }
  // Gives up one shared(). After the last one of all processes the memory returns to the system,
  // and the name may be used anew, for another size too. A process that asks for the name later
  // gets a fresh region: users agree beforehand that all have asked. A region
  // that a process held when it died stays until the job ends. not_found: there is no such region.
  virtual Status release(std::string_view /*name*/) const noexcept { return Errc::unsupported; }

 protected:
  ~Job() = default;
};

inline Peer* Job::find(const ProcessName& name) const noexcept {
  for (std::uint32_t id = 0; id < size(); ++id) {
    if (peer(id).name == name) return &peer(id);
  }
  return nullptr;
}

// Something that must be looked at regularly. poll() handles what has arrived, does not block, and
// returns how many events it handled. It may be entered again from the upcalls it makes.
class Poller {
 public:
  virtual int poll() noexcept = 0;
  // Before the process announces a sleep: a poller that others must ring for tells them so now.
  virtual void before_sleep() noexcept {}

 protected:
  ~Poller() = default;
};

class Progress {
 public:
  virtual void add(
      Poller& poller) noexcept = 0;  // at the end of the round; removal is legal inside a round
  virtual void remove(Poller& poller) noexcept = 0;
  // A descriptor whose readiness (EPOLLIN, EPOLLOUT as in epoll(7)) ends a sleep. The poller
  // concerned reads it. Again with other events: replaces them.
  virtual Status watch(int descriptor, std::uint32_t events) noexcept = 0;
  virtual void unwatch(int descriptor) noexcept = 0;
  // Marks at once, not only at the next pause of a wait, the peers that the launcher knows to be
  // dead.
  virtual void notice_failures() noexcept {}

  // One round over all pollers; the number of events handled.
  int poll() noexcept {
    int events = 0;
    for (std::uint32_t i = 0; i < count_; ++i) events += pollers_[i]->poll();
    return events;
  }

  // Several threads may call MPI: whoever holds the engine must not keep it while it yields.
  bool several_threads() const noexcept { return several_threads_.load(std::memory_order_relaxed); }

  // What a thread waits for.
  struct Condition {
    bool (*holds)(void* what) noexcept;  // null: only the waiting thread knows
    void* what;
  };

  // Makes progress until done() holds. done() is cheap, makes no progress itself, and is not called
  // again once it said yes; with several threads another one may call it, under the lock.
  template <class Done>
  void wait_until(Done&& done) noexcept {
    wait(done, condition_of(done));
  }
  // The same for a done() that polls, or is for this thread alone.
  template <class Done>
  void wait_trying(Done&& done) noexcept {
    wait(done, {nullptr, nullptr});
  }

  // How many peers the launcher has told this process to be dead; mostly none, and then nobody
  // needs to look at Peer::failed.
  std::uint32_t deaths() const noexcept { return deaths_; }

  // The same for something that others must do: peer_failed as soon as lost() holds and done() does
  // not. lost() is cheap and looks at Peer::failed of those others.
  template <class Done, class Lost>
  Status wait_until(Done&& done, Lost&& lost) noexcept {
    bool known = false;
    auto over = [&] { return (known = done()) || lost(); };
    for (std::uint32_t idle_rounds = 0; !known && !done();) {
      if (poll() > 0) {
        idle_rounds = 0;
        continue;
      }
      if (done()) break;
      if (lost()) return Errc::peer_failed;
      static_cast<void>(idle(++idle_rounds, condition_of(over)));
    }
    return {};
  }

  // The same for something that `peer` must do.
  template <class Done>
  Status wait_for(const Peer& peer, Done&& done) noexcept {
    return wait_until(done, [&peer] { return peer.failed.load(std::memory_order_relaxed); });
  }

 protected:
  ~Progress() = default;
  // One step of adaptive waiting after `rounds` rounds without an event: pause, yield, or sleep.
  // True: another thread has found the condition to hold.
  virtual bool idle(std::uint32_t rounds, const Condition& condition) noexcept = 0;
  Poller* const* pollers_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t deaths_ = 0;
  std::atomic<bool> several_threads_{false};

 private:
  template <class Done>
  static Condition condition_of(Done& done) noexcept {
    using Plain = std::remove_const_t<Done>;
    return {[](void* what) noexcept -> bool { return (*static_cast<Plain*>(what))(); },
            const_cast<Plain*>(std::addressof(done))};
  }
  template <class Done>
  void wait(Done&& done, const Condition& condition) noexcept {
    for (std::uint32_t idle_rounds = 0; !done();) {
      if (poll() > 0) {
        idle_rounds = 0;
        continue;
      }
      if (done() || idle(++idle_rounds, condition)) return;
    }
  }
};

// Exchange of addresses between processes before they can send to each other. Keys are short texts
// such as "btl.tcp".
class Bootstrap {
 public:
  // Makes `value` (at most 2,048 bytes over all keys of a process) visible to all peers; each key
  // once.
  virtual Status publish(std::string_view key, std::span<const std::byte> value) noexcept = 0;
  // What `peer` published; waits until that peer has finished publishing (it opens all its
  // components first). not_found: it did not publish this key; peer_failed: it died before. The
  // bytes stay valid until the Instance ends.
  virtual Result<std::span<const std::byte>> lookup(const Peer& peer,
                                                    std::string_view key) noexcept = 0;

 protected:
  ~Bootstrap() = default;
};

}  // namespace tessera
