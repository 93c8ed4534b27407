// SPDX-License-Identifier: BSD-3-Clause
// One process's conversation with a process manager.
#pragma once

#include <memory>
#include <optional>
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
  std::uint32_t app_number() noexcept override;
  std::optional<std::uint32_t> universe() noexcept override;
  Status put(std::string_view key, std::span<const std::byte> value) noexcept override;
  Status fence() noexcept override;
  Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept override;
  Status spawn(std::span<const Program> programs) noexcept override;
  void abort(int code, std::string_view why) noexcept override;
  Status finalize() noexcept override;

 private:
  explicit PmiSession(std::unique_ptr<Wire> wire) noexcept : wire_(std::move(wire)) {}
  Result<std::string> introduce(Versions versions) noexcept;
  void describe_engine();
  Status read_nodes() noexcept;
  std::string key_of(std::uint32_t rank, std::string_view key, std::size_t piece) const;
  // How much of a value goes into one command.
  Result<std::size_t> piece_bytes(std::string_view key) noexcept;

  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Dialect> dialect_;
  Place place_;
  std::optional<Limits> limits_;  // asked for with the first value
  bool slurm_ = false;            // whose server is Slurm's
};

}  // namespace tessera::boot::pmi
