// SPDX-License-Identifier: BSD-3-Clause
// Shared file pointers: a number in the job segment per file.
#pragma once
//
// Contract. The pointer counts etypes and is moved atomically, whoever moves it, whatever the
// others do meanwhile. Its slot is reserved by rank 0 of the file while it is opened, and given
// back by it after all processes have closed the file. It needs no file, and nothing of it remains
// when the job ends, however it ends. A file opened by one process alone needs no slot.
//
#include <atomic>

#include "core/comm/communicator.h"
#include "tessera/io.h"

namespace tessera::io {

// The slots of a job, in memory that all its processes share.
class PointerSlots {
 public:
  explicit PointerSlots(const Job& job) noexcept;
  bool available() const noexcept { return slots_ != nullptr; }
  // A slot whose number is 0 at first; -1: there is none left.
  int reserve() noexcept;
  void give_back(int slot) noexcept;
  std::atomic<Offset>& pointer(int slot) const noexcept { return slots_[slot].position; }

 private:
  struct Slot {
    std::atomic<Offset> position;
    std::atomic<std::uint32_t> used;
  };
  static constexpr int kSlots = 4096;
  Slot* slots_ = nullptr;
};

class SharedPointer {
 public:
  // Of a file of one process.
  SharedPointer() noexcept : place_(&own_) {}
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;

  // Null: there is no memory that all processes of the file share.
  void use(std::atomic<Offset>* place) noexcept { place_ = place; }
  bool available() const noexcept { return place_ != nullptr; }
  Offset fetch_and_add(Offset etypes) noexcept { return place_->fetch_add(etypes); }
  Offset get() const noexcept { return place_->load(); }
  // If it still stands at `from`.
  void move(Offset from, Offset to) noexcept { place_->compare_exchange_strong(from, to); }
  void set(Offset position) noexcept { place_->store(position); }

 private:
  std::atomic<Offset> own_{0};
  std::atomic<Offset>* place_;
};

}  // namespace tessera::io
