// SPDX-License-Identifier: BSD-3-Clause
// The commands of PMI-1: Pmi1.
#pragma once

#include "dialect.h"
#include "wire.h"

namespace tessera::boot::pmi {

class Pmi1 final : public Dialect {
 public:
  explicit Pmi1(Wire& wire) noexcept : wire_(wire) {}

  const char* name() const noexcept override { return "PMI-1"; }
  Result<std::string> introduce(std::uint32_t rank) noexcept override;
  Result<std::string> mapping() noexcept override { return get("PMI_process_mapping"); }
  Result<Limits> limits() noexcept override;
  std::optional<std::int64_t> app_number() noexcept override;
  std::optional<std::int64_t> universe() noexcept override;
  Status put(std::string_view key, std::string_view value) noexcept override;
  Status fence() noexcept override;
  Result<std::string> get(std::string_view key) noexcept override;
  Status spawn(std::span<const Program> programs) noexcept override;
  void abort(int code, std::string_view why) noexcept override;
  Status finalize() noexcept override;

 private:
  Wire& wire_;
  std::string store_;
};

}  // namespace tessera::boot::pmi
