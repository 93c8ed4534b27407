// SPDX-License-Identifier: BSD-3-Clause
// Who talks to whom, and what is pending: Communicator, Request, Message.
#pragma once
//
// Contract. A Communicator is an ordered set of peers and a context that keeps its messages apart
// from all others. Context ids are 64-bit, even, never used twice in a job; context() serves
// point-to-point, context() + 1 collectives. In an intercommunicator peer(i) is the i-th of the
// remote group. Everything here is set when the object is made and constant.
//
// A Request is a pending operation. The layer that starts it owns the object; the holder of the
// handle gives it up with release(), at any time: an active operation then completes by itself.
// finish() is called exactly once per activation; it publishes `status` and runs the continuation,
// which may start further operations.
//
#include <atomic>
#include <cstdint>
#include <memory>

#include "tessera/data.h"
#include "tessera/peer.h"

namespace tessera {

namespace pml {
class Module;
}
class Communicator;

inline constexpr int kAnySource = -1;
inline constexpr int kAnyTag = -2;
inline constexpr int kProcNull = -3;
inline constexpr int kMaxTag = 0x7fff'ffff;

using ContextId = std::uint64_t;

// What MPI_Status says about a message. `bytes` counts data bytes received (or, of a probe, to be
// received).
struct MessageStatus {
  int source = kAnySource;
  int tag = kAnyTag;
  std::uint64_t bytes = 0;
  Status error;
  bool cancelled = false;
};

class Request : public Object {
 public:
  using Continuation = void (*)(Request& request, void* argument) noexcept;

  bool complete() const noexcept { return complete_.load(std::memory_order_acquire); }
  // Persistent requests are inactive between completion and the next start(); inactive ones count
  // as complete.
  bool persistent() const noexcept { return persistent_; }
  bool active() const noexcept { return active_; }
  void deactivate() noexcept { active_ = false; }  // by who has reported the completion
  const MessageStatus& status() const noexcept { return status_; }
  // How it ended, with the text of a failure whichever thread completed it; for who reports it.
  Status error() const noexcept {
    return status_.error.ok() ? Status() : Status::failure(status_.error.code(), failure_text());
  }

  // Runs at completion, on the thread that completes the operation, which holds the engine's lock
  // (peer.h, Threads). At most one, set while incomplete.
  void then(Continuation continuation, void* argument) noexcept {
    continuation_ = continuation;
    argument_ = argument;
  }

  // The communicator whose error handler hears of a failure, or null; kept alive by who sets it.
  Communicator* owner() const noexcept { return owner_; }
  void set_owner(Communicator* owner) noexcept { owner_ = owner; }

  // Persistent ones only, while inactive.
  virtual Status start() noexcept { return Errc::unsupported; }
  virtual void cancel() noexcept {}  // a wish; status().cancelled tells
  virtual void free() noexcept = 0;  // the handle is given up

 protected:
  Request() noexcept : Object(ObjectKind::request) {}
  // As new, for the next use of an object from a pool.
  void renew(bool persistent) noexcept {
    revive(ObjectKind::request);
    owner_ = nullptr;
    active_ = false;
    persistent_ = persistent;
  }
  void begin() noexcept {
    active_ = true;
    complete_.store(false, std::memory_order_relaxed);
  }
  void finish() noexcept {
    Continuation run = continuation_;
    void* argument = argument_;
    continuation_ = nullptr;
    if (!status_.error.ok()) [[unlikely]]
      keep_text();
    complete_.store(true, std::memory_order_release);
    if (run != nullptr) run(*this, argument);
  }
  MessageStatus status_;
  bool persistent_ = false;

 private:
  void keep_text() noexcept;
  const char* failure_text() const noexcept {
    return text_ != nullptr ? text_.get() : status_.error.text();
  }

  Continuation continuation_ = nullptr;
  void* argument_ = nullptr;
  Communicator* owner_ = nullptr;
  std::unique_ptr<char[]> text_;  // of the last failure, by finish()
  std::atomic<bool> complete_{true};
  bool active_ = false;
};

// A matched message that has not been received yet (MPI-5.0 §3.8.2). Consumed by
// pml::Module::imrecv.
class Message : public Object {
 public:
  const MessageStatus& status() const noexcept { return status_; }

 protected:
  Message() noexcept : Object(ObjectKind::message) {}
  MessageStatus status_;
};

class Communicator : public Object {
 public:
  int rank() const noexcept { return rank_; }  // of this process in the local group
  int size() const noexcept { return size_; }  // of the local group
  bool inter() const noexcept { return inter_; }
  int remote_size() const noexcept { return remote_size_; }  // intra: equals size()
  ContextId context() const noexcept { return context_; }
  ContextId collective_context() const noexcept { return context_ + 1; }
  // Where messages to rank i go: the remote group of an intercommunicator, else the group. 0 <= i <
  // remote_size().
  Peer& peer(int i) const noexcept { return *peers_[i]; }
  Peer& local_peer(int i) const noexcept { return *local_peers_[i]; }
  pml::Module& pml() const noexcept { return *pml_; }
  Progress& progress() const noexcept { return *progress_; }
  const Job& job() const noexcept { return *job_; }
  // An intracommunicator of the local group of an intercommunicator, made on first use; collective
  // over that group.
  virtual Result<Communicator*> local() noexcept = 0;
  // The tag of the next collective operation; the same sequence on all processes.
  virtual int next_collective_tag() noexcept = 0;
  virtual const char* name() const noexcept = 0;
  // The value of an info key of this communicator that is a parameter, or null (MPI-5.0 §7.4.4).
  virtual const char* hint(const char* key) const noexcept = 0;

 protected:
  Communicator() noexcept : Object(ObjectKind::communicator) {}
  Peer* const* peers_ = nullptr;
  Peer* const* local_peers_ = nullptr;
  pml::Module* pml_ = nullptr;
  Progress* progress_ = nullptr;
  const Job* job_ = nullptr;
  ContextId context_ = 0;
  int rank_ = 0;
  int size_ = 0;
  int remote_size_ = 0;
  bool inter_ = false;
};

}  // namespace tessera
