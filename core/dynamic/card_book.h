// SPDX-License-Identifier: BSD-3-Clause
// The addresses of all processes that this one knows: CardBook.
#pragma once
//
// Contract. What components see as Bootstrap. Cards of the own job come from the boot; those of
// processes of other jobs are put in when the two meet (link.h) and taken out when they part. The
// cards of components that are opened after the start reach processes of other jobs
// only.
//
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tessera/peer.h"

namespace tessera {

class CardBook final : public Bootstrap {
 public:
  // `boot` outlives this object; `size` processes are of the own job.
  CardBook(Bootstrap& boot, std::uint32_t size) noexcept : boot_(boot), size_(size) {}

  Status publish(std::string_view key, std::span<const std::byte> value) noexcept override;
  Result<std::span<const std::byte>> lookup(const Peer& peer,
                                            std::string_view key) noexcept override;
  // The cards of the own job are complete.
  void close() noexcept { closed_ = true; }

  // All that this process has published, for another job to read.
  std::vector<std::byte> own() const;
  // What own() gave at that process. argument: it is damaged.
  Status put(const Peer& peer, std::span<const std::byte> cards);
  void remove(const Peer& peer) noexcept { others_.erase(peer.id); }

 private:
  using Cards = std::map<std::string, std::vector<std::byte>, std::less<>>;
  Bootstrap& boot_;
  std::uint32_t size_;
  bool closed_ = false;
  Cards own_;
  std::map<std::uint32_t, Cards> others_;  // by id
};

}  // namespace tessera
