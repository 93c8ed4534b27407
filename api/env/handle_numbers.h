// SPDX-License-Identifier: BSD-3-Clause
// Integers that stand for handles, for Fortran and other languages.
#pragma once
//
// A predefined handle is its own number. Every other one gets the next free number when it is first
// asked for, and keeps it: nothing has to be told when an object is freed, and an object that is
// later made at the same address simply has that number. So the table grows with the number of
// addresses, not of objects.
//
#include <cstdint>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace tessera::api {

class HandleNumbers {
 public:
  // The table of this process. Any thread may use it.
  static HandleNumbers& instance();

  int number(std::uintptr_t handle);
  // 0 for a number that was never given out.
  std::uintptr_t handle(int number) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, int> numbers_;
  std::vector<std::uintptr_t> handles_;  // by number, less that of the first
};

}  // namespace tessera::api
