// SPDX-License-Identifier: BSD-3-Clause
// Keeps the memory of deleted objects.
#include "core/object/freed_objects.h"

#include <array>
#include <atomic>
#include <new>

namespace tessera {
namespace {

// What stands where an object was.
class Ended final : public Object {
 public:
  explicit Ended(ObjectKind was) noexcept
      : Object(static_cast<ObjectKind>(static_cast<std::uint32_t>(was) | kEnded)) {}
};

// One per process, as the memory is.
class FreedMemory {
 public:
  // The oldest of that kind, to be freed; may be null.
  void* exchange(void* memory, ObjectKind kind) noexcept {
    Ring& ring = rings_[static_cast<std::uint32_t>(kind) % kKinds];
    const std::size_t place = ring.next.load(std::memory_order_relaxed);
    ring.next.store((place + 1) % (kind == ObjectKind::request ? kKeptRequests : kKept),
                    std::memory_order_relaxed);
    return ring.memory[place].exchange(memory, std::memory_order_acq_rel);
  }

 private:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kKeptRequests = 16;
  static constexpr std::size_t kKinds = 16;
  // Threads at once may come to one place, where each finds what the one before has left.
  struct Ring {
    std::array<std::atomic<void*>, kKept> memory{};
    std::atomic<std::size_t> next{0};
  };
  std::array<Ring, kKinds> rings_{};  // by the last digit of the kind
};

}  // namespace

void keep_freed(void* memory, ObjectKind kind) noexcept {
  static constinit FreedMemory freed;
  if (memory == nullptr) return;
  ::new (memory) Ended(kind);
  ::operator delete(freed.exchange(memory, kind));
}

}  // namespace tessera
