// SPDX-License-Identifier: BSD-3-Clause
// A long bcast without copies in the shared segment.
//
// Two rounds: here is my buffer; my part is done. Every other process reads the first part of the
// root's buffer, and the root meanwhile writes the rest to each: with p processes it has p - 1
// copies to make, so that a share of 1/p keeps all equally busy. Cost per process for n bytes:
// n (p - 1) / p bytes copied once. The root waits for all, since its buffer is read.
//
// A datatype with holes is the matter of the process that has it: the root then sends chunks
// through the shared segment; another process reads everything itself, block by block.
#include <cstdio>

#include "operations.h"
#include "round.h"
#include "stream.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

class DirectBcast {
 public:
  DirectBcast(SharedSegment& segment, const CmaAccess& cma, const Call& call, bool split) noexcept
      : segment_(segment),
        cma_(cma),
        root_(call.root),
        data_(whole_of(call)),
        split_(split),
        mine_(call.receive.type->contiguous()
                  ? reinterpret_cast<std::uintptr_t>(call.receive.buffer)
                  : 0) {}

  Status run() noexcept {
    const bool is_root = segment_.rank() == root_;
    announce();
    const std::uint64_t source = is_root ? mine_ : cma_.buffers(root_).operand;
    if (source == 0) return through_segment();
    if (is_root) {
      for_others(segment_, [&](int rank) { write_part(rank); });
    } else {
      read_part(source);
    }
    return end();
  }

 private:
  static Bytes whole_of(const Call& call) noexcept { return block(call.receive, 0); }

  // Everybody learns where the root's buffer is; the root also where those of the others are.
  void announce() noexcept {
    exchange_with_root(
        mine_, [&](int rank, std::uint64_t theirs) { cma_.buffers(rank).operand = theirs; });
  }

  // As exchange_all(), between the root and each of the others.
  template <class T, class See>
  void exchange_with_root(const T& mine, See see) noexcept {
    const Round round = segment_.enter();
    std::memcpy(segment_.slot(round, sizeof mine), &mine, sizeof mine);
    segment_.publish(round);
    const auto read = [&](int rank) {
      T theirs;
      std::memcpy(&theirs, segment_.chunk(round, rank, sizeof theirs), sizeof theirs);
      see(rank, theirs);
    };
    if (segment_.rank() == root_) {
      for_others(segment_, read);
      segment_.seen_all(round);
    } else {
      read(root_);
    }
    segment_.leave(round);
  }

  Status through_segment() noexcept {
    if (segment_.rank() == root_) return stream_out(segment_, data_), Status{};
    return stream_in(segment_, root_, data_), Status{};
  }

  // Bytes that a process with a buffer in one piece reads itself.
  std::size_t read_by_others() const noexcept {
    if (!split_) return data_.total();
    const std::size_t share = data_.total() / static_cast<std::size_t>(segment_.size());
    // Two parts that share a page would pin it twice.
    return data_.total() - share / kPage * kPage;
  }

  void write_part(int rank) noexcept {
    const std::size_t first = read_by_others();
    const std::uint64_t theirs = cma_.buffers(rank).operand;
    if (theirs == 0 || first == data_.total() || !status_.ok()) return;
    const auto* from = reinterpret_cast<const std::byte*>(mine_);
    status_ = cma_.write(rank, theirs + first, from + first, data_.total() - first);
  }

  void read_part(std::uint64_t source) noexcept {
    if (mine_ != 0) {
      status_ = cma_.read(root_, source, reinterpret_cast<std::byte*>(mine_), read_by_others());
      return;
    }
    in_chunks(data_.total(), CmaAccess::kBlock, [&](std::size_t position, std::size_t bytes) {
      if (status_.ok()) status_ = cma_.read(root_, source + position, cma_.operand(), bytes);
      if (status_.ok()) data_.write(position, cma_.operand(), bytes);
    });
  }

  // Waits until this process's buffer is complete, or no longer read. The root's failure is known
  // to all, that of another process to the root.
  Status end() noexcept {
    exchange_with_root(status_.code(), [&](int rank, Errc theirs) {
      if (theirs == Errc::ok || !status_.ok()) return;
      char text[160];
      std::snprintf(text, sizeof text, "rank %d could not copy its part of the broadcast: %s", rank,
                    Status(theirs).text());
      status_ = Status::failure(theirs, text);
    });
    return status_;
  }

  SharedSegment& segment_;
  const CmaAccess& cma_;
  int root_;
  Bytes data_;
  bool split_;
  std::uint64_t mine_;  // 0: has holes
  Status status_;
};

}  // namespace

Status direct_bcast(SharedSegment& segment, const CmaAccess& cma, const Call& call,
                    bool split) noexcept {
  return DirectBcast(segment, cma, call, split).run();
}

}  // namespace tessera::coll::sm
