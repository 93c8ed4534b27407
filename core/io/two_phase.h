// SPDX-License-Identifier: BSD-3-Clause
// Two-phase access: aggregators carry out the accesses of all, each for its own part of the file.
#pragma once
//
// Contract. The hull of all accesses is cut into one domain per aggregator, a domain into windows
// of cb_buffer_size bytes, one per round. In a round each process tells each aggregator by strips
// which bytes of its window it wants, and sends the data behind them or gets them from there; since
// views ascend, they are one piece of its stream. An aggregator writes what was laid into its
// window, and nothing between. A failure does not end the rounds: it is agreed upon at the end, and
// all processes have it. Messages travel on the file's own communicator, over which nothing else
// does. Source: R. Thakur, W. Gropp, E. Lusk, Data sieving and collective I/O in ROMIO, Frontiers
// '99.
//
#include <array>
#include <vector>

#include "core/comm/communicator.h"
#include "core/io/collective.h"
#include "core/io/transfer.h"
#include "core/io/window.h"

namespace tessera::io {

class TwoPhase {
 public:
  // `mine` is null at a process without data. `bytes` of it are to be transferred: fewer where the
  // file ends before.
  TwoPhase(Comm& comm, std::span<const Part> parts, const Cooperation& plan, const Transfer* mine,
           Offset bytes, bool writing, Driver& driver, Offset buffer) noexcept;
  // The same at all processes.
  Status run() noexcept;

 private:
  static constexpr std::size_t kInline = 31;  // strips that travel with the first message
  // What a process wants of a window.
  struct Wish {
    Offset bytes = 0;
    Offset strips = 0;
    std::array<Strip, kInline> first;
  };
  // At a process: its part of one aggregator's window.
  struct Share {
    Wish wish;
    std::vector<Strip> strips;
    std::vector<std::byte> packed;  // where memory is scattered
    Offset from = 0;                // in its stream
  };
  // At an aggregator: the part of one process.
  struct Claim {
    int rank = 0;
    Wish wish;
    std::vector<Strip> strips;
    std::vector<std::byte> data;
  };
  struct Bounds {
    Offset first;
    Offset end;
  };

  int rank_of(int aggregator) const noexcept;
  Bounds window_of(int aggregator, Offset round) const noexcept;
  bool concerns(const Part& part, const Bounds& bounds) const noexcept {
    return part.bytes > 0 && part.first < bounds.end && part.end > bounds.first;
  }
  void round(Offset number) noexcept;
  void make_share(int aggregator, const Bounds& bounds) noexcept;
  void ask(int aggregator, const Bounds& bounds) noexcept;
  void hear(const Bounds& bounds) noexcept;
  void hear_rest() noexcept;
  void exchange_data() noexcept;
  void serve_writes() noexcept;
  void serve_reads() noexcept;
  void unpack_shares() noexcept;
  std::byte* stream_of(Share& share) noexcept;
  void note(Status status) noexcept {
    if (failure_.ok()) failure_ = status;
  }
  void send(int rank, int tag, const void* data, std::size_t bytes) noexcept;
  void receive(int rank, int tag, void* data, std::size_t bytes) noexcept;
  void wait() noexcept;

  Comm& comm_;
  std::span<const Part> parts_;
  const Cooperation& plan_;
  const Transfer* mine_;
  Offset bytes_;
  bool writing_;
  Driver& driver_;
  Offset buffer_;
  Offset base_ = 0;      // where the first domain begins
  Offset domain_ = 0;    // bytes of each
  int aggregator_ = -1;  // the number of this process, if it is one
  std::vector<Share> shares_;
  std::vector<Claim> claims_;
  Window window_;
  std::vector<Request*> pending_;
  Status failure_;
};

}  // namespace tessera::io
