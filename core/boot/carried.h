// SPDX-License-Identifier: BSD-3-Clause
// A rank of a job over several hosts that mpiexec started.
#pragma once
//
// Contract. The carrier of this host (host_exchange.h) speaks to the engine; this process speaks to
// the carrier alone, through the job segment. Deaths, output and the end of the job are the
// carrier's, as they are mpiexec's on one machine.
//
#include <memory>

#include "core/boot/host_exchange.h"
#include "core/boot/node_cards.h"
#include "core/boot/segment.h"

namespace tessera {

class CarriedBoot final : public SegmentBoot {
 public:
  // The segment has several nodes.
  static Result<std::unique_ptr<CarriedBoot>> make(const JobView& view) noexcept;

  std::string story() const override;
  std::vector<std::uint32_t> firsts() const override { return node_cards_.speakers(); }
  void use(AdaptiveProgress& progress) noexcept override;
  Status publishing_done() noexcept override;
  Status leave(bool met) noexcept override;

 private:
  // The cards of other nodes, as a store.
  class Store final : public boot::Session {
   public:
    Store(const JobView& view, HostExchange& exchange) noexcept;
    const boot::Place& place() const noexcept override { return place_; }
    Status put(std::string_view, std::span<const std::byte>) noexcept override { return {}; }
    Status fence() noexcept override { return {}; }
    Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept override;
    void abort(int, std::string_view) noexcept override {}
    Status finalize() noexcept override { return {}; }

   private:
    HostExchange& exchange_;
    boot::Place place_;
  };

  CarriedBoot(const JobView& view, std::unique_ptr<SegmentJob> job, HostExchange exchange);

  HostExchange exchange_;
  Store store_;
  NodeCards node_cards_;
  bool left_ = false;
};

}  // namespace tessera
