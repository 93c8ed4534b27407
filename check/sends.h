// SPDX-License-Identifier: BSD-3-Clause
// From where the program has sent: Sends.
#pragma once
//
// Contract. The latest places and envelopes are kept, each pair once. Nobody here knows which of
// the messages have been received. The engine, in the same process, asks for them by the name of
// tessera_check_send() when mpiexec explains a hang (core/progress/wait_sends.cpp).
//
#include <array>
#include <cstddef>
#include <mutex>

#include "check/call.h"

namespace tessera::check {

class Sends {
 public:
  struct One {
    MPI_Comm comm;
    int dest;
    int tag;
    const void* caller;
    bool operator==(const One&) const noexcept = default;
  };

  void note(const One& send) noexcept;
  // The latest one has index 0. False: there are not so many.
  bool get(int index, One& send) noexcept;

 private:
  std::mutex mutex_;
  std::array<One, 16> latest_{};  // the latest one first
  std::size_t count_ = 0;
};

}  // namespace tessera::check
