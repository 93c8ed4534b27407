// SPDX-License-Identifier: BSD-3-Clause
// What leaves for one peer, in order: packets that wait for room, and results that are read out of
// the window only when there is room for them.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "flat_type.h"
#include "wire.h"

namespace tessera::osc::am {

// Data for a get: `header` says for whom.
struct ResultStream {
  Header header;
  std::shared_ptr<const FlatType> type;
  std::byte* base;
};

class Outbox {
 public:
  explicit Outbox(pml::Route route) noexcept;
  std::size_t chunk() const noexcept { return chunk_; }  // bytes of payload of a packet
  // The same of data that lie side by side here and where they go, so that no buffer is needed.
  std::size_t direct_chunk() const noexcept { return direct_chunk_; }
  // The same of operands that lie side by side here.
  std::size_t operand_chunk() const noexcept { return operand_chunk_; }
  bool empty() const noexcept { return jobs_.empty(); }

  // At once, or when there is room; never waits.
  void post(const Header& header, std::span<const std::byte> payload);
  void post(const ResultStream& stream);
  // When there is room; the payload stays valid until the outbox is empty or drop() was called, or,
  // if it is `lent`, until the peer has answered (btl::Packet).
  void lend(const Header& header, std::span<const std::byte> payload, bool lent);
  // At once or not at all: again.
  Status send(const Header& header, std::span<const std::byte> payload, bool lent) noexcept;
  // Whether something has left.
  bool push() noexcept;
  // The peer is lost; also while something is being sent to it.
  void drop() noexcept {
    dropped_ = true;
    if (!pushing_) jobs_.clear();
  }

 private:
  struct Job {
    Header header;
    std::vector<std::byte> owned;  // what the payload may be
    std::span<const std::byte> payload;
    std::shared_ptr<const FlatType> type;
    std::byte* base = nullptr;
    bool stream = false;
    bool lent = false;
  };
  bool push(Job& job, bool& some) noexcept;

  btl::Endpoint* endpoint_;
  std::size_t chunk_;
  std::size_t direct_chunk_;
  std::size_t operand_chunk_;
  std::deque<Job> jobs_;
  bool pushing_ = false;
  bool dropped_ = false;
};

}  // namespace tessera::osc::am
