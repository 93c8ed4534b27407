// SPDX-License-Identifier: BSD-3-Clause
// Values of performance variables and listeners to events, beyond the life of who has them:
// Collector.
#pragma once
//
// Contract. The tools interface owns one Collector per process; Instances come and go under it. It
// knows which components are loaded, asks the one concerned when a value is read, and keeps the
// last values when it leaves. A variable whose owner was never loaded is 0.
//
// Threads. Any thread may call anything. Reading calls measure() of a component with the mutex
// held; the caller holds the engine's lock where there is one (api/tool/state.h), and takes it
// first. Listeners are called with a mutex of their own, by the thread that raises the event; they
// may call anything here. A thread with a lock that listeners take has to take theirs first
// (keep_listeners).
//
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "framework/watcher.h"

namespace tessera {

struct Occurrence {
  std::int64_t time_ns = 0;  // event_clock()
  std::span<const std::int64_t> elements;
};

// The monotonic clock of the system.
std::int64_t event_clock() noexcept;

class Listener {
 public:
  virtual void happened(const Occurrence& occurrence) noexcept = 0;

 protected:
  ~Listener() = default;
};

// The extreme that one reader of a watermark has seen.
struct Mark {
  bool high = true;
  std::uint64_t extreme = 0;
};

class Collector final : public Watcher {
 public:
  Collector();
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  void joined(const std::string& owner, Component& component) override;
  void left(const std::string& owner, Component& component) noexcept override;
  Events& events_of(const std::string& owner) override;

  // Whether a component of this framework was loaded since the last forget().
  bool opened(std::string_view framework) const;
  // A new Instance begins.
  void forget_opened();

  // A variable's last values, and whom to ask for them. It lives as long as the Collector.
  struct Cell;
  // `name` without the owner's prefix.
  Cell& cell(const std::string& owner, std::string_view name);

  // The present values: one, or one per peer.
  std::vector<std::uint64_t> read(Cell& cell);
  // Of whichever component of the framework has it; empty: none does.
  std::vector<std::uint64_t> read_of(std::string_view framework, std::string_view name);

  // From now on the mark follows the watermark, beginning with the present level. add_mark()
  // again: begins anew.
  void add_mark(Cell& cell, Mark& mark);
  void remove_mark(Mark& mark);

  // Until ignore() the listener hears of event `number` of the owner.
  void listen(const std::string& owner, unsigned number, Listener& listener);
  void ignore(Listener& listener);
  // Meanwhile only this thread calls listeners.
  std::unique_lock<std::recursive_mutex> keep_listeners();
  // Whether this thread is in a listener.
  bool calls_listener() const noexcept { return caller_.load() == std::this_thread::get_id(); }

 private:
  struct Owner;
  class OwnerEvents;

  Owner& owner(std::string_view name);

  mutable std::recursive_mutex mutex_;
  std::map<std::string, std::unique_ptr<Owner>, std::less<>> owners_;
  std::mutex events_mutex_;  // of the map of those who raise them; the last one taken
  std::map<std::string, std::unique_ptr<OwnerEvents>, std::less<>> events_;
  std::recursive_mutex listeners_;
  std::atomic<std::thread::id> caller_{};  // who calls listeners
};

}  // namespace tessera
