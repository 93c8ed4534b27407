// SPDX-License-Identifier: BSD-3-Clause
// osc/am: windows over active messages, on any btl.
#include <optional>

#include "module.h"

namespace tessera::osc::am {

class AmComponent final : public Component {
 public:
  Status open(const Host& host, pml::Router& router) noexcept override {
    network_.emplace(host, router);
    return {};
  }
  btl::Sink* sink() noexcept override { return &*network_; }

  Status judge(const Question& question) noexcept override {
    if (question.flavor == Flavor::shared) {
      return Status::failure(Errc::unsupported,
                             "messages give no memory that all processes can load and store");
    }
    return {};
  }

  Result<std::unique_ptr<Module>> make(Window& window) noexcept override {
    return AmModule::make(window, *network_);
  }
  bool drained() noexcept override { return !network_ || network_->drained(); }

 private:
  std::optional<Network> network_;
};

}  // namespace tessera::osc::am

TESSERA_COMPONENT(osc, am, "1.0.0", 20, tessera::osc::am::AmComponent,
                  "Windows over active messages, on any transport")
