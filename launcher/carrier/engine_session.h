// SPDX-License-Identifier: BSD-3-Clause
// The session of an engine in a program that has the core inside: EngineStore.
#pragma once
//
// Contract. A boot component needs the engine's library, libtessera-core.so, which mpiexec does not
// use: offer_core() loads it, so that the component finds it under its name. Details of failures
// are kept by the copy of the core that made them: what the component says is fetched from there,
// in the thread that made the call.
//
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/boot/components.h"

namespace tessera::launcher::carrier {

// As open_boot_component(). Destroyed after all that uses it.
class EngineStore final : public boot::Session {
 public:
  static Result<std::unique_ptr<EngineStore>> open();

  const boot::Place& place() const noexcept override { return engine_.session->place(); }
  Status put(std::string_view key, std::span<const std::byte> value) noexcept override;
  Status fence() noexcept override;
  Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view key) noexcept override;
  void abort(int code, std::string_view why) noexcept override {
    engine_.session->abort(code, why);
  }
  Status finalize() noexcept override;

 private:
  explicit EngineStore(EngineSession engine) noexcept : engine_(std::move(engine)) {}
  EngineSession engine_;
};

}  // namespace tessera::launcher::carrier
