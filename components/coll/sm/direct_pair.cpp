// SPDX-License-Identifier: BSD-3-Clause
// A long gather or scatter between two processes: one copy, by the receiver or by both.
//
// Two rounds: here is my end of the block; my part is done. The receiver of the block reads it from
// the sender's memory, or its beginning, while the sender writes the rest to the receiver's. In a
// scatter the receiver reads all: the root copies its own block meanwhile, and what the root writes
// lies in the wrong cache once another process is the root. In a gather the root has its own block
// to copy before, and so takes the smaller part. Cost per process for n bytes: of a scatter n bytes
// copied; of a gather 5/8 n, at the root 11/8.
#include <cstdio>

#include "operations.h"
#include "round.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

// This process's end of the block that goes from one to the other.
Buffer end_of(const Call& call, int rank) noexcept {
  const bool gathers = call.operation == Operation::gather;
  const bool sends = gathers == (call.root != rank);
  const Side& side = sends ? call.send : call.receive;
  const Space space = sends ? Space::send : Space::receive;
  return call.root == rank ? block_of(space, side, 1 - rank) : whole(space, side);
}

void copy_own_block(const Call& call, int rank) noexcept {
  if (call.in_place) return;
  const bool gathers = call.operation == Operation::gather;
  const Buffer from =
      gathers ? whole(Space::send, call.send) : block_of(Space::send, call.send, rank);
  const Buffer to =
      gathers ? block_of(Space::receive, call.receive, rank) : whole(Space::receive, call.receive);
  bytes_of(call, to).copy(bytes_of(call, from));
}

// Bytes of `total` that the receiver of the block reads. Two parts that share a page would pin it
// twice.
std::size_t part_of_receiver(const Call& call, std::size_t total, bool split) noexcept {
  if (!split || call.operation == Operation::scatter) return total;
  const std::size_t part = call.in_place ? total / 2 : total / 8 * 3;
  return part / kPage * kPage;
}

Status copy_part(const CmaAccess& cma, const Call& call, int rank, std::uint64_t mine,
                 std::uint64_t theirs, std::size_t total, bool split) noexcept {
  const bool is_root = call.root == rank;
  const bool receives = (call.operation == Operation::gather) == is_root;
  const std::size_t of_receiver = part_of_receiver(call, total, split);
  auto* here = reinterpret_cast<std::byte*>(mine);
  if (receives) return cma.read(1 - rank, theirs, here, of_receiver);
  if (of_receiver == total) return {};
  return cma.write(1 - rank, theirs + of_receiver, here + of_receiver, total - of_receiver);
}

// Shows `mine`; what the other process shows. The root copies its own block in between.
std::uint64_t exchange(SharedSegment& segment, const Call& call, std::uint64_t mine) noexcept {
  const Round round = segment.enter();
  std::memcpy(segment.slot(round, sizeof mine), &mine, sizeof mine);
  segment.publish(round);
  if (call.root == segment.rank()) copy_own_block(call, segment.rank());
  std::uint64_t theirs = 0;
  std::memcpy(&theirs, segment.chunk(round, 1 - segment.rank(), sizeof theirs), sizeof theirs);
  segment.seen_all(round);
  segment.leave(round);
  return theirs;
}

// A failure of one is known to both.
Status end_together(SharedSegment& segment, Status mine) noexcept {
  exchange_all(segment, mine.code(), [&](int rank, Errc theirs) {
    if (theirs == Errc::ok || !mine.ok()) return;
    char text[160];
    std::snprintf(text, sizeof text, "rank %d could not copy its part of the block: %s", rank,
                  Status(theirs).text());
    mine = Status::failure(theirs, text);
  });
  return mine;
}

}  // namespace

Status direct_pair(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                   bool split) noexcept {
  const Buffer end = end_of(call, segment.rank());
  std::uint64_t mine = 0;
  if (end.type->contiguous()) mine = reinterpret_cast<std::uintptr_t>(address_of(call, end));
  const std::uint64_t theirs = exchange(segment, call, mine);
  if (mine == 0 || theirs == 0) return Errc::unsupported;
  return end_together(segment,
                      copy_part(cma, call, segment.rank(), mine, theirs, length(end), split));
}

}  // namespace tessera::coll::sm
