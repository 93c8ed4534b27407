// SPDX-License-Identifier: BSD-3-Clause
// The osc components of one Instance, the choice among them for a window, and its windows.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/progress/agent.h"
#include "core/rma/window.h"
#include "framework/framework.h"
#include "tessera/btl.h"

namespace tessera {

class BtlRouter;

// What osc components are opened with.
struct OneSidedHost {
  const Job& job;
  AdaptiveProgress& progress;
  Bootstrap& bootstrap;
  pml::Router& router;
  const WaitQuestion* question;  // for the agent; or null
};

class OneSided {
 public:
  OneSided(const Microkernel& kernel, const OneSidedHost& host, btl::Sinks& sinks,
           Explanation* explanation);

  // On the first window. refused: a component that the user named cannot be used.
  Status open();
  // Which components accept, a bit each, in the order that all processes have; and why not.
  std::uint64_t judge(const osc::Question& question, std::vector<std::string>& reasons);
  // Makes the module of the first component in the set. Collective.
  Status make(std::uint64_t accepted, Win& window);
  void explain(const Win& window, const std::vector<std::string>& reasons);
  std::string names() const;

  void add(Win& window) { windows_.emplace(window.number(), &window); }
  void remove(Win& window) noexcept { windows_.erase(window.number()); }
  Win* find(std::uint64_t number) const noexcept {
    const auto found = windows_.find(number);
    return found != windows_.end() ? found->second : nullptr;
  }
  bool any() const noexcept { return !windows_.empty(); }
  // What a module waits for; null: nothing.
  const osc::Waiting* waiting() const noexcept { return waiting_; }
  // `function`: whose note the wait gets, if the call has made none.
  void begin_wait(const osc::Waiting& waiting, const char* function) noexcept;
  void end_wait(const osc::Waiting& waiting) noexcept;
  // For reports on hangs.
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [number, window] : windows_) visit(*window);
  }
  // Notes that a window needs the progress agent.
  void want_agent() noexcept { agent_wanted_ = true; }
  // Starts it if need be; for a thread that is not in the engine, while no other is.
  Status start_agent(AdaptiveProgress& progress) noexcept;
  // Before the engine is left, or used without its lock.
  void stop_agent() noexcept { agent_.reset(); }
  bool drained() noexcept;
  void close() noexcept;

 private:
  Status take_in(Member& member);
  Status wrap(Win& window, std::unique_ptr<osc::Module>& module);

  const Microkernel& kernel_;
  OneSidedHost host_;
  btl::Sinks& sinks_;
  Explanation* explanation_;
  std::unique_ptr<Framework<osc::Component>> framework_;
  std::vector<Member*> competing_;    // highest priority first
  std::vector<Member*> interposers_;  // the innermost first
  std::unordered_map<std::uint64_t, Win*> windows_;
  const osc::Waiting* waiting_ = nullptr;
  WaitNote note_{};  // of a wait in a call that has made none
  bool agent_wanted_ = false;
  std::unique_ptr<ProgressAgent> agent_;  // null: no window needs it
};

}  // namespace tessera
