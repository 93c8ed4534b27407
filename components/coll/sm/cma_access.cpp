// SPDX-License-Identifier: BSD-3-Clause
// Other processes' memory through the kernel, after finding out whether it lets us.
#include "cma_access.h"

#include <time.h>

#include <cstdio>

#include "round.h"

namespace tessera::coll::sm {

namespace {

Status with_advice(Status status) noexcept {
  if (status.ok()) [[likely]]
    return status;
  char text[320];
  std::snprintf(text, sizeof text, "%s; set coll_sm_direct=false to reduce without it",
                status.text());
  return Status::failure(status.code(), text);
}

// A word that the others try themselves on.
struct Word {
  std::uint64_t address;
  std::uint64_t value;
};

// What nobody would find in another process by chance.
std::uint64_t unlikely_value(const void* address) noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto time = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                    static_cast<std::uint64_t>(now.tv_nsec);
  return (time ^ reinterpret_cast<std::uintptr_t>(address)) * 0x9E3779B97F4A7C15;
}

}  // namespace

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
  return with_advice(read_memory(pid(rank), mine, theirs, bytes));
}

Status CmaAccess::write(int rank, std::uint64_t theirs, const std::byte* mine,
                        std::size_t bytes) const noexcept {
  return with_advice(write_memory(pid(rank), mine, theirs, bytes));
}

// What is written is what was found, so that it does not matter in which order the others come. The
// word lives until all have told how it went.
bool CmaAccess::try_all(SharedSegment& segment) noexcept {
  Word mine{};
  mine = {reinterpret_cast<std::uintptr_t>(&mine.value), unlikely_value(&mine)};
  bool all = memory_ != nullptr && memory_->buffers != nullptr;
  exchange_all(segment, mine, [&](int rank, const Word& theirs) {
    std::uint64_t found = 0;
    auto* bytes = reinterpret_cast<std::byte*>(&found);
    all = all && pid(rank) > 0 && read(rank, theirs.address, bytes, sizeof found).ok() &&
          found == theirs.value && write(rank, theirs.address, bytes, sizeof found).ok();
  });
  exchange_all(segment, all, [&](int, bool theirs) { all = all && theirs; });
  return all;
}

}  // namespace tessera::coll::sm
