// SPDX-License-Identifier: BSD-3-Clause
// One process as a client of a PMIx server.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "library.h"
#include "tessera/boot.h"

namespace tessera::boot::pmix {

class PmixSession final : public Session {
 public:
  static Result<std::unique_ptr<Session>> open(const Library& library) noexcept;

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
  explicit PmixSession(const Library& library) noexcept : library_(library) {}
  Status read_place() noexcept;
  Status read_nodes() noexcept;
  Status failure(const char* call, int code) const;
  Proc process(std::uint32_t rank) const noexcept;
  // What the job's processes are told at their start; nothing is asked of others.
  std::optional<std::int64_t> number(std::uint32_t rank, const char* key) const noexcept;
  std::optional<std::string> text(std::uint32_t rank, const char* key) const noexcept;

  Library library_;
  Proc me_{};
  Place place_;
  bool open_ = false;
};

}  // namespace tessera::boot::pmix
