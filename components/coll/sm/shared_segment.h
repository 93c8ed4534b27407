// SPDX-License-Identifier: BSD-3-Clause
// What the processes of one communicator show each other in shared memory: SharedSegment.
#pragma once
//
// Contract. An operation is a sequence of rounds, numbered from 1 over the life of the
// communicator; all processes go through the same rounds. In a round a process may publish one
// chunk (at most slot_bytes() bytes), may read the chunks that others publish in it, and ends it
// with leave(). A chunk is readable until its reader has left the round.
//
//   Round round = segment.enter();
//   std::memcpy(segment.slot(round, bytes), data, bytes);  // may wait for readers of older rounds
//   segment.publish(round);
//   const std::byte* theirs = segment.chunk(round, rank, bytes);  // waits for that process
//   segment.leave(round);
//
// A chunk of up to kWithSecond bytes has room for a second part of the same length in its line,
// before the chunk is published or after that. Nobody waits for a second part: it is there or
// not.
//
// Memory. Each process writes to lines of its own only. A chunk of up to kInline bytes travels in
// the pair of lines that announces it, so that a reader misses once; a longer one in the process's
// buffer (chunk_places.h). A process may be many rounds ahead of its readers: where processes take
// turns, a turn is worth that many operations of those that read from lower ranks or the root only;
// where each has a processor, a reader finds what has left the first-level cache of the writer
// already, and reads it twice as fast (decision 0125). Once there is no room left, a process waits
// until half of it is free: to look for each round how far the others are would cost both sides a
// line. There is no lock and no read-modify-write.
//
// Nonblocking calls. A process may publish and read in a round while it goes on to later ones: from
// hold() on it does not leave that round, nor a later one, before leave_held(). So a chunk of a
// later round does not tell that its process has left the rounds before.
//
// Failure. When a process of the communicator dies, every wait on the shared segment ends. What
// this process writes and reads from then on is a private copy of the shared segment, where nobody
// waits: so an operation runs through to its end without a check in each round, nobody else sees
// what it computed from missing data, and its result is the failure that died() tells. Control data
// read from such a copy is zero: no address, no length, no answer.
//
// Calls that do not match. A process announces, with each chunk, the call that it belongs to
// (call_mark.h). Where another process announces another call, this one does what it does when a
// process has died, and the result is the failure that tells of both calls. Where nobody reads what
// the last call shows, that call is compared at the end: each process leaves behind where it has
// come to, and the last one that leaves looks. Nobody waits for that, and no call pays for it.
// Calls that go as messages are compared by the chunks of later ones, and at the end.
//
// Waiting. A short spin while all processes have a CPU; where they take turns, a few turns
// (cpu_peers.h); a barrier may let other processes leave first (exit_order.h). Then the engine's
// adaptive wait, and only then does anybody have to ring.
//
#include <cstring>
#include <memory>

#include "call_mark.h"
#include "chunk_places.h"
#include "cpu_peers.h"
#include "exit_order.h"
#include "recalibration.h"
#include "tessera/coll.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

class SharedSegment {
 public:
  static constexpr std::size_t kInline = 112;
  static constexpr std::size_t kWithSecond = 24;
  static constexpr Round kLines = 256;

  // How a shared segment of so many processes is laid out.
  struct Shape {
    int processes;
    std::uint32_t slot_bytes;  // bytes of a chunk; a multiple of the page size
    std::size_t bytes() const noexcept;
  };

  // `memory` has shape.bytes() bytes, prepared by one process before any other looks at them.
  static void prepare(std::byte* memory, const Shape& shape) noexcept;
  SharedSegment(std::byte* memory, const Shape& shape, Communicator& comm) noexcept;
  // Before the first round: the calls that went as messages so far.
  void follow(const CallMark& mark, const CallLog* log) noexcept {
    mark_ = mark;
    if (log != nullptr) area(rank_).log.copy(*log);
  }
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  ~SharedSegment();
  // Whether a process has died in whose place this one waited, or would have, or one of another
  // call was met.
  bool broken() const noexcept { return copy_ != nullptr; }
  // argument if calls did not match.
  // peer_failed if a process of the communicator is known to be dead, also to mpiexec only: for
  // what was read from the memory of the others, who may have given up and gone on.
  Status intact() const noexcept;
  // The outcome of direct copies, which counts only where intact().
  Status unless_broken(Status outcome) const noexcept {
    const Status now = intact();
    return now.ok() ? outcome : now;
  }
  // Leaves the shared segment for good. True for the last process that does: the memory is then
  // nobody's. That process has compared the last calls of all; a difference is in `matched`.
  bool abandon(Status& matched) noexcept;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return shape_.processes; }
  std::size_t slot_bytes() const noexcept { return shape_.slot_bytes; }
  bool oversubscribed() const noexcept { return oversubscribed_; }

  // The rounds that follow belong to a call of `operation`; `kind`: CallMark::kind().
  void begin(Operation operation, const CallMark::Kind& kind, int root) noexcept {
    mark_.next(kind, root);
    if (oversubscribed_) exit_order_.begin(operation);
  }
  void begin_nonblocking(Operation operation, const CallMark::Kind& kind, int root) noexcept {
    mark_.next(kind, root);
    if (oversubscribed_) exit_order_.begin_messages(operation, root == rank_);
  }
  // A call that goes as messages.
  void pass(Operation operation, const CallMark::Kind& kind, int root) noexcept {
    area(rank_).log.add(mark_.pass(kind, root));
    if (oversubscribed_) exit_order_.begin_messages(operation, root == rank_);
  }
  Round enter() noexcept { return ++round_; }
  Round entered() const noexcept { return round_; }
  // The first of so many rounds of one call.
  Round enter_nonblocking(Round rounds) noexcept {
    state().nonblocking = round_ += rounds;
    return round_ - rounds + 1;
  }
  // The present call; while an InCall lives, it is that earlier one.
  std::uint64_t mark() const noexcept { return mark_.word(); }
  class InCall {
   public:
    InCall(SharedSegment& segment, std::uint64_t mark) noexcept
        : segment_(segment), present_(segment.mark_.resume(mark)) {}
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;
    ~InCall() { segment_.mark_.resume(present_); }

   private:
    SharedSegment& segment_;
    std::uint64_t present_;
  };
  [[gnu::hot]] std::byte* slot(Round round, std::size_t bytes) noexcept {
    if (!places().is_short(bytes)) return room_for(round, bytes);
    const Round ahead = most_ahead(bytes);
    if (round > read_by_all_ + ahead) [[unlikely]]
      wait_for_slot(round - ahead / 2);
    return place(rank_, round, bytes);
  }
  // Whether slot() would not wait.
  bool has_room(Round round, std::size_t bytes) noexcept;
  // Programs repeat their calls: the place of a short chunk of the next round, in which others have
  // read a chunk before, moves to this processor while there is nothing else to do. A hint.
  [[gnu::hot]] void fetch_next_slot(Round round, std::size_t bytes) const noexcept;
  // For a chunk that `reader` alone reads, as it does all of this process's since round `since`.
  std::byte* slot_for(int reader, Round since, Round round, std::size_t bytes) noexcept;
  void publish(Round round) noexcept {
    line(rank_, round).round.store(announcement(round), std::memory_order_release);
  }
  [[gnu::hot]] const std::byte* chunk(Round round, int rank, std::size_t bytes) noexcept {
    const Line& theirs = line(rank, round);
    const std::byte* const there = place(rank, round, bytes);  // before the wait, which hides it
    if (theirs.round.load(std::memory_order_acquire) == announcement(round)) return there;
    return wait_for_chunk(round, rank, bytes, there);
  }
  // Of a process that has shown what it has in this round, and has more than one chunk in it.
  const std::byte* seen_chunk(Round round, int rank, std::size_t bytes) const noexcept {
    return place(rank, round, bytes);
  }
  // Null: not there yet.
  const std::byte* chunk_there(Round round, int rank, std::size_t bytes) const noexcept {
    const bool there =
        line(rank, round).round.load(std::memory_order_acquire) == announcement(round);
    return there ? place(rank, round, bytes) : nullptr;
  }
  // Whether there is a chunk, be it of another call.
  bool shown(Round round, int rank) const noexcept {
    return CallMark::is_of(line(rank, round).round.load(std::memory_order_acquire), round);
  }
  // The second part: after slot() of the first one, which has as many bytes.
  std::byte* second_slot(Round round, std::size_t bytes) noexcept {
    return second_place(rank_, round, bytes);
  }
  void publish_second(Round round) noexcept {
    line(rank_, round).second.store(announcement(round), std::memory_order_release);
  }
  // Null: not there yet.
  const std::byte* second(Round round, int rank, std::size_t bytes) const noexcept {
    const bool there =
        line(rank, round).second.load(std::memory_order_acquire) == announcement(round);
    return there ? second_place(rank, round, bytes) : nullptr;
  }
  // For a round in which this process has seen the chunks of all: they have left the rounds before,
  // but for nonblocking ones.
  void seen_all(Round round) noexcept {
    if (state().nonblocking <= read_by_all_) [[likely]]
      read_by_all_ = round - 1;
  }
  // Whoever sleeps is woken only now. That is enough: a process publishes in a round before it
  // waits for others in it, so the last one to publish finds all it needs, leaves, and rings. The
  // load may overtake the store: a process that counts itself among `sleepers` calls
  // Doorbell::announce() and looks again before every sleep (peer.h), as the engine's wait does.
  [[gnu::hot]] void leave(Round round) noexcept {
    RankState& mine = state();
    mine.left = round;
    mine.read.store(std::min(round, mine.held - 1), std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (head().sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring();
  }
  // `oldest`: the first round of those that this process holds; 0: none.
  void hold(Round oldest) noexcept { state().held = oldest; }
  void leave_held(Round round, Round oldest) noexcept {
    hold(oldest);
    leave(std::max(state().left, round));
  }
  // For waits elsewhere than in the segment; null where no process shares this one's CPU.
  CpuPeers* cpu_peers() noexcept { return oversubscribed_ ? &cpu_peers_ : nullptr; }
  // Between the two, others ring for this process: it may sleep elsewhere than in a wait on the
  // shared segment.
  void expect_ring() noexcept { head().sleepers.fetch_add(1, std::memory_order_seq_cst); }
  void call_off_ring() noexcept { head().sleepers.fetch_sub(1, std::memory_order_relaxed); }
  // If a process of the communicator has died, what follows is a private copy, as after a wait.
  void give_up_if_dead() noexcept {
    if (!broken() && first_dead() != nullptr) break_off();
  }
  // Reviews of the machine's figures (recalibration.h). Whether this one measures; waits for rank 0
  // if that has not said so yet.
  bool measures_in(std::uint64_t review) noexcept;
  // Rank 0 says so in the review before; of the first one it is known that it does not.
  void announce_review(std::uint64_t review, bool measures) noexcept;
  // In a review that measures: rank 0 does when all have come, and all get its figures. Null if the
  // segment is broken.
  template <class Measure>
  std::optional<MachineFigures> share_figures(std::uint64_t review, Measure measure) noexcept {
    Reviews& reviews = this->reviews();
    if (rank_ == 0) {
      for (int rank = 1; rank < size(); ++rank) wait_for(review_area(rank).come, review);
      if (broken()) return {};
      reviews.figures = measure();
      tell(reviews.measured, review);
      return reviews.figures;
    }
    tell(review_area(rank_).come, review);
    wait_for(reviews.measured, review);
    if (broken()) return {};
    return reviews.figures;
  }
  // Loads the line that rank 1 writes in each round.
  LineLoad load_line() const noexcept;
  Recalibration& recalibration() noexcept { return review_area(rank_).own; }
  const Recalibration& recalibration() const noexcept { return review_area(rank_).own; }

  // Of a barrier, which ends with its only round.
  void leave_barrier(Round round) noexcept {
    leave(round);
    if (exit_order_.others_first()) [[unlikely]]
      let_others_leave(round);
  }

 private:
  struct alignas(2 * kCacheLine) Line {
    std::atomic<Round> round;   // as announced
    std::atomic<Round> second;  // the round of the second part, likewise
    alignas(16) std::byte data[kInline];
  };
  // Of the buffer of a process, and read by that one only: the round that used each piece last.
  // Here so that communicators without a segment pay not.
  struct Buffer {
    Round used_in[ChunkPlaces::kPieces];
  };
  // Where a process has come to, told by abandon() unless it has broken off.
  struct LastCall {
    std::uint64_t word, history;
    bool told;
  };
  struct RankArea {  // one process's
    Line lines[kLines];
    RankState state;
    Buffer buffer;
    LastCall last;
    CallLog log;
  };
  struct alignas(alignof(RankArea)) Head {  // the areas follow
    std::atomic<std::uint32_t> users;
    // How many wait in the engine and may sleep. Also counts processes whose rings need a fence,
    // for ever.
    std::atomic<std::uint32_t> sleepers;
  };
  // Behind the areas: what the processes tell each other of their reviews, and then one for each.
  // Written by rank 0 alone.
  struct alignas(2 * kCacheLine) Reviews {
    std::atomic<std::uint64_t> announced;  // up to this one it is known whether it measures
    std::atomic<std::uint64_t> measures;   // the last one that does
    std::atomic<std::uint64_t> measured;   // the last one that has
    MachineFigures figures;                // of that one
  };
  struct alignas(2 * kCacheLine) ReviewArea {
    std::atomic<std::uint64_t> come;  // to the last one that measures
    Recalibration own;                // read by this process only
  };

  // A number that this process waits for: one that only grows and shall reach `round`, or what is
  // announced in that round.
  struct Awaited {
    const std::atomic<Round>& number;
    Round round;
    bool announced;
    bool there() const noexcept {
      const Round now = number.load(std::memory_order_acquire);
      return announced ? CallMark::is_of(now, round) : now >= round;
    }
  };
  class Watch;
  // The first chunk of another call that was met.
  struct Mismatch {
    int rank;  // whose it is
    Round announced, round;
    CallMark mine;
    std::optional<CallLog::Difference> earlier;
  };

  static std::size_t control_bytes(int processes) noexcept;
  Round announcement(Round round) const noexcept { return round + mark_.word(); }
  RankArea& area(int rank) const noexcept { return areas_[rank]; }
  Line& line(int rank, Round round) const noexcept { return area(rank).lines[round % kLines]; }
  RankState& state() const noexcept { return area(rank_).state; }
  std::atomic<Round>& reader(int rank) const noexcept { return area(rank).state.read; }
  std::byte* buffer(int rank) const noexcept {
    return buffers_ + static_cast<std::size_t>(rank) * buffer_bytes_;
  }
  ChunkPlaces places() const noexcept { return ChunkPlaces(shape_.slot_bytes); }
  std::byte* place(int rank, Round round, std::size_t bytes) const noexcept {
    if (bytes <= kInline) return line(rank, round).data;
    return buffer(rank) + places().place(round, bytes);
  }
  // Rounds after which a short chunk takes the place of an earlier one.
  static constexpr Round most_ahead(std::size_t bytes) noexcept {
    return bytes <= kInline ? kLines : ChunkPlaces::kShorts;
  }
  // Room for a chunk that is not short in this process's buffer, and the rounds that readers have
  // to leave before: the last one that used it, and the last one before `since`.
  struct Room {
    std::uint32_t first, pieces;
    Round last, last_before;
  };
  // The round that all have to leave before there is room.
  Round room_after(Round round, std::size_t bytes) const noexcept;
  void look_who_left() noexcept;
  Room find_room(Round round, std::size_t bytes, Round since) const noexcept;
  std::byte* take(const Room& room, Round round) noexcept;
  [[gnu::hot]] std::byte* room_for(Round round, std::size_t bytes) noexcept;
  // At the end of the line, so that what is aligned to its own size is so here as well.
  std::byte* second_place(int rank, Round round, std::size_t bytes) const noexcept {
    return line(rank, round).data + 2 * kWithSecond - (bytes + 7) / 8 * 8;
  }
  Reviews& reviews() const noexcept { return *reinterpret_cast<Reviews*>(areas_ + size()); }
  ReviewArea& review_area(int rank) const noexcept {
    return reinterpret_cast<ReviewArea*>(&reviews() + 1)[rank];
  }
  Head& head() const noexcept { return *reinterpret_cast<Head*>(memory_); }
  void ring() const noexcept;
  void tell(std::atomic<std::uint64_t>& number, std::uint64_t value) noexcept;
  void wait_for(const std::atomic<Round>& number, Round at_least) noexcept {
    wait_for(Awaited{number, at_least, false});
  }
  // `there`: where the chunk is to lie. Returns where it lies: in the copy, if the segment breaks.
  [[gnu::hot]] const std::byte* wait_for_chunk(Round round, int rank, std::size_t bytes,
                                               const std::byte* there) noexcept;
  [[gnu::hot]] void wait_for(const Awaited& awaited) noexcept;
  void let_others_leave(Round round) noexcept;
  [[gnu::hot]] bool wait_oversubscribed(const Awaited& awaited) noexcept;
  void wait_in_engine(const Awaited& awaited) noexcept;
  [[gnu::hot]] static bool spin(const Awaited& awaited) noexcept;
  [[gnu::hot]] void wait_for_slot(Round left) noexcept;  // until all have left it
  const Peer* first_dead() const noexcept;
  [[gnu::cold]] void break_off() noexcept;
  [[gnu::cold]] void break_off(const Mismatch& mismatch) noexcept;
  Status compare_last_calls() const noexcept;
  Status explain(const Mismatch& mismatch) const noexcept;

  std::byte* memory_;
  Shape shape_;
  Communicator& comm_;
  RankArea* areas_;
  std::byte* buffers_;
  std::size_t buffer_bytes_;   // of each process's buffer
  std::byte* copy_ = nullptr;  // of a broken shared segment
  int rank_;
  bool oversubscribed_;  // processes share CPUs
  CpuPeers cpu_peers_;
  ExitOrder exit_order_;
  CallMark mark_;
  Round round_ = 0;
  Round read_by_all_ = 0;  // all have left this round, as far as known
  std::unique_ptr<Mismatch> mismatch_;
};

}  // namespace tessera::coll::sm
