// SPDX-License-Identifier: BSD-3-Clause
// One process's conversation with a process manager.
#pragma once

#include <memory>
#include <string>

#include "dialect.h"
#include "tessera/boot.h"
#include "wire.h"

namespace tessera::boot::pmi {

class PmiSession final : public Session {
 public:
  // Which versions may be spoken: the first that the process manager takes.
  enum class Versions : std::uint8_t { any, only_1, only_2 };

  // Speaks over `wire`; `rank` and `size` as the environment or the server has told. The server is
  // Slurm's, Hydra's or another one.
  static Result<std::unique_ptr<Session>> open(std::unique_ptr<Wire> wire, std::uint32_t rank,
                                               std::uint32_t size,
                                               Versions versions = Versions::any) noexcept;

  const Place& place() const noexcept override { return place_; }
  Status put(std::string_view key, std::span<const std::byte> value) noexcept override;
  Status fence() noexcept override;
  Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept override;
  Status spawn(std::span<const Program> programs) noexcept override;
  void abort(int code, std::string_view why) noexcept override;
  Status finalize() noexcept override;

 private:
  explicit PmiSession(std::unique_ptr<Wire> wire) noexcept : wire_(std::move(wire)) {}
  Status introduce(Versions versions) noexcept;
  void read_place() noexcept;
  Status read_nodes() noexcept;
  std::string key_of(std::uint32_t rank, std::string_view key, std::size_t piece) const;
  std::size_t piece_bytes(std::string_view key) const noexcept;

  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Dialect> dialect_;
  Place place_;
  Job job_;
  bool slurm_ = false;  // whose server is Slurm's
};

}  // namespace tessera::boot::pmi
