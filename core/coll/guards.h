// SPDX-License-Identifier: BSD-3-Clause
// The components that stand in front of collectives, and their guards of one communicator:
// Interposers, Guards.
#pragma once

#include <memory>
#include <vector>

#include "core/coll/services.h"
#include "framework/framework.h"

namespace tessera::coll {

// Of one communicator; lives as long as its Table.
class Guards {
 public:
  Guards(const std::vector<Interposer*>& interposers, Communicator& comm);
  Guards(const Guards&) = delete;
  Guards& operator=(const Guards&) = delete;
  ~Guards();

  bool any() const noexcept { return !entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  Guard& operator[](std::size_t i) const noexcept { return *entries_[i].guard; }

  // As those of a Guard, for all of them.
  template <class What>
  Status enter(const What& what, CallForm form) const noexcept {
    for (const Entry& entry : entries_) {
      if (Status s = entry.guard->enter(what, form); !s) return s;
    }
    return {};
  }
  void begin() const noexcept {
    for (const Entry& entry : entries_) entry.guard->begin();
  }
  void end() const noexcept {
    for (const Entry& entry : entries_) entry.guard->end();
  }
  Status leave(Status outcome) const noexcept {
    for (const Entry& entry : entries_) outcome = entry.guard->leave(outcome);
    return outcome;
  }

 private:
  struct Entry {
    Interposer* owner;
    Guard* guard;
  };
  std::vector<Entry> entries_;
};

// Of one process.
class Interposers {
 public:
  // Loads and opens those that are wanted; null when there are none. `host` is the engine's,
  // without parameters. Errc::refused when one that the user named cannot be used.
  static Result<std::unique_ptr<Interposers>> make(const Microkernel& kernel, const Host& host,
                                                   AdaptiveProgress& progress, Boot& boot,
                                                   Explanation& explanation);

  std::unique_ptr<Guards> guard(Communicator& comm) const;
  void flush() const noexcept;
  void finish(Communicator& world) const noexcept;
  void hear_out() const noexcept;

 private:
  Interposers(const Microkernel& kernel, const Host& host, AdaptiveProgress& progress, Boot& boot)
      : services_(progress, boot), framework_(kernel, "coll", static_cast<int>(host.job.my_id())) {}
  Status open(const Host& host, Member& member);

  EngineServices services_;
  Framework<Interposer> framework_;
  std::vector<Interposer*> opened_;  // that of lowest priority first
};

}  // namespace tessera::coll
