// SPDX-License-Identifier: BSD-3-Clause
// Keeps the memory of deleted objects.
#include "core/object/freed_objects.h"

#include <array>
#include <mutex>
#include <new>
#include <utility>

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
    const std::lock_guard lock(mutex_);
    Ring& ring = rings_[static_cast<std::uint32_t>(kind) % kKinds];
    void* const oldest = std::exchange(ring.memory[ring.next], memory);
    ring.next = (ring.next + 1) % (kind == ObjectKind::request ? kKeptRequests : kKept);
    return oldest;
  }

 private:
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kKeptRequests = 16;
  static constexpr std::size_t kKinds = 16;
  struct Ring {
    std::array<void*, kKept> memory{};
    std::size_t next = 0;
  };
  std::mutex mutex_;
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
