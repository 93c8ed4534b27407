// SPDX-License-Identifier: BSD-3-Clause
// The table behind HandleNumbers.
#include "api/env/handle_numbers.h"

#include <bit>
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

HandleNumbers::Place HandleNumbers::place_of(std::size_t index) noexcept {
  const std::size_t counted = index + kFirstBlock;
  const auto block = static_cast<std::size_t>(std::bit_width(counted / kFirstBlock)) - 1;
  return {block, counted - (kFirstBlock << block)};
}

// Readers see the new size after the handle only.
void HandleNumbers::append(std::uintptr_t handle) {
  const std::size_t index = size_.load(std::memory_order_relaxed);
  const Place place = place_of(index);
  if (place.offset == 0) {
    blocks_[place.block].store(new std::uintptr_t[kFirstBlock << place.block],
                               std::memory_order_release);
  }
  blocks_[place.block].load(std::memory_order_relaxed)[place.offset] = handle;
  size_.store(index + 1, std::memory_order_release);
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
      numbers_.emplace(handle, first_number + static_cast<int>(size_.load()));
  if (is_new) append(handle);
  return entry->second;
}

std::uintptr_t HandleNumbers::handle(int number) const {
  if (number < 0) return 0;
  if (number < first_number) return static_cast<std::uintptr_t>(number);
  const auto index = static_cast<std::size_t>(number - first_number);
  if (index >= size_.load(std::memory_order_acquire)) return 0;
  const Place place = place_of(index);
  return blocks_[place.block].load(std::memory_order_acquire)[place.offset];
}

}  // namespace tessera::api
