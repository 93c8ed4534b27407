// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the private memory of the other processes of a shared segment: CmaAccess.
#pragma once
//
// Contract. Made by all processes of the shared segment together. Each one then tries
// process_vm_readv(2) and process_vm_writev(2) on a word of every other one and tells the result;
// only if all attempts of all succeeded, the memory is open(), the same on all processes. A
// container may forbid it; that is no error. Like Linux itself this checks rights, not addresses:
// read() and write() fail where the other process has no such memory.
//
#include <memory>

#include "plan.h"
#include "shared_segment.h"

namespace tessera::coll::sm {

class CmaAccess {
 public:
  static constexpr std::size_t kBlock = kDirectBlock;

  // Addresses in another process, as it told them. result is 0 where none is wanted.
  struct Buffers {
    std::uint64_t operand;
    std::uint64_t result;
  };

  CmaAccess(SharedSegment& segment, const Communicator& comm) noexcept;
  bool open() const noexcept { return open_; }

  // The rest only if open(). 0 <= rank < size of the shared segment, not this process.
  Status read(int rank, std::uint64_t theirs, std::byte* mine, std::size_t bytes) const noexcept;
  Status write(int rank, std::uint64_t theirs, const std::byte* mine,
               std::size_t bytes) const noexcept;
  Buffers& buffers(int rank) const noexcept { return memory_->buffers[rank]; }
  // Two blocks of memory for whoever computes.
  std::byte* combined() const noexcept { return memory_->blocks[0]; }
  std::byte* operand() const noexcept { return memory_->blocks[1]; }

 private:
  struct Memory {
    alignas(kCacheLine) std::byte blocks[2][kBlock];
    std::unique_ptr<Buffers[]> buffers;
  };
  bool try_all(SharedSegment& segment) noexcept;
  std::int32_t pid(int rank) const noexcept;

  const Communicator& comm_;
  std::unique_ptr<Memory> memory_;
  bool open_ = false;
};

}  // namespace tessera::coll::sm
