// SPDX-License-Identifier: BSD-3-Clause
// What one process did to one window: calls, bytes and time, by kind and target.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/osc.h"

namespace tessera::osc::monitoring {

enum class What : std::uint8_t {
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  flush,
  flush_local,
  sync,
  fence,
  post,
  start,
  complete,
  wait,
  test,
  lock,
  unlock,
  lock_all,
  unlock_all
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(What::unlock_all) + 1;

struct Sum {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t time_ns = 0;  // inside the call; an operation may go on after it
};

// A target costs memory when it is first met; where there is none, its calls are only counted as
// lost.
class Account {
 public:
  // bad_alloc: a window of that many ranks is too large.
  explicit Account(int ranks) : targets_(static_cast<std::size_t>(ranks) + 1) {}

  // kAll: the call names no target, or all of them.
  void add(What what, int target, std::uint64_t bytes, std::uint64_t time_ns) noexcept;
  // A line per kind and target with what stands before each of them; empty: nothing was called.
  std::string report(std::string_view before) const;

 private:
  using Target = std::array<Sum, kKinds>;
  std::vector<std::unique_ptr<Target>> targets_;  // of rank i at i + 1; kAll first
  std::uint64_t lost_ = 0;
};

}  // namespace tessera::osc::monitoring
