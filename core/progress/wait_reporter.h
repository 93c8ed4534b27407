// SPDX-License-Identifier: BSD-3-Clause
// Answers mpiexec, which asks what this process waits for: WaitReporter.
#pragma once

#include <span>

#include "core/progress/progress.h"
#include "core/progress/wait_report.h"

namespace tessera {

class Instance;

// One per Instance. tell() runs on a thread that is about to sleep, under the engine's lock; it
// neither communicates nor waits.
class WaitReporter final : public WaitTeller {
 public:
  WaitReporter(Instance& instance, WaitQuestion& question) noexcept
      : instance_(instance), question_(question) {}
  void tell(const WaitNotes& notes) noexcept override;

 private:
  Instance& instance_;
  WaitQuestion& question_;
  WaitReport* report_ = nullptr;  // once it was asked for
};

// The calls that led into the library, as in WaitReport::places.
void write_places(std::span<char> text) noexcept;
// One line of it, for the call that returns to `caller`: its length; 0: nobody knows the place, or
// there is no room.
std::size_t write_place(const void* caller, std::span<char> text) noexcept;

// WaitReport::sent, of messages on the communicators that are known.
void write_sends(const Instance& instance, std::span<const Communicator* const> known,
                 std::span<char> text) noexcept;

// WaitReport::inventory: what went between this process and others as messages, its windows and its
// files. Of an engine with tools only, the traffic: it is what they count.
void write_inventory(Instance& instance, std::span<char> text) noexcept;

}  // namespace tessera
