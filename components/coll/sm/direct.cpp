// SPDX-License-Identifier: BSD-3-Clause
// Large reductions from the private memory of the other processes: reduce, allreduce,
// reduce_scatter; exscan of two, which is a bcast.
//
// Every process computes one part of the result, block by block: it reads the others' operands
// where they are, combines them in the order of ranks, a0 op (a1 op (... op ap)), and writes the
// block, which is in its cache then, to those who want it. Nobody else touches that part in any
// process, so that operand and result may be the same memory. Two rounds on the shared segment:
// here is my memory; my part is done.
//
// Cost per process for n bytes and p processes: n (p - 1) / p bytes read, as many written in an
// allreduce, and as many bytes combined. (Cf. reduce-scatter and allgather as in Rabenseifner 2004,
// without messages.) Of a short vector, two processes each compute all for themselves, in a reduce
// the root alone: n bytes read and combined.
#include <cstdio>

#include "cma_access.h"
#include "costs.h"
#include "division.h"
#include "operations.h"
#include "round.h"
#include "tessera/copy.h"

namespace tessera::coll::sm {

namespace {

// Up to here two processes do better when both compute all: a system call less for each.
// Measured: docs/decisions/0065.
constexpr Count kShortBytes = 24 * 1024;
static_assert(kShortBytes <= static_cast<Count>(CmaAccess::kBlock));
constexpr auto kReducedByRoot = static_cast<Count>(kReducedByRootOfTwo);
static_assert(kReducedByRoot <= static_cast<Count>(CmaAccess::kBlock));

// A reduction under way, and what has gone wrong so far; the rounds go on then, so that nobody
// waits for ever.
class Work {
 public:
  // `result`: where the others shall write their parts, or null.
  Work(SharedSegment& segment, const CmaAccess& cma, const Call& call, const void* operand,
       void* result) noexcept
      : segment_(segment),
        cma_(cma),
        op_(*call.op),
        type_(*call.receive.type),
        element_(static_cast<std::size_t>(type_.size())),
        operand_(static_cast<const std::byte*>(operand)),
        result_(static_cast<std::byte*>(result)) {
    const CmaAccess::Buffers mine{reinterpret_cast<std::uintptr_t>(operand),
                                  reinterpret_cast<std::uintptr_t>(result)};
    exchange_all(segment_, mine,
                 [&](int rank, const CmaAccess::Buffers& theirs) { cma_.buffers(rank) = theirs; });
  }

  std::size_t bytes(Count elements) const noexcept {
    return static_cast<std::size_t>(elements) * element_;
  }
  void fail(Status why) noexcept { status_ = why; }

  // body(first, elements) for each block of `count` elements, until something fails.
  template <class Body>
  void in_blocks(Count start, Count count, Body body) noexcept {
    const auto most = static_cast<Count>(CmaAccess::kBlock / element_);
    for (Count done = 0; done < count && status_.ok(); done += most)
      body(start + done, std::min(most, count - done));
  }

  void combine(Count first, Count elements, std::byte* to) noexcept {
    const int last = segment_.size() - 1;
    if (const std::byte* operand = operand_of(last, first, elements, to); operand != to)
      copy_near(to, operand, bytes(elements));
    for (int rank = last - 1; rank >= 0; --rank) {
      const std::byte* operand = operand_of(rank, first, elements, cma_.operand());
      if (status_.ok()) status_ = op_.apply(operand, to, elements, type_);
    }
  }

  // To all who want the result, this process included.
  void hand_out(Count first, Count elements, const std::byte* from) noexcept {
    if (result_ != nullptr && result_ + bytes(first) != from)
      copy_near(result_ + bytes(first), from, bytes(elements));
    for (int i = 1; i < segment_.size() && status_.ok(); ++i) {
      const int rank = (segment_.rank() + i) % segment_.size();
      const std::uint64_t theirs = cma_.buffers(rank).result;
      if (theirs != 0) status_ = cma_.write(rank, theirs + bytes(first), from, bytes(elements));
    }
  }

  // Waits until all have done their part. A failure of one is known to all.
  Status end() noexcept {
    exchange_all(segment_, status_.code(), [&](int rank, Errc theirs) {
      if (theirs != Errc::ok && status_.ok()) status_ = not_done(rank, theirs);
    });
    return status_;
  }

 private:
  const std::byte* operand_of(int rank, Count first, Count elements, std::byte* space) noexcept {
    if (rank == segment_.rank()) return operand_ + bytes(first);
    if (status_.ok())
      status_ = cma_.read(rank, cma_.buffers(rank).operand + bytes(first), space, bytes(elements));
    return space;
  }

  static Status not_done(int rank, Errc why) noexcept {
    char text[160];
    std::snprintf(text, sizeof text, "rank %d could not compute its part of the reduction: %s",
                  rank, Status(why).text());
    return Status::failure(why, text);
  }

  SharedSegment& segment_;
  const CmaAccess& cma_;
  const Op& op_;
  const Datatype& type_;
  std::size_t element_;  // bytes
  const std::byte* operand_;
  std::byte* result_;
  Status status_;
};

Status part_by_part(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                    const void* operand, void* result) noexcept {
  Work work(segment, cma, call, operand, result);
  const auto first_part = [&](int rank) {
    return call.operation == Operation::reduce
               ? first_towards(call.root, call.receive.count, segment.size(), rank)
               : first_of(call.receive.count, segment.size(), rank);
  };
  const Count begin = first_part(segment.rank());
  const Count end = first_part(segment.rank() + 1);
  // In place, what is combined first may be combined where it is.
  const bool aside =
      result == nullptr || (result == operand && segment.rank() != segment.size() - 1);
  work.in_blocks(begin, end - begin, [&](Count first, Count elements) {
    std::byte* to = aside ? cma.combined() : static_cast<std::byte*>(result) + work.bytes(first);
    work.combine(first, elements, to);
    work.hand_out(first, elements, to);
  });
  return work.end();
}

// Elements [begin, begin + count) for this process alone. `aside`, if not null, has room for them:
// the result goes there first, because others read what it overwrites.
Status for_itself(Work& work, const Call& call, Count begin, Count count,
                  std::byte* aside) noexcept {
  auto* result = static_cast<std::byte*>(call.receive.buffer);
  std::byte* to = aside != nullptr ? aside : result;
  work.in_blocks(begin, count, [&](Count first, Count elements) {
    work.combine(first, elements, to + work.bytes(first - begin));
  });
  const Status outcome = work.end();
  if (aside != nullptr && outcome.ok() && count > 0) copy_near(result, aside, work.bytes(count));
  return outcome;
}

}  // namespace

Status direct_allreduce(SharedSegment& segment, const CmaAccess& cma, const Call& call) noexcept {
  if (segment.size() > 2 || amount(call) > kShortBytes)
    return part_by_part(segment, cma, call, operand_of(call), call.receive.buffer);
  Work work(segment, cma, call, operand_of(call), nullptr);
  return for_itself(work, call, 0, call.receive.count, call.in_place ? cma.combined() : nullptr);
}

Status direct_reduce(SharedSegment& segment, const CmaAccess& cma, const Call& call) noexcept {
  const bool is_root = call.root == segment.rank();
  const void* operand = is_root ? operand_of(call) : call.send.buffer;
  if (segment.size() > 2 || amount(call) > kReducedByRoot)
    return part_by_part(segment, cma, call, operand, is_root ? call.receive.buffer : nullptr);
  Work work(segment, cma, call, operand, nullptr);
  if (!is_root) return work.end();
  return for_itself(work, call, 0, call.receive.count, call.in_place ? cma.combined() : nullptr);
}

Status direct_reduce_scatter(SharedSegment& segment, const CmaAccess& cma,
                             const Call& call) noexcept {
  Work work(segment, cma, call, operand_of(call), nullptr);
  const ResultParts parts{call};
  const Count count = parts.count(segment.rank());
  std::unique_ptr<std::byte[]> aside;
  if (call.in_place) aside.reset(new (std::nothrow) std::byte[work.bytes(count)]);
  if (call.in_place && aside == nullptr) work.fail(Errc::no_memory);
  return for_itself(work, call, parts.start(segment.rank()), count, aside.get());
}

// The second process gets what the first one has.
Status direct_exscan(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                     bool split) noexcept {
  Call moved = call;
  moved.operation = Operation::bcast;
  moved.root = 0;
  if (segment.rank() == 0) moved.receive.buffer = const_cast<void*>(operand_of(call));
  return direct_bcast(segment, cma, moved, split);
}

}  // namespace tessera::coll::sm
