// SPDX-License-Identifier: BSD-3-Clause
// Other processes' memory through the kernel, after finding out whether it lets us.
#include "cma_access.h"

#include "round.h"
#include "tessera/cma.h"

namespace tessera::coll::sm {

constexpr const char* kAdvice = "set coll_sm_direct=false to reduce without it";

CmaAccess::CmaAccess(SharedSegment& segment, const Communicator& comm) noexcept
    : comm_(comm), memory_(new (std::nothrow) Memory) {
  if (memory_ != nullptr) memory_->buffers.reset(new (std::nothrow) Buffers[comm.size()]());
  open_ = try_all(segment);
}

std::int32_t CmaAccess::pid(int rank) const noexcept {
  return comm_.job().peer(comm_.local_peer(rank).id).pid;
}

Status CmaAccess::read(int rank, std::uint64_t theirs, std::byte* mine,
                       std::size_t bytes) const noexcept {
  return with_advice(read_memory(pid(rank), mine, theirs, bytes), kAdvice);
}

Status CmaAccess::write(int rank, std::uint64_t theirs, const std::byte* mine,
                        std::size_t bytes) const noexcept {
  return with_advice(write_memory(pid(rank), mine, theirs, bytes), kAdvice);
}

// What is written is what was found, so that it does not matter in which order the others come. The
// word lives until all have told how it went.
bool CmaAccess::try_all(SharedSegment& segment) noexcept {
  std::uint64_t probed = 0;
  bool all = memory_ != nullptr && memory_->buffers != nullptr;
  exchange_all(segment, place_probe(probed), [&](int rank, const CmaProbe& theirs) {
    all = all && pid(rank) > 0 && try_probe(pid(rank), theirs) == 0 &&
          write_memory(pid(rank), &theirs.value, theirs.address, sizeof theirs.value).ok();
  });
  exchange_all(segment, all, [&](int, bool theirs) { all = all && theirs; });
  return all;
}

}  // namespace tessera::coll::sm
