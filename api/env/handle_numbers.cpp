// SPDX-License-Identifier: BSD-3-Clause
// The table behind HandleNumbers.
#include "api/env/handle_numbers.h"

#include <mutex>

#include "api/handle.h"

namespace tessera::api {
namespace {

constexpr int first_number = static_cast<int>(predefined_end);

}  // namespace

HandleNumbers& HandleNumbers::instance() {
  static HandleNumbers& numbers =
      *new HandleNumbers;  // never destroyed: exit handlers may still convert
  return numbers;
}

int HandleNumbers::number(std::uintptr_t handle) {
  if (handle < predefined_end) return static_cast<int>(handle);
  {
    const std::shared_lock lock(mutex_);
    const auto known = numbers_.find(handle);
    if (known != numbers_.end()) return known->second;
  }
  const std::unique_lock lock(mutex_);
  const auto [entry, is_new] =
      numbers_.emplace(handle, first_number + static_cast<int>(handles_.size()));
  if (is_new) handles_.push_back(handle);
  return entry->second;
}

std::uintptr_t HandleNumbers::handle(int number) const {
  if (number < 0) return 0;
  if (number < first_number) return static_cast<std::uintptr_t>(number);
  const std::shared_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(number - first_number);
  return index < handles_.size() ? handles_[index] : 0;
}

}  // namespace tessera::api
