// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhoods on the shared segment: neighbor_allgather(v), and neighbor_alltoall(v, w) on
// Cartesian topologies.
//
// Between two processes with a processor each, blocks of any length go there if the plan says so,
// in as many rounds as they need.
//
// Cost per process for d neighbours, blocks of n bytes and c(x), the time to copy x bytes: one
// round, in which it waits for its neighbours only; c(n) + c(dn), in an alltoall 2 c(dn). Only the
// two of an edge know how long its block is: all processes take the same round, and what has no
// room in a chunk is sent.
#include <algorithm>

#include "blocks.h"
#include "operations.h"
#include "stream.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kWord = 8;

// The longest of so many blocks that a chunk has room for.
std::size_t most_bytes(const SharedSegment& segment, std::size_t blocks) noexcept {
  return blocks == 0 ? 0 : segment.slot_bytes() / blocks / kCacheLine * kCacheLine;
}

class Neighbourhood {
 public:
  // `longest`: bytes of a block that is shown, if there is room.
  Neighbourhood(SharedSegment& segment, const Call& call, std::size_t longest) noexcept
      : segment_(segment),
        call_(call),
        gathers_(gathers_from_neighbors(call.operation)),
        block_bytes_(gathers_ ? segment.slot_bytes()
                              : most_bytes(segment, call.destinations.size())),
        longest_(std::min(longest, block_bytes_)),
        round_(segment.enter()) {}

  Status run() noexcept {
    const int destinations = static_cast<int>(call_.destinations.size());
    const int sources = static_cast<int>(call_.sources.size());
    for (int i = 0; i < destinations && !(gathers_ && posted_); ++i) post(i);
    if (posted_) segment_.publish(round_);
    for (int i = 0; i < sources; ++i) fetch(i);
    for (int i = 0; i < sources && has_long_; ++i) receive(arrival(call_, i));
    segment_.leave(round_);
    if (segment_.broken()) return segment_.intact();  // the others send nothing then
    if (has_long_) return execute(call_, messages_);
    static_cast<void>(call_.comm->next_collective_tag());  // all processes count alike
    return {};
  }

 private:
  // A chunk has one block for all neighbours, or one for each.
  struct Position {
    std::size_t chunk;  // bytes
    std::size_t offset;
  };
  Position position_of(std::size_t bytes, int i) const noexcept {
    const auto number = static_cast<std::size_t>(i);
    if (gathers_) return {bytes, 0};
    if (bytes <= kWord && call_.destinations.size() * kWord <= SharedSegment::kInline)
      return {SharedSegment::kInline, number * kWord};
    return {segment_.slot_bytes(), number * block_bytes_};
  }

  void post(int i) noexcept {
    const int to = call_.destinations[static_cast<std::size_t>(i)];
    const Buffer block =
        gathers_ ? whole(Space::send, call_.send) : block_of(Space::send, call_.send, i);
    if (to == kProcNull || length(block) == 0) return;
    if (is_long(block)) return in_order(last_send_, messages_.send(to, block));
    const Position there = position_of(length(block), i);
    bytes_of(call_, block)
        .read(0, segment_.slot(round_, there.chunk) + there.offset, length(block));
    posted_ = true;
  }
  // The block from the negative direction is the one that this neighbour has for its positive one.
  void fetch(int i) noexcept {
    const int from = call_.sources[static_cast<std::size_t>(i)];
    const Buffer block = block_of(Space::receive, call_.receive, i);
    if (from == kProcNull || length(block) == 0 || is_long(block)) return;
    const Position there = position_of(length(block), arrival(call_, i));
    bytes_of(call_, block)
        .write(0, segment_.chunk(round_, from, there.chunk) + there.offset, length(block));
  }
  // Where processes take turns, the next one shall find all messages; elsewhere an Execution may
  // let receives stand before long data is sent.
  void receive(int i) noexcept {
    const int from = call_.sources[static_cast<std::size_t>(i)];
    const Buffer block = block_of(Space::receive, call_.receive, i);
    if (from == kProcNull || length(block) <= longest_) return;
    in_order(segment_.oversubscribed() ? last_send_ : last_receive_, messages_.recv(from, block));
  }
  bool is_long(const Buffer& block) noexcept {
    if (length(block) <= longest_) return false;
    return has_long_ = true;
  }
  // Of the messages between two processes the first is received first.
  void in_order(StepId& last, StepId message) noexcept {
    if (last != kNoStep) messages_.issue_in_order(last, message);
    last = message;
  }

  SharedSegment& segment_;
  const Call& call_;
  bool gathers_;
  std::size_t block_bytes_;  // bytes of a chunk that a block has
  std::size_t longest_;
  Round round_;
  bool posted_ = false;    // whether there is anything in this process's chunk
  bool has_long_ = false;  // whether any block goes as a message
  Schedule messages_;
  StepId last_send_ = kNoStep;
  StepId last_receive_ = kNoStep;
};

// Where blocks of one length lie in a chunk, one behind the other.
struct Row {
  std::size_t chunk;  // bytes
  std::size_t each;   // bytes from one block to the next; 0: one block for all
};
Row row_of(std::size_t bytes, std::size_t blocks) noexcept {
  const std::size_t words = round_up(bytes, kWord);
  if (blocks * words <= SharedSegment::kInline) return {SharedSegment::kInline, words};
  const std::size_t lines = round_up(bytes, kCacheLine);
  return {blocks * lines, lines};
}

// A neighbor_allgather or neighbor_alltoall whose blocks are shown: what Neighbourhood does with
// them, at less expense. What one of two neighbors sends the other one receives, so that both come
// here or neither does.
Status show_blocks(SharedSegment& segment, const Call& call) noexcept {
  const bool gathers = call.operation == Operation::neighbor_allgather;
  const auto real = [](int rank) noexcept { return rank != kProcNull; };
  const auto row = [&](std::size_t bytes) noexcept {
    return gathers ? Row{bytes, 0} : row_of(bytes, call.destinations.size());
  };
  const Round round = segment.enter();
  if (const std::size_t bytes = block(call.send, 0).total(); bytes != 0) {
    const Row mine = row(bytes);
    std::byte* slot = nullptr;
    for (std::size_t i = 0; i < call.destinations.size() && !(gathers && slot != nullptr); ++i) {
      if (!real(call.destinations[i])) continue;
      if (slot == nullptr) slot = segment.slot(round, mine.chunk);
      block(call.send, gathers ? 0 : static_cast<int>(i)).read(0, slot + i * mine.each, bytes);
    }
    if (slot != nullptr) segment.publish(round);
  }
  if (const std::size_t bytes = block(call.receive, 0).total(); bytes != 0) {
    const Row theirs = row(bytes);
    for (int i = 0; i < static_cast<int>(call.sources.size()); ++i) {
      const int source = call.sources[static_cast<std::size_t>(i)];
      if (!real(source)) continue;
      const std::size_t offset = static_cast<std::size_t>(arrival(call, i)) * theirs.each;
      block(call.receive, i).write(0, segment.chunk(round, source, theirs.chunk) + offset, bytes);
    }
  }
  segment.leave(round);
  if (segment.broken()) return segment.intact();
  static_cast<void>(call.comm->next_collective_tag());
  return {};
}

// Blocks of any length between two processes, each of which may be its own neighbor as well: both
// know the lengths of all blocks that go between them.
class TwoNeighbours {
 public:
  TwoNeighbours(SharedSegment& segment, const Call& call) noexcept
      : segment_(segment),
        call_(call),
        gathers_(gathers_from_neighbors(call.operation)),
        other_(1 - segment.rank()) {}

  std::size_t longest() const noexcept {
    std::size_t most = 0;
    for (int i = 0; i < destinations(); ++i)
      if (destination(i) == other_) most = std::max(most, length(sent(i)));
    for (int i = 0; i < sources(); ++i)
      if (source(i) == other_) most = std::max(most, length(received(i)));
    return most;
  }
  Status exchange() noexcept {
    gathers_ ? gather() : exchange_each();
    return segment_.broken() ? segment_.intact() : Status{};
  }

 private:
  int destinations() const noexcept { return static_cast<int>(call_.destinations.size()); }
  int sources() const noexcept { return static_cast<int>(call_.sources.size()); }
  int destination(int i) const noexcept { return call_.destinations[static_cast<std::size_t>(i)]; }
  int source(int i) const noexcept { return call_.sources[static_cast<std::size_t>(i)]; }
  Buffer sent(int i) const noexcept {
    return gathers_ ? whole(Space::send, call_.send) : block_of(Space::send, call_.send, i);
  }
  Buffer received(int i) const noexcept { return block_of(Space::receive, call_.receive, i); }
  Bytes bytes(const Buffer& block) const noexcept { return bytes_of(call_, block); }
  static Bytes nothing(const Datatype& type) noexcept { return {nullptr, 0, type}; }

  // One block for all: what comes is copied to where it is wanted a second time.
  void gather() noexcept {
    const Bytes mine = bytes(whole(Space::send, call_.send));
    int first = -1;
    for (int i = sources() - 1; i >= 0; --i)
      if (source(i) == other_) first = i;
    const bool gives = std::find(call_.destinations.begin(), call_.destinations.end(), other_) !=
                       call_.destinations.end();
    stream_both(segment_, gives ? mine : nothing(*call_.send.type),
                first >= 0 ? bytes(received(first)) : nothing(*call_.receive.type));
    for (int i = 0; i < sources(); ++i) {
      if (source(i) == segment_.rank()) bytes(received(i)).copy(mine);
      if (source(i) == other_ && i != first) bytes(received(i)).copy(bytes(received(first)));
    }
  }
  // What the other process sends to its neighbor i comes from the neighbor arrival(i) of this one.
  void exchange_each() noexcept {
    for (int i = 0; i < destinations(); ++i) {
      const int from = arrival(call_, i);
      const Buffer mine = sent(i), theirs = received(from);
      if (destination(i) == segment_.rank()) bytes(theirs).copy(bytes(mine));
      stream_both(segment_, destination(i) == other_ ? bytes(mine) : nothing(*mine.type),
                  source(from) == other_ ? bytes(theirs) : nothing(*theirs.type));
    }
  }

  SharedSegment& segment_;
  const Call& call_;
  bool gathers_;
  int other_;
};

}  // namespace

Status to_neighbours(SharedSegment& segment, const Call& call, std::size_t longest) noexcept {
  const bool exchanges = call.operation == Operation::neighbor_alltoall;
  const std::size_t room =
      exchanges ? most_bytes(segment, call.destinations.size()) : segment.slot_bytes();
  const auto shown = [&](const Side& side) noexcept {
    return block(side, 0).total() <= std::min(longest, room);
  };
  const bool alike = exchanges || call.operation == Operation::neighbor_allgather;
  if (alike && shown(call.send) && shown(call.receive)) return show_blocks(segment, call);
  if (segment.size() == 2 && !segment.oversubscribed()) {
    TwoNeighbours two(segment, call);
    if (const std::size_t most = two.longest(); most > room && most <= longest)
      return two.exchange();
  }
  return Neighbourhood(segment, call, longest).run();
}

}  // namespace tessera::coll::sm
