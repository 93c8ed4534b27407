// SPDX-License-Identifier: BSD-3-Clause
// coll/sm on one communicator: which calls it takes, and how its processes agree on the memory.
#include "module.h"

#include <algorithm>
#include <limits>

#include "operations.h"

namespace tessera::coll::sm {

namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
constexpr std::size_t kPage = 4096;
constexpr std::size_t kBoardBytes =
    4 * 1024 * 1024;  // what the buffers of one communicator may take

// Fewer bytes for many processes, so that a large communicator does not eat the arena.
std::size_t package_bytes(int processes, std::size_t most) noexcept {
  const std::size_t share = kBoardBytes / Board::kSlots / static_cast<std::size_t>(processes);
  return std::max(std::min(most, share) / kPage * kPage, kPage);
}

// Up to here the board does well without the direct way.
constexpr Count kBoardMost = 128 * 1024;

using Movement = void (*)(Board&, const Call&) noexcept;
using Vector = Status (*)(Board&, const Call&, const Ways&) noexcept;
using Reducing = Status (*)(Board&, const Call&) noexcept;
using DirectReducing = Status (*)(Board&, const Reach&, const Call&) noexcept;

Movement movement_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::barrier:
      return barrier;
    case Operation::bcast:
      return bcast;
    case Operation::gather:
      return gather;
    case Operation::scatter:
      return scatter;
    case Operation::allgather:
      return allgather;
    case Operation::alltoall:
      return alltoall;
    default:
      return nullptr;
  }
}

Vector vector_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::gather:
    case Operation::gatherv:
      return gatherv;
    case Operation::scatter:
    case Operation::scatterv:
      return scatterv;
    case Operation::allgather:
    case Operation::allgatherv:
      return allgatherv;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return alltoallv;
    default:
      return nullptr;
  }
}

Reducing reduction_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::reduce:
      return reduce;
    case Operation::allreduce:
      return allreduce;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return reduce_scatter;
    case Operation::scan:
    case Operation::exscan:
      return scan;
    default:
      return nullptr;
  }
}

DirectReducing direct_reduction_of(const Call& call) noexcept {
  switch (call.operation) {
    case Operation::reduce:
      return direct_reduce;
    case Operation::allreduce:
      return direct_allreduce;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return direct_reduce_scatter;
    case Operation::exscan:
      return call.size == 2 ? direct_exscan : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Arena* Common::arena() noexcept {
  if (!arena_) {
    const Result<SharedRegion> region = job_.shared("coll.sm", settings_.memory);
    if (!region) return nullptr;
    arena_.emplace(region.value());
  }
  return &*arena_;
}

SmModule::SmModule(Common& common, Communicator& comm) noexcept
    : common_(common),
      comm_(comm),
      layout_(layout_of(comm)),
      shape_{comm.size(), package_bytes(comm.size(), common.settings().package)} {}

SmModule::~SmModule() {
  if (board_ && board_->abandon()) common_.arena()->give_back(offset_, shape_.bytes());
}

bool SmModule::serves(Operation operation) const noexcept {
  return movement_of(operation) != nullptr || vector_of(operation) != nullptr ||
         reduction_of(operation) != nullptr || among_neighbours(operation);
}

// Rests only on what is equal on all processes.
bool SmModule::fits(const Call& call) const noexcept {
  if (!common_.limits().admit(call, layout_)) return false;
  if (exchanges_with_neighbours(call.operation)) return call.cartesian;
  if (reduction_of(call.operation) == nullptr) return true;
  const Datatype& type = *call.receive.type;
  const auto largest = static_cast<Count>(shape_.capacity) / shape_.processes;
  return type.dense() && type.size() > 0 && type.size() <= largest;
}

// Likewise.
bool SmModule::large(const Call& call) const noexcept {
  return direct_reduction_of(call) != nullptr &&
         amount(call) >= common_.limits().large_vector(call, layout_) &&
         call.receive.type->size() <= static_cast<Count>(Reach::kBlock);
}

// Likewise.
bool SmModule::long_blocks(const Call& call) const noexcept {
  return vector_of(call.operation) != nullptr &&
         common_.limits().offered(call, layout_).holds(static_cast<std::size_t>(amount(call)));
}

std::uint64_t SmModule::take_memory() noexcept {
  Arena* arena = common_.arena();
  const auto offset = arena != nullptr ? arena->allocate(shape_.bytes()) : std::nullopt;
  if (!offset) return kNowhere;
  Board::prepare(arena->at(*offset), shape_);
  return *offset;
}

// Rank 0's word goes down a binomial tree.
Status SmModule::meet() noexcept {
  std::uint64_t word = comm_.rank() == 0 ? take_memory() : kNowhere;
  Call call(Operation::bcast, comm_);
  call.receive.buffer = &word;
  const Buffer place{Space::receive, 0, sizeof word, nullptr};
  Schedule schedule;
  StepId received = kNoStep;
  int bit = 1;
  for (; bit < comm_.size(); bit *= 2) {
    if ((comm_.rank() & bit) == 0) continue;
    received = schedule.recv(comm_.rank() - bit, place);
    break;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (comm_.rank() + bit < comm_.size()) schedule.send(comm_.rank() + bit, place, {received});
  }
  const Status told = execute(call, schedule);
  state_ = State::without;
  if (!told.ok()) return told;
  Arena* arena = word != kNowhere ? common_.arena() : nullptr;
  if (arena == nullptr) return {};
  offset_ = word;
  board_.emplace(arena->at(word), shape_, comm_);
  state_ = State::ready;
  return {};
}

// Rules give large reductions to this component for the sake of the direct way: without it,
// messages are better. What a parameter gives to it stays here.
Status SmModule::run_large(const Call& call) noexcept {
  if (const Reach* reach = open_reach(); reach != nullptr)
    return direct_reduction_of(call)(*board_, *reach, call);
  if (amount(call) > kBoardMost && !common_.limits().replaced(call.operation))
    return Errc::unsupported;
  return reduction_of(call.operation)(*board_, call);
}

// Likewise. An alltoall in place overwrites what others would read.
Status SmModule::move_large(const Call& call) noexcept {
  const bool overwritten = call.operation == Operation::alltoall && call.in_place;
  if (const Reach* reach = open_reach(); reach != nullptr && !overwritten)
    return vector_of(call.operation)(*board_, call, {0, {}, reach});
  const bool messages = overwritten || amount(call) > kBoardMost;
  if (messages && !common_.limits().replaced(call.operation)) return Errc::unsupported;
  movement_of(call.operation)(*board_, call);
  return {};
}

Status SmModule::move_blocks(const Call& call) noexcept {
  const Limits& limits = common_.limits();
  const Ways ways{limits.longest_block(call, layout_), limits.offered(call, layout_), open_reach()};
  return vector_of(call.operation)(*board_, call, ways);
}

const Reach* SmModule::open_reach() noexcept {
  if (!reach_ && common_.settings().direct) reach_.emplace(*board_, comm_);
  return reach_ && reach_->open() ? &*reach_ : nullptr;
}

SmModule::Way SmModule::choose(const Call& call) const noexcept {
  if (!fits(call)) return Way::none;
  if (movement_of(call.operation) != nullptr)
    return long_blocks(call) ? Way::moves_large : Way::moves;
  if (vector_of(call.operation) != nullptr) return Way::moves_blocks;
  if (among_neighbours(call.operation)) return Way::neighbours;
  return large(call) ? Way::reduces_large : Way::reduces;
}

static std::uint32_t limited(Count bytes) noexcept {
  return static_cast<std::uint32_t>(
      std::min<Count>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

SmModule::Way SmModule::way_of(const Call& call) noexcept {
  const Datatype* type = call.receive.type;
  Choice now{.bytes = amount(call),
             .operation = call.operation,
             .commutative = call.op == nullptr || call.op->commutative()};
  if (type != nullptr) now.element = limited(type->size()), now.dense = type->dense();
  Choice& last = choices_[static_cast<std::size_t>(call.operation) % choices_.size()];
  if (last.holds(now)) [[likely]]
    return last.way;
  now.way = choose(call);
  last = now;
  return last.way;
}

Status SmModule::run(const Call& call) noexcept {
  const Way way = way_of(call);
  if (way == Way::none) return Errc::unsupported;
  if (state_ == State::before) [[unlikely]] {
    const Status met = meet();
    if (!met.ok()) return met;
  }
  if (state_ == State::without) [[unlikely]]
    return Errc::unsupported;
  if (way == Way::reduces) return reduction_of(call.operation)(*board_, call);
  if (way == Way::reduces_large) return run_large(call);
  if (way == Way::moves_blocks) return move_blocks(call);
  if (way == Way::moves_large) return move_large(call);
  if (way == Way::neighbours)
    return to_neighbours(*board_, call, common_.limits().longest_block(call, layout_));
  movement_of(call.operation)(*board_, call);
  return {};
}

}  // namespace tessera::coll::sm
