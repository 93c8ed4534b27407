// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of one communicator's collectives, and waiting for what others write there.
#include "shared_segment.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "tessera/clock.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

// Measured: docs/decisions/0065.
constexpr int kSpins = 400;  // some microseconds: what an answer of a running process takes at most
constexpr int kTurns = 16;   // then somebody is late; the engine gives way to other threads as well

// Fetches a line that this process is about to write, so that no other cache has it. Compilers make
// a prefetch for reading of __builtin_prefetch() where a processor may lack this instruction; one
// that lacks it passes over it.
void fetch_to_write(const std::byte& line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(line));
#else
  __builtin_prefetch(&line, 1);
#endif
}

// Whether a sleeper can make this process's stores and loads take place in order (doorbell.cpp).
// The engine has asked before; to ask again costs nothing.
bool ordered_by_sleepers() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

}  // namespace

// Lets the engine see, right before it sleeps, what this process waits for. An event only once:
// another thread that waits would take it for progress again and again, and never leave the engine
// to the one that it concerns.
class SharedSegment::Watch final : public Poller {
 public:
  explicit Watch(const Awaited& awaited) noexcept : awaited_(awaited) {}
  bool holds() const noexcept { return awaited_.there(); }
  int poll() noexcept override { return holds() && !std::exchange(reported_, true) ? 1 : 0; }

 private:
  Awaited awaited_;
  bool reported_ = false;
};

bool SharedSegment::spin(const Awaited& awaited) noexcept {
  for (int i = 0; i < kSpins; ++i) {
    if (awaited.there()) return true;
    cpu_relax();
  }
  return false;
}

std::size_t SharedSegment::control_bytes(int processes) noexcept {
  const std::size_t of_each = sizeof(RankArea) + sizeof(ReviewArea);
  const std::size_t bytes =
      sizeof(Head) + sizeof(Reviews) + static_cast<std::size_t>(processes) * of_each;
  return round_up(bytes, kPage);
}

std::size_t SharedSegment::Shape::bytes() const noexcept {
  return control_bytes(processes) +
         static_cast<std::size_t>(processes) * ChunkPlaces(slot_bytes).buffer_bytes();
}

void SharedSegment::prepare(std::byte* memory, const Shape& shape) noexcept {
  std::memset(memory, 0, control_bytes(shape.processes));
  new (memory) Head{static_cast<std::uint32_t>(shape.processes), 0};
  const std::size_t areas = static_cast<std::size_t>(shape.processes) * sizeof(RankArea);
  auto* reviews = new (memory + sizeof(Head) + areas) Reviews{};
  reviews->announced.store(1, std::memory_order_relaxed);
}

SharedSegment::SharedSegment(std::byte* memory, const Shape& shape, Communicator& comm) noexcept
    : memory_(memory),
      shape_(shape),
      comm_(comm),
      areas_(reinterpret_cast<RankArea*>(memory + sizeof(Head))),
      buffers_(memory + control_bytes(shape.processes)),
      buffer_bytes_(places().buffer_bytes()),
      rank_(comm.rank()),
      oversubscribed_(comm.job().local_size() > comm.job().usable_cpus()),
      cpu_peers_({reinterpret_cast<std::byte*>(&areas_->state), sizeof(RankArea), shape.processes},
                 rank_, static_cast<std::uint32_t>(comm.size()) == comm.job().local_size(),
                 oversubscribed_ ? given_figures(comm.job()).yield_ns : 0) {
  if (!ordered_by_sleepers()) head().sleepers.fetch_add(1, std::memory_order_seq_cst);
}

bool SharedSegment::abandon(Status& matched) noexcept {
  if (!broken()) area(rank_).last = {mark_.word(), mark_.history(), true};
  if (head().users.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  if (!broken()) matched = compare_last_calls();
  return true;
}

// All have left. Those that broke off have said why.
Status SharedSegment::compare_last_calls() const noexcept {
  for (int rank = 0; rank < size(); ++rank) {
    const LastCall& last = area(rank).last;
    if (!last.told || (last.word == mark_.word() && last.history == mark_.history())) continue;
    return explain({rank, last.word, 0, mark_, area(rank_).log.compare(area(rank).log)});
  }
  return {};
}

Status SharedSegment::explain(const Mismatch& mismatch) const noexcept {
  const auto& [rank, announced, round, mine, earlier] = mismatch;
  char text[560];
  if (earlier && mine.names_same(announced, round))
    CallMark::explain(*earlier, rank, text);
  else
    mine.explain(announced, round, rank, size(), text);
  return Status::failure(Errc::argument, text);
}

SharedSegment::~SharedSegment() {
  if (copy_ != nullptr) munmap(copy_, shape_.bytes());
}

void SharedSegment::fetch_next_slot(Round round, std::size_t bytes) const noexcept {
  if (bytes <= kInline || !places().is_short(bytes)) return;
  const std::byte* const next = place(rank_, round + 1, bytes);
  for (std::size_t at = 0; at < bytes; at += kCacheLine) fetch_to_write(next[at]);
}

const std::byte* SharedSegment::wait_for_chunk(Round round, int rank, std::size_t bytes,
                                               const std::byte* there) noexcept {
  const std::atomic<Round>& announced = line(rank, round).round;
  fetch_next_slot(round, bytes);
  wait_for(Awaited{announced, round, true});
  const Round theirs = announced.load(std::memory_order_acquire);
  if (!broken() && theirs == announcement(round)) [[likely]]
    return there;
  if (!broken()) break_off({rank, theirs, round, mark_, area(rank_).log.compare(area(rank).log)});
  return place(rank, round, bytes);
}

// The process that calls something else goes other ways from here on.
void SharedSegment::break_off(const Mismatch& mismatch) noexcept {
  mismatch_.reset(new (std::nothrow) Mismatch(mismatch));
  break_off();
}

void SharedSegment::wait_for(const Awaited& awaited) noexcept {
  if (broken()) return;
  const bool alone = !comm_.progress().several_threads();  // this holds the engine's lock
  if (oversubscribed_ ? alone && wait_oversubscribed(awaited) : spin(awaited)) return;
  wait_in_engine(awaited);
}

bool SharedSegment::wait_oversubscribed(const Awaited& awaited) noexcept {
  cpu_peers_.wait_in(round_);
  exit_order_.waits();
  for (int turn = 0; turn < kTurns; ++turn) {
    if (cpu_peers_.keep_turn(round_, [&] { return awaited.there(); })) return true;
    sched_yield();
    if (awaited.there()) return true;
  }
  return false;
}

// One turn is enough: the others that leave meanwhile do the same. Until then this process counts
// as one that waits in the next round, so that a process that has left and needs what comes from
// another CPU in a moment does not hand the turn back.
void SharedSegment::let_others_leave(Round round) noexcept {
  if (broken() || !cpu_peers_.inside(round)) return;
  cpu_peers_.wait_in(round + 1);
  sched_yield();
}

void SharedSegment::wait_in_engine(const Awaited& awaited) noexcept {
  Watch watch(awaited);
  expect_ring();
  comm_.progress().add(watch);
  const Status waited = comm_.progress().wait_until([&] { return watch.holds(); },
                                                    [&] { return first_dead() != nullptr; });
  comm_.progress().remove(watch);
  call_off_ring();
  if (!waited) break_off();
}

const Peer* SharedSegment::first_dead() const noexcept {
  if (comm_.progress().deaths() == 0) return nullptr;
  for (int rank = 0; rank < size(); ++rank) {
    if (comm_.local_peer(rank).failed.load(std::memory_order_relaxed))
      return &comm_.local_peer(rank);
  }
  return nullptr;
}

// Pages that are only read cost nothing. Without address space for them this process cannot keep
// what it does from the others, and ends as the dead one did.
void SharedSegment::break_off() noexcept {
  void* copy = mmap(nullptr, shape_.bytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) std::abort();
  copy_ = static_cast<std::byte*>(copy);
  areas_ = reinterpret_cast<RankArea*>(copy_ + sizeof(Head));
  buffers_ = copy_ + control_bytes(shape_.processes);
}

Status SharedSegment::intact() const noexcept {
  if (mismatch_ != nullptr) return explain(*mismatch_);
  comm_.progress().notice_failures();
  const Peer* const dead = first_dead();
  if (dead == nullptr) return broken() ? Status(Errc::no_memory) : Status();  // for a Mismatch
  char text[120];
  std::snprintf(text, sizeof text,
                "process %u of the job, which takes part in this collective operation, has died",
                dead->name.index);
  return Status::failure(Errc::peer_failed, text);
}

void SharedSegment::ring() const noexcept {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) comm_.local_peer(rank).bell->ring();
  }
}

void SharedSegment::tell(std::atomic<std::uint64_t>& number, std::uint64_t value) noexcept {
  number.store(value, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in leave()
  if (head().sleepers.load(std::memory_order_relaxed) != 0) ring();
}

// Where a review measures, rank 0 announces no further one before all have come to it.
bool SharedSegment::measures_in(std::uint64_t review) noexcept {
  Reviews& reviews = this->reviews();
  if (rank_ != 0 && reviews.announced.load(std::memory_order_acquire) < review)
    wait_for(reviews.announced, review);
  return !broken() && reviews.measures.load(std::memory_order_relaxed) == review;
}

void SharedSegment::announce_review(std::uint64_t review, bool measures) noexcept {
  Reviews& reviews = this->reviews();
  if (measures) reviews.measures.store(review, std::memory_order_relaxed);
  tell(reviews.announced, review);
}

// The second load finds the line at hand.
LineLoad SharedSegment::load_line() const noexcept {
  const std::atomic<Round>& theirs = reader(1);
  const std::uint64_t start = now_ns();
  const Round value = theirs.load(std::memory_order_acquire);
  const std::uint64_t middle = now_ns();
  static_cast<void>(theirs.load(std::memory_order_acquire));
  return {value, middle - start, now_ns() - middle};
}

SharedSegment::Room SharedSegment::find_room(Round round, std::size_t bytes,
                                             Round since) const noexcept {
  const Buffer& mine = area(rank_).buffer;
  const std::uint32_t pieces = places().pieces_of(bytes);
  Room room{ChunkPlaces::first_piece(round, pieces), pieces, 0, 0};
  for (std::uint32_t i = room.first; i < room.first + pieces; ++i) {
    const Round used_in = mine.used_in[i];
    room.last = std::max(room.last, used_in);
    if (used_in < since) room.last_before = std::max(room.last_before, used_in);
  }
  return room;
}

std::byte* SharedSegment::take(const Room& room, Round round) noexcept {
  std::fill_n(area(rank_).buffer.used_in + room.first, room.pieces, round);
  return buffer(rank_) + places().place_of_piece(room.first);
}

// All chunks of a round that are not short are one.
std::byte* SharedSegment::room_for(Round round, std::size_t bytes) noexcept {
  if (round > read_by_all_ + kLines) [[unlikely]]
    wait_for_slot(round - kLines / 2);
  const Room room = find_room(round, bytes, 0);
  const Round half = std::min<Round>(round, ChunkPlaces::kPieces / room.pieces / 2);
  if (room.last > read_by_all_ && room.last != round)
    wait_for_slot(std::max(room.last, round - half));
  return take(room, round);
}

std::byte* SharedSegment::slot_for(int reader, Round since, Round round,
                                   std::size_t bytes) noexcept {
  if (bytes <= kInline || round > read_by_all_ + kLines) return slot(round, bytes);
  std::atomic<Round>& left = this->reader(reader);
  if (places().is_short(bytes)) {
    if (round < since + ChunkPlaces::kShorts) return slot(round, bytes);
    const Round last = round - ChunkPlaces::kShorts;
    if (left.load(std::memory_order_acquire) < last) wait_for(left, last);
    return place(rank_, round, bytes);
  }
  const Room room = find_room(round, bytes, since);
  if (room.last_before > read_by_all_) wait_for_slot(room.last_before);
  if (left.load(std::memory_order_acquire) < room.last) wait_for(left, room.last);
  return take(room, round);
}

Round SharedSegment::room_after(Round round, std::size_t bytes) const noexcept {
  const bool is_short = places().is_short(bytes);
  const Round ahead = is_short ? most_ahead(bytes) : kLines;
  const Round of_place = round > ahead ? round - ahead : 0;
  if (is_short) return of_place;
  const Room room = find_room(round, bytes, 0);
  return room.last == round ? of_place : std::max(of_place, room.last);
}

bool SharedSegment::has_room(Round round, std::size_t bytes) noexcept {
  const Round after = room_after(round, bytes);
  if (after > read_by_all_) look_who_left();
  return after <= read_by_all_;
}

void SharedSegment::wait_for_slot(Round left) noexcept {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_ && reader(rank).load(std::memory_order_acquire) < left)
      wait_for(reader(rank), left);
  }
  look_who_left();
}

// Acquire: what was read in the rounds that are seen here has to be over.
void SharedSegment::look_who_left() noexcept {
  Round least = round_;
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) least = std::min(least, reader(rank).load(std::memory_order_acquire));
  }
  read_by_all_ = least;
}

}  // namespace tessera::coll::sm
