// SPDX-License-Identifier: BSD-3-Clause
// The list of pollers, also where memory is out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "core/progress/progress.h"

namespace {

thread_local bool memory_is_out = false;

void* allocate(std::size_t bytes) noexcept {
  return memory_is_out ? nullptr : std::malloc(bytes);
}

}  // namespace

// For the whole program, the engine included. Also the form that throws nothing: that of a
// sanitizer does not call this one.
void* operator new(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
// Not inlined: a compiler may take memory of new that is freed for a mistake.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tessera {
namespace {

class OneEvent final : public Poller {
 public:
  int poll() noexcept override { return 1; }
};

TEST(Pollers, AreAddedWhereMemoryIsOut) {
  std::vector<OneEvent> pollers(1'000);
  AdaptiveProgress progress(WaitPolicy::sleep_at_once(), nullptr);
  std::size_t added = 0;
  const auto add = [&](std::size_t count) {
    for (const std::size_t end = added + count; added < end; ++added) progress.add(pollers[added]);
    EXPECT_EQ(progress.poll(), static_cast<int>(added));
  };
  add(1);
  memory_is_out = true;
  add(30);
  memory_is_out = false;
  add(100);
  memory_is_out = true;
  add(130);
  memory_is_out = false;
  add(pollers.size() - added);
  for (OneEvent& poller : pollers) progress.remove(poller);
  EXPECT_EQ(progress.poll(), 0);
}

}  // namespace
}  // namespace tessera
