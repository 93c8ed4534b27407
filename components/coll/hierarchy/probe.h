// SPDX-License-Identifier: BSD-3-Clause
// Whether what lies below carries out an operation by a schedule: Probe.
#pragma once
//
// Contract. Asked with a small call of two processes; the answers are kept. All processes get the
// same.
//
#include <array>

#include "tessera/coll.h"

namespace tessera::coll::hierarchy {

class Probe {
 public:
  bool emits(const Displaced& below, Operation operation) noexcept;

 private:
  enum class Answer : std::uint8_t { unknown, yes, no };
  std::array<Answer, kOperations> answers_{};
};

}  // namespace tessera::coll::hierarchy
