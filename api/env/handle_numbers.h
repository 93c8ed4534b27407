// SPDX-License-Identifier: BSD-3-Clause
// Integers that stand for handles, for Fortran and other languages.
#pragma once
//
// A predefined handle is its own number. Every other one gets the next free number when it is first
// asked for, and keeps it: nothing has to be told when an object is freed, and an object that is
// later made at the same address simply has that number. So the table grows with the number of
// addresses, not of objects. Every call of Fortran looks handles up, so that takes no lock: numbers
// lie in blocks that never move, each twice as long as the one before.
//
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <unordered_map>

namespace tessera::api {

class HandleNumbers {
 public:
  // The table of this process. Any thread may use it.
  static HandleNumbers& instance();

  int number(std::uintptr_t handle);
  // 0 for a number that was never given out.
  std::uintptr_t handle(int number) const;

 private:
  static constexpr std::size_t kFirstBlock = 1024;
  struct Place {
    std::size_t block, offset;
  };
  static Place place_of(std::size_t index) noexcept;
  void append(std::uintptr_t handle);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, int> numbers_;
  std::array<std::atomic<std::uintptr_t*>, 22> blocks_{};  // by number, less that of the first
  std::atomic<std::size_t> size_{0};
};

}  // namespace tessera::api
