// SPDX-License-Identifier: BSD-3-Clause
// What the engine does for components that stand in front of collectives: EngineServices.
#pragma once

#include "tessera/coll_interposer.h"

namespace tessera {
class AdaptiveProgress;
class Boot;
}  // namespace tessera

namespace tessera::coll {

class EngineServices final : public Services {
 public:
  EngineServices(AdaptiveProgress& progress, Boot& boot) noexcept
      : progress_(progress), boot_(boot) {}

  const Datatype& byte() const noexcept override;
  std::uint64_t signature(const Datatype& type, Count count) const noexcept override;
  std::uint16_t handle(const Datatype& type) const noexcept override;
  std::uint16_t handle(const Op& op) const noexcept override;
  const char* name(std::uint16_t handle) const noexcept override;
  bool fatal(const Communicator& comm) const noexcept override;
  void tell(std::string_view topic, std::string_view what,
            std::string_view next_step) const noexcept override;
  Status failure(Errc code, std::string_view topic, std::string_view what,
                 std::string_view next_step) const noexcept override;
  bool ending() const noexcept override;
  [[noreturn]] void abort() const noexcept override;
  void limit_naps(std::int64_t longest_us) const noexcept override;

 private:
  AdaptiveProgress& progress_;
  Boot& boot_;
};

}  // namespace tessera::coll
