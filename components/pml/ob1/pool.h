// SPDX-License-Identifier: BSD-3-Clause
// Memory that is used again and again: Pool<T> for objects of one type, ReadyPool<T> for objects
// that stay constructed, BufferPool for blocks of any size.
#pragma once
//
// Contract. All keep what is given back for the next taker, so that a steady flow of messages
// allocates nothing. They are entered by one thread at a time. A taker that gets null is out of
// memory. All objects must be back before a Pool is destroyed, except in a process that ends with
// operations pending: those are then freed without being destroyed.
//
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace tessera::ob1 {

template <class T>
class Pool {
 public:
  Pool() noexcept = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    while (blocks_ != nullptr) delete std::exchange(blocks_, blocks_->next);
  }

  template <class... Args>
  T* make(Args&&... args) noexcept {
    if (free_ == nullptr) [[unlikely]]
      grow();
    if (free_ == nullptr) [[unlikely]]
      return nullptr;
    Slot* slot = std::exchange(free_, free_->next);
    return ::new (static_cast<void*>(slot->bytes)) T(std::forward<Args>(args)...);
  }

  void recycle(T& object) noexcept {
    Slot* slot = reinterpret_cast<Slot*>(&object);
    object.~T();
    slot->next = free_;
    free_ = slot;
  }

 private:
  union Slot {
    Slot* next;
    alignas(T) std::byte bytes[sizeof(T)];
  };
  static constexpr std::size_t kSlots = sizeof(T) > 1024 ? 16 : 64;
  struct Block {
    Slot slots[kSlots];
    Block* next;
  };

  void grow() noexcept {
    auto* block = new (std::nothrow) Block;
    if (block == nullptr) return;
    block->next = blocks_;
    blocks_ = block;
    for (Slot& slot : block->slots) {
      slot.next = free_;
      free_ = &slot;
    }
  }

  Slot* free_ = nullptr;
  Block* blocks_ = nullptr;
};

// Hands out objects as they were given back: to set up a request anew costs a third of constructing
// it. T has members `next_ready` and `number`, its place in the pool for ever, and a constructor
// from `owner`. At the end objects that were given back are destroyed, and all memory is freed.
template <class T>
class ReadyPool {
 public:
  ReadyPool() noexcept = default;
  ReadyPool(const ReadyPool&) = delete;
  ReadyPool& operator=(const ReadyPool&) = delete;
  ~ReadyPool() {
    while (ready_ != nullptr) std::exchange(ready_, ready_->next_ready)->~T();
    for (std::uint32_t i = 0; i < used_; ++i) delete blocks_[i];
    delete[] blocks_;
  }

  template <class Owner>
  T* take(Owner& owner) noexcept {
    if (ready_ == nullptr) [[unlikely]]
      grow(owner);
    return ready_ != nullptr ? &take_ready() : nullptr;
  }
  bool has_ready() const noexcept { return ready_ != nullptr; }
  T& take_ready() noexcept {
    return *std::exchange(ready_, ready_->next_ready);
  }  // with has_ready()
  void give(T& object) noexcept {
    object.next_ready = ready_;
    ready_ = &object;
  }
  // The object with this number, in use or not; null: there is none.
  T* at(std::uint32_t number) noexcept {
    if (number / kObjects >= used_) return nullptr;
    return reinterpret_cast<T*>(blocks_[number / kObjects]->bytes[number % kObjects]);
  }

 private:
  static constexpr std::uint32_t kObjects = 16;
  struct Block {
    alignas(T) std::byte bytes[kObjects][sizeof(T)];
  };

  template <class Owner>
  [[gnu::noinline]] void grow(Owner& owner) noexcept {
    if (used_ == room_ && !make_room()) return;
    auto* block = new (std::nothrow) Block;
    if (block == nullptr) return;
    std::uint32_t number = used_ * kObjects;
    blocks_[used_++] = block;
    for (auto& place : block->bytes) {
      T& object = *::new (static_cast<void*>(place)) T(owner);
      object.number = number++;
      give(object);
    }
  }
  bool make_room() noexcept {
    const std::uint32_t room = room_ == 0 ? 16 : 2 * room_;
    auto** larger = new (std::nothrow) Block*[room];
    if (larger == nullptr) return false;
    std::copy_n(blocks_, used_, larger);
    delete[] std::exchange(blocks_, larger);
    room_ = room;
    return true;
  }

  T* ready_ = nullptr;
  Block** blocks_ = nullptr;
  std::uint32_t used_ = 0;  // of the places in blocks_
  std::uint32_t room_ = 0;
};

// Blocks in steps of 64 bytes. The pool keeps returned ones: as many bytes as were ever in use
// at once, and `kKeep` at most; the rest returns to the heap. So neither a flood of messages nor a
// long life with messages of all sizes stays in the process for ever.
class BufferPool {
 public:
  static constexpr std::size_t kGrain = 64;
  static constexpr std::size_t kKeep = std::size_t{2} << 20;
  static constexpr std::size_t kKeepAlways = std::size_t{64} << 10;  // for few blocks of many sizes

  BufferPool() noexcept = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  void* take(std::size_t bytes) noexcept;
  void give(void* block, std::size_t bytes) noexcept;  // `bytes` as it was taken

  std::size_t in_use() const noexcept { return in_use_; }  // bytes taken and not given back
  std::size_t peak() const noexcept { return peak_; }      // highest in_use() ever
  std::size_t kept() const noexcept { return kept_; }      // bytes given back and not taken
  // The highest in_use() since this was asked last.
  std::size_t take_recent_peak() noexcept { return std::exchange(recent_peak_, in_use_); }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kClasses = 1100;  // up to 64 KiB and some
  // At least one: a block that is kept holds a link.
  static std::size_t grains(std::size_t bytes) noexcept {
    return bytes == 0 ? 1 : (bytes + kGrain - 1) / kGrain;
  }

  std::size_t limit() const noexcept { return std::clamp(peak_, kKeepAlways, kKeep); }

  Free* free_[kClasses] = {};
  std::size_t kept_ = 0;
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
  std::size_t recent_peak_ = 0;
};

}  // namespace tessera::ob1
