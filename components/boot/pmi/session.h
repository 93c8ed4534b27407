// SPDX-License-Identifier: BSD-3-Clause
// One process's conversation with a PMI-1 server.
#pragma once

#include <memory>
#include <string>

#include "tessera/boot.h"
#include "wire.h"

namespace tessera::boot::pmi {

class PmiSession final : public Session {
 public:
  // Speaks over `descriptor`, a connected socket, which it takes; `rank` and `size` as the
  // environment or the server has told. The server is Slurm's, Hydra's or another one.
  static Result<std::unique_ptr<Session>> open(std::unique_ptr<Wire> wire, std::uint32_t rank,
                                               std::uint32_t size) noexcept;

  const Place& place() const noexcept override { return place_; }
  Status put(std::string_view key, std::span<const std::byte> value) noexcept override;
  Status fence() noexcept override;
  Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept override;
  Status spawn(std::span<const Program> programs) noexcept override;
  void abort(int code, std::string_view why) noexcept override;
  Status finalize() noexcept override;

 private:
  explicit PmiSession(std::unique_ptr<Wire> wire) noexcept : wire_(std::move(wire)) {}
  Status greet() noexcept;
  Status read_limits() noexcept;
  Status read_place() noexcept;
  Status read_nodes() noexcept;
  std::string key_of(std::uint32_t rank, std::string_view key, std::size_t piece) const;
  std::size_t piece_bytes(std::string_view key) const noexcept;
  Result<std::string> get_text(const std::string& key) noexcept;

  std::unique_ptr<Wire> wire_;
  Place place_;
  std::size_t key_limit_ = 0;
  std::size_t value_limit_ = 0;
  bool slurm_ = false;  // whose server is Slurm's
  std::string store_;   // the name of the job's key-value space
};

}  // namespace tessera::boot::pmi
