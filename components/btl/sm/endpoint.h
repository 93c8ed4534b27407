// SPDX-License-Identifier: BSD-3-Clause
// The way to one process of this machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout.h"
#include "ring.h"
#include "tessera/btl.h"

namespace tessera::btl::sm {

enum class SingleCopy : std::uint8_t { automatic, cma, none };

// What the endpoints of one module have in common. Owned by the module.
struct Shared {
  SharedRegion region;
  Geometry geometry;
  std::uint32_t me = 0;  // my number among the processes of this machine
  SingleCopy single_copy = SingleCopy::automatic;

  ProcessEntry& process_entry(std::uint32_t owner) const noexcept {
    return *reinterpret_cast<ProcessEntry*>(region.base() + geometry.process_entry(owner));
  }
  std::byte* pair(std::uint32_t sender, std::uint32_t receiver) const noexcept {
    return region.base() + geometry.pair(sender, receiver);
  }
  // Takes memory ahead of use; no_space names the parameters that make the demand smaller.
  Status commit(std::size_t offset, std::size_t bytes) const noexcept;
};

class SmEndpoint final : public Endpoint {
 public:
  SmEndpoint(Peer& peer, std::uint32_t number, const Shared& shared) noexcept
      : Endpoint(peer),
        outbox_(shared.pair(shared.me, number), shared.geometry),
        bell_(peer.bell),
        shared_(shared),
        number_(number) {}

  Status send(const Packet& packet) noexcept override;
  Status get(void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  Status put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  bool direct() noexcept override;

  // For tools.
  std::uint64_t packets() const noexcept { return outbox_.packets(); }
  std::uint64_t copies() const noexcept { return copies_; }
  std::uint64_t copied_bytes() const noexcept { return copied_bytes_; }

  // Commits the ring towards the peer and tells the peer; once, then without effect.
  Status open() noexcept;

 private:
  enum class Reach : std::uint8_t { unknown, granted, denied };

  Status send_long(const Packet& packet) noexcept;
  Status make_slot() noexcept;
  Status make_data(const Packet& packet) noexcept;
  void announce() noexcept;
  Status reach() noexcept;
  void ring_bell() noexcept {
    if (bell_ != nullptr) [[likely]]
      bell_->ring();
  }

  Outbox outbox_;
  Doorbell* bell_;
  const Shared& shared_;
  std::uint32_t number_;      // of the peer among the processes of this machine
  std::uint64_t copies_ = 0;  // from or to the memory of the peer
  std::uint64_t copied_bytes_ = 0;
  bool open_ = false;
  bool data_open_ = false;
  Reach reach_ = Reach::unknown;
};

}  // namespace tessera::btl::sm
