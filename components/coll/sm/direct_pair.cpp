// SPDX-License-Identifier: BSD-3-Clause
// A long gather or scatter between two processes, with counts of each or without: one copy, by the
// receiver or by both.
//
// Two rounds: here is my end of the block; my part is done. The receiver of the block reads it from
// the sender's memory, or its beginning, while the sender writes the rest to the receiver's. The
// root has its own block to copy before, and so takes the smaller part. Cost per process for n
// bytes: 5/8 n copied, at the root 11/8.
#include <cstdio>

#include "blocks.h"
#include "operations.h"
#include "round.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

bool gathers(const Call& call) noexcept {
  return call.operation == Operation::gather || call.operation == Operation::gatherv;
}

// This process's end of the block that goes from one to the other.
Buffer end_of(const Call& call, int rank) noexcept {
  const bool sends = gathers(call) == (call.root != rank);
  const Side& side = sends ? call.send : call.receive;
  const Space space = sends ? Space::send : Space::receive;
  return call.root == rank ? block_of(space, side, 1 - rank) : whole(space, side);
}

void copy_own_block(const Call& call, int rank) noexcept {
  if (call.in_place) return;
  const bool to_root = gathers(call);
  const Buffer from =
      to_root ? whole(Space::send, call.send) : block_of(Space::send, call.send, rank);
  const Buffer to =
      to_root ? block_of(Space::receive, call.receive, rank) : whole(Space::receive, call.receive);
  bytes_of(call, to).copy(bytes_of(call, from));
}

// Bytes of `total` that the receiver of the block reads. Two parts that share a page would pin it
// twice. Of a root that is in place the other process does not know: then both copy an eighth.
std::size_t part_of_receiver(const Call& call, std::size_t total, bool split) noexcept {
  if (!split) return total;
  const std::size_t of_root = call.in_place ? total / 2 : total / 8 * 3;
  const std::size_t part = gathers(call) ? of_root : total - of_root;
  return part / kPage * kPage;
}

Status copy_part(const CmaAccess& cma, const Call& call, int rank, const Offer& mine,
                 const Offer& theirs, bool split) noexcept {
  const bool receives = gathers(call) == (call.root == rank);
  const std::size_t of_receiver = part_of_receiver(call, mine.bytes, split);
  auto* here = reinterpret_cast<std::byte*>(mine.address);
  if (receives) return cma.read(1 - rank, theirs.address, here, of_receiver);
  if (of_receiver == mine.bytes) return {};
  return cma.write(1 - rank, theirs.address + of_receiver, here + of_receiver,
                   mine.bytes - of_receiver);
}

// Shows `mine`; what the other process shows. The root copies its own block in between.
Offer exchange(SharedSegment& segment, const Call& call, const Offer& mine) noexcept {
  const Round round = segment.enter();
  std::memcpy(segment.slot(round, sizeof mine), &mine, sizeof mine);
  segment.publish(round);
  if (call.root == segment.rank()) copy_own_block(call, segment.rank());
  Offer theirs{};
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
  Offer mine{0, length(end)};
  if (end.type->contiguous())
    mine.address = reinterpret_cast<std::uintptr_t>(address_of(call, end));
  const Offer theirs = exchange(segment, call, mine);
  if (mine.address == 0 || theirs.address == 0 || mine.bytes != theirs.bytes)
    return Errc::unsupported;
  return end_together(segment, copy_part(cma, call, segment.rank(), mine, theirs, split));
}

}  // namespace tessera::coll::sm
