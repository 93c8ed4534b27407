// SPDX-License-Identifier: BSD-3-Clause
// Memory that the processes of two jobs share pair by pair: LinkMemory.
#pragma once
//
// Contract. The root of the accepting side makes one anonymous memory object for a link (link.h),
// with a place for each pair of processes; the others open it through /proc, as the same user. A
// place is mapped when the transport asks for it. The object is sparse, and vanishes with the last
// process that has it open.
//
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/peer.h"

namespace tessera {

class LinkMemory {
 public:
  static constexpr std::size_t kPlaceBytes = std::size_t{1} << 20;

  // no_space, system.
  static Result<std::shared_ptr<LinkMemory>> make(std::uint64_t places) noexcept;
  // The one that process `pid` has under this descriptor. refused: out of reach, or another one.
  static Result<std::shared_ptr<LinkMemory>> open_in(std::int32_t pid, int descriptor,
                                                     std::uint64_t id) noexcept;
  LinkMemory(int descriptor, std::uint64_t id, std::uint64_t places) noexcept
      : descriptor_(descriptor), id_(id), places_(places) {}
  ~LinkMemory();
  LinkMemory(const LinkMemory&) = delete;
  LinkMemory& operator=(const LinkMemory&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  std::uint64_t id() const noexcept { return id_; }

  // The memory of one pair; the caller unmaps it. argument: there is no such place; no_memory.
  Result<SharedRegion> map(std::uint64_t place) const noexcept;

 private:
  int descriptor_;
  std::uint64_t id_;
  std::uint64_t places_;
};

}  // namespace tessera
