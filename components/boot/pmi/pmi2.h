// SPDX-License-Identifier: BSD-3-Clause
// The commands of PMI-2: Pmi2.
#pragma once

#include "dialect.h"
#include "message.h"
#include "wire.h"

namespace tessera::boot::pmi {

class Pmi2 final : public Dialect {
 public:
  explicit Pmi2(Wire& wire) noexcept : wire_(wire) {}

  const char* name() const noexcept override { return "PMI-2"; }
  Result<std::string> introduce(std::uint32_t rank) noexcept override;
  Result<std::string> mapping() noexcept override { return attribute("PMI_process_mapping"); }
  Result<Limits> limits() noexcept override;
  std::optional<std::int64_t> app_number() noexcept override { return app_number_; }
  std::optional<std::int64_t> universe() noexcept override;
  Status put(std::string_view key, std::string_view value) noexcept override;
  Status fence() noexcept override;
  Result<std::string> get(std::string_view key) noexcept override;
  Status spawn(std::span<const Program> programs) noexcept override;
  void abort(int code, std::string_view why) noexcept override;
  Status finalize() noexcept override;

 private:
  // The answer to `request`, which is `command`'s and says that all is well.
  Result<Answer> ask(const Message& request, const char* command) noexcept;
  Result<std::string> attribute(std::string_view key) noexcept;

  Wire& wire_;
  std::string job_;
  std::int64_t app_number_ = 0;
};

}  // namespace tessera::boot::pmi
