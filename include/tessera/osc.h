// SPDX-License-Identifier: BSD-3-Clause
// osc: one-sided communication. Carries out what is done to a window and how its epochs end.
#pragma once
//
// Contract. Components are opened on the first window of a process. For each new window the engine
// asks all of them at all processes whether they can serve it (judge), with the same Question up to
// what a process alone can know; of those that accept everywhere it takes the one of highest
// priority, calls make() at all processes, and uses the module until the window is freed. The
// module belongs to the caller of make(). Nobody uses a window before make() has returned
// everywhere, but a packet of Channel::osc may arrive for it before it has returned here.
//
// What the engine guarantees. Arguments are right: ranks are in the group, types are committed,
// operations fit types, sizes of origin and target agree, counts are positive, MPI_PROC_NULL is
// filtered out. An operation is issued only in an epoch that admits it, and epochs are begun and
// ended in a legal order. Accesses lie in the target's memory, except for dynamic windows, where
// only the owner knows. A module sees none of the errors of MPI-5.0 §12.6 but those that only the
// target can see; it reports them, as `argument`, at the call or at the latest at the one that
// completes the operation.
//
// Operations. They may return before they are done, and then say so to the Ticket if one is given:
// hold() before the return, done() once, when the origin's buffers are free and results are there.
// Types are held by the module as long as it needs them. Accumulates (all four calls) are atomic
// per element, whichever operations and processes meet at a location, and those of one origin
// happen in the order issued. Displacements are in bytes: from the base of the target's memory, or
// addresses at the target for dynamic windows.
//
// Synchronisation has the meaning of MPI-5.0 §12.5; the calls wait where MPI allows it. Waiting
// goes through Progress, since others may need an answer from this process meanwhile.
//
// Interposing. A component whose manifest has the fact "interposes" (always, or the short name of a
// boolean parameter of the component, which must then be true unless the user names the component)
// does not compete: its wrap() answers with a module in front of the one that serves the window,
// which it owns from then on. Interposer is what such a module derives from.
//
// Threads. One at a time, as everything (peer.h).
//
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "tessera/comm.h"
#include "tessera/component.h"

#define TESSERA_INTERFACE_osc 12

namespace tessera::btl {
class Sink;  // tessera/btl.h
}
namespace tessera::pml {
class Router;  // tessera/pml.h
}

namespace tessera::osc {

enum class Flavor : std::uint8_t { create = 1, allocate, dynamic, shared };

// What a process gives to the window.
struct Part {
  Aint size = 0;           // bytes
  Aint unit = 1;           // of displacements, in bytes
  std::uint64_t base = 0;  // address at the owner; 0 until the module has allocated it
};

// Hints that modules act upon (MPI-5.0 §12.2.1), equal at all processes where MPI demands it.
struct Hints {
  bool no_locks = false;
  bool noncontiguous = false;     // alloc_shared_noncontig
  std::uint64_t alignment = 0;    // mpi_minimum_memory_alignment; 0: the module's choice
  std::uint64_t granularity = 0;  // mpi_accumulate_granularity, bytes; 0: the module's choice
  bool same_operation = false;    // accumulate_ops = same_op
};

inline constexpr int kAll = -1;  // instead of a rank: all of them

// How this process stands to `rank`, for reports on hangs.
struct Standing {
  enum class Kind : std::uint8_t {
    holds_exclusive,  // it holds the lock of its memory (kAll: of all)
    holds_shared,
    posted,  // which has posted for it, and no start that has returned has met that
    awaited  // whose post a start waits for
  };
  Kind kind;
  int rank;
};
class Surveyor {
 public:
  virtual void see(const Standing& standing) noexcept = 0;

 protected:
  ~Surveyor() = default;
};

class Waiting;

class Window : public Object {
 public:
  Flavor flavor() const noexcept { return flavor_; }
  // Of the window alone: ranks, peers, a context that no other traffic has, progress.
  Communicator& comm() const noexcept { return *comm_; }
  int rank() const noexcept { return comm_->rank(); }
  int size() const noexcept { return comm_->size(); }
  // The same number at all processes, never used again in the job.
  std::uint64_t number() const noexcept { return comm_->context(); }
  const Part& part(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)]; }
  const Part& own() const noexcept { return part(rank()); }
  const Hints& hints() const noexcept { return hints_; }

  // For make(): the base of this process's memory, where the module allocates it.
  void set_base(void* base) noexcept {
    parts_[static_cast<std::size_t>(rank())].base = reinterpret_cast<std::uintptr_t>(base);
  }
  // For make() and free(), collective: all[i * bytes ...] is what process i gave.
  virtual Status allgather(const void* mine, std::size_t bytes, void* all) noexcept = 0;
  // For modules that wait for memory where nobody rings (Peer::bell is null): this process looks
  // up every millisecond from now on.
  virtual void look_up_regularly() noexcept = 0;
  // For make() of modules whose targets serve others: from the end of the call that makes the
  // window a thread of the engine makes progress while the program computes.
  virtual void serve_while_computing() noexcept = 0;
  // For Waiting.
  virtual void begin_wait(const Waiting& waiting) noexcept = 0;
  virtual void end_wait(const Waiting& waiting) noexcept = 0;

 protected:
  Window() noexcept : Object(ObjectKind::window) {}
  Communicator* comm_ = nullptr;
  Part* parts_ = nullptr;
  Hints hints_;
  Flavor flavor_ = Flavor::create;
};

// What a module waits for, said for the time of a wait that may sleep: for reports on hangs, too.
// Where nothing is said, it may be any call of any process.
class Waiting {
 public:
  enum class What : std::uint8_t {
    exclusive_lock,  // of the memory of a rank
    shared_lock,     // likewise, or of all
    posts,           // of those that survey() calls awaited
    completions,     // of the exposure epoch
    arrivals,        // of all processes in the same call
    answer           // of a rank, which need be in no call for it
  };
  Waiting(Window& window, What what, int rank = kAll) noexcept
      : window_(window), what_(what), rank_(rank) {
    window.begin_wait(*this);
  }
  ~Waiting() { window_.end_wait(*this); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  Window& window() const noexcept { return window_; }
  What what() const noexcept { return what_; }
  int rank() const noexcept { return rank_; }

 private:
  Window& window_;
  What what_;
  int rank_;
};

// Data at the origin.
struct Local {
  void* buffer;  // written only where a result goes
  Count count;
  const Datatype* type;
};
// Data at a target.
struct Remote {
  int rank;
  Aint displacement;
  Count count;
  const Datatype* type;
};

// What an accumulate does to each element.
struct Combination {
  enum class Kind : std::uint8_t { replace, no_op, reduce };
  Kind kind;
  op::Operation operation;  // of `reduce`, as are the next two
  Number number;            // of the element; none for pairs
  const Op* op;
  const Datatype* element;  // the basic datatype or pair that origin and target consist of
  // The same in numbers that all processes understand.
  std::uint16_t op_number;
  std::uint16_t element_number;
};
// The combination of these numbers at this process; false: there is none.
bool find_combination(std::uint16_t op_number, std::uint16_t element_number,
                      Combination& how) noexcept;

// The regions may overlap.
void copy_longer_bytes(void* to, const void* from, std::size_t bytes) noexcept;
// A few bytes as one store, so that nobody sees half of a word.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  const auto aligned = [&](std::size_t n) {
    return bytes == n && reinterpret_cast<std::uintptr_t>(to) % n == 0;
  };
  if (aligned(8)) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    __atomic_store_n(static_cast<std::uint64_t*>(to), word, __ATOMIC_RELAXED);
  } else if (aligned(4)) {
    std::uint32_t word;
    std::memcpy(&word, from, 4);
    __atomic_store_n(static_cast<std::uint32_t*>(to), word, __ATOMIC_RELAXED);
  } else if (aligned(2)) {
    std::uint16_t word;
    std::memcpy(&word, from, 2);
    __atomic_store_n(static_cast<std::uint16_t*>(to), word, __ATOMIC_RELAXED);
  } else {
    copy_longer_bytes(to, from, bytes);
  }
}

// How an operation that is not done at its return says that it is.
class Ticket {
 public:
  virtual void hold() noexcept = 0;
  virtual void done(Status outcome) noexcept = 0;

 protected:
  ~Ticket() = default;
};

// Assertions (MPI-5.0 §12.5.5); the values are those of the ABI.
enum Assertion : int {
  no_check = 1024,
  no_precede = 2048,
  no_put = 4096,
  no_store = 8192,
  no_succeed = 16384
};
enum class Lock : std::uint8_t { exclusive, shared };

class Module {
 public:
  virtual ~Module() = default;

  virtual Status put(const Local& from, const Remote& to, Ticket* ticket) noexcept = 0;
  virtual Status get(const Local& into, const Remote& from, Ticket* ticket) noexcept = 0;
  virtual Status accumulate(const Local& from, const Remote& to, const Combination& how,
                            Ticket* ticket) noexcept = 0;
  // `from` counts for nothing with no_op.
  virtual Status get_accumulate(const Local& from, const Local& result, const Remote& to,
                                const Combination& how, Ticket* ticket) noexcept = 0;
  // One element of how.element; MPI_Fetch_and_op.
  virtual Status fetch(const void* from, void* result, int rank, Aint displacement,
                       const Combination& how) noexcept = 0;
  // One element of 1, 2, 4, 8 or 16 bytes.
  virtual Status compare_and_swap(const void* from, const void* compare, void* result,
                                  const Datatype& type, int rank, Aint displacement) noexcept = 0;

  // Waits until what this process issued to `rank`, or to all, is done at the target too, or only
  // at the origin.
  virtual Status flush(int rank) noexcept = 0;
  virtual Status flush_local(int rank) noexcept = 0;
  virtual Status sync() noexcept = 0;

  virtual Status fence(int assertions) noexcept = 0;
  virtual Status post(std::span<const int> origins, int assertions) noexcept = 0;
  virtual Status start(std::span<const int> targets, int assertions) noexcept = 0;
  virtual Status complete(std::span<const int> targets) noexcept = 0;  // as given to start()
  virtual Status wait(std::span<const int> origins) noexcept = 0;      // as given to post()
  virtual Result<bool> test(std::span<const int> origins) noexcept = 0;
  virtual Status lock(Lock kind, int rank, int assertions) noexcept = 0;
  virtual Status unlock(int rank) noexcept = 0;
  virtual Status lock_all(int assertions) noexcept = 0;
  virtual Status unlock_all() noexcept = 0;

  // Dynamic windows. The engine has seen to it that regions do not overlap.
  virtual Status attach(void* base, Aint bytes) noexcept = 0;
  virtual Status detach(const void* base) noexcept = 0;

  // Where this process can load and store the memory of `rank`; null: nowhere.
  virtual void* address(int rank) const noexcept = 0;
  // Where put() and get() are copies that are done at their return and none of the module's
  // business: the memory of all ranks as this process loads and stores it. The engine, which asks
  // when it gets the module, then makes copies of contiguous data by itself (copy_bytes). Empty:
  // it calls put() and get(). Owned by the module.
  virtual std::span<std::byte* const> direct() const noexcept { return {}; }
  // Collective: returns when nobody will access this process's memory through the window any more;
  // memory that the module allocated is gone then.
  virtual Status free() noexcept = 0;
  // For --explain: how the window is served. Owned by the module.
  virtual const char* describe() const noexcept { return ""; }
  // Tells all that another process may wait for, or this one; while it waits. Neither waits nor
  // communicates.
  virtual void survey(Surveyor&) const noexcept {}
};

// A module that passes every call on to the one below.
class Interposer : public Module {
 public:
  explicit Interposer(std::unique_ptr<Module> below) noexcept : below_(std::move(below)) {}
  Module& below() const noexcept { return *below_; }

  Status put(const Local& from, const Remote& to, Ticket* ticket) noexcept override {
    return below_->put(from, to, ticket);
  }
  Status get(const Local& into, const Remote& from, Ticket* ticket) noexcept override {
    return below_->get(into, from, ticket);
  }
  Status accumulate(const Local& from, const Remote& to, const Combination& how,
                    Ticket* ticket) noexcept override {
    return below_->accumulate(from, to, how, ticket);
  }
  Status get_accumulate(const Local& from, const Local& result, const Remote& to,
                        const Combination& how, Ticket* ticket) noexcept override {
    return below_->get_accumulate(from, result, to, how, ticket);
  }
  Status fetch(const void* from, void* result, int rank, Aint displacement,
               const Combination& how) noexcept override {
    return below_->fetch(from, result, rank, displacement, how);
  }
  Status compare_and_swap(const void* from, const void* compare, void* result, const Datatype& type,
                          int rank, Aint displacement) noexcept override {
    return below_->compare_and_swap(from, compare, result, type, rank, displacement);
  }
  Status flush(int rank) noexcept override { return below_->flush(rank); }
  Status flush_local(int rank) noexcept override { return below_->flush_local(rank); }
  Status sync() noexcept override { return below_->sync(); }
  Status fence(int assertions) noexcept override { return below_->fence(assertions); }
  Status post(std::span<const int> origins, int assertions) noexcept override {
    return below_->post(origins, assertions);
  }
  Status start(std::span<const int> targets, int assertions) noexcept override {
    return below_->start(targets, assertions);
  }
  Status complete(std::span<const int> targets) noexcept override {
    return below_->complete(targets);
  }
  Status wait(std::span<const int> origins) noexcept override { return below_->wait(origins); }
  Result<bool> test(std::span<const int> origins) noexcept override {
    return below_->test(origins);
  }
  Status lock(Lock kind, int rank, int assertions) noexcept override {
    return below_->lock(kind, rank, assertions);
  }
  Status unlock(int rank) noexcept override { return below_->unlock(rank); }
  Status lock_all(int assertions) noexcept override { return below_->lock_all(assertions); }
  Status unlock_all() noexcept override { return below_->unlock_all(); }
  Status attach(void* base, Aint bytes) noexcept override { return below_->attach(base, bytes); }
  Status detach(const void* base) noexcept override { return below_->detach(base); }
  void* address(int rank) const noexcept override { return below_->address(rank); }
  Status free() noexcept override { return below_->free(); }
  const char* describe() const noexcept override { return below_->describe(); }
  void survey(Surveyor& surveyor) const noexcept override { below_->survey(surveyor); }

 private:
  std::unique_ptr<Module> below_;
};

struct Question {
  Flavor flavor;
  Communicator& comm;  // of the window
  const Hints& hints;
  bool memory;  // whether any process gives memory of its own (create, dynamic)
};

class Component : public tessera::Component {
 public:
  virtual Status open(const Host& host, pml::Router& router) noexcept = 0;
  // Who receives the packets of Channel::osc; null if nobody of this component does.
  virtual btl::Sink* sink() noexcept { return nullptr; }
  // Whether this component can serve the window, as far as this process knows: ok, or why not.
  virtual Status judge(const Question& question) noexcept = 0;
  // Collective. The window outlives the module.
  virtual Result<std::unique_ptr<Module>> make(Window& window) noexcept = 0;
  // Of an interposer: a module in front of `below`.
  virtual Result<std::unique_ptr<Module>> wrap(Window& /*window*/,
                                               std::unique_ptr<Module>& /*below*/) noexcept {
    return Errc::unsupported;
  }
  // Before the process ends: whether all that was to be sent has been handed to the btls.
  virtual bool drained() noexcept { return true; }
};

}  // namespace tessera::osc
