// SPDX-License-Identifier: BSD-3-Clause
// BufferPool: blocks in steps of 64 bytes, kept for reuse up to a bound.
#include "pool.h"

#include <cstdlib>

namespace tessera::ob1 {

BufferPool::~BufferPool() {
  for (Free* list : free_) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
}

void* BufferPool::take(std::size_t bytes) noexcept {
  const std::size_t size_class = grains(bytes);
  const std::size_t rounded = size_class * kGrain;
  void* block = nullptr;
  if (size_class < kClasses && free_[size_class] != nullptr) {
    block = std::exchange(free_[size_class], free_[size_class]->next);
    kept_ -= rounded;
  } else {
    block = std::malloc(rounded);
  }
  if (block == nullptr) return nullptr;
  in_use_ += rounded;
  if (in_use_ > peak_) peak_ = in_use_;
  if (in_use_ > recent_peak_) recent_peak_ = in_use_;
  return block;
}

void BufferPool::give(void* block, std::size_t bytes) noexcept {
  const std::size_t size_class = grains(bytes);
  const std::size_t rounded = size_class * kGrain;
  in_use_ -= rounded;
  if (size_class >= kClasses || kept_ + rounded > limit()) {
    std::free(block);
    return;
  }
  free_[size_class] = ::new (block) Free{free_[size_class]};
  kept_ += rounded;
}

}  // namespace tessera::ob1
