// SPDX-License-Identifier: BSD-3-Clause
// osc/am: windows over active messages, on any btl.
#include <optional>

#include "module.h"

namespace tessera::osc::am {

class AmComponent final : public Component {
 public:
  Status open(const Host& host, pml::Router& router) noexcept override {
    network_.emplace(host, router);
    const std::string_view progress = host.params.text("progress");
    agent_ = progress == "none"     ? Agent::never
             : progress == "thread" ? Agent::always
                                    : Agent::for_far_peers;
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
    ++windows_;
    auto module = AmModule::make(window, *network_);
    if (!module.ok()) return module.status();
    (*module)->ask_for_agent(agent_);
    return std::unique_ptr<Module>(std::move(*module));
  }
  void measure(Measures& measures) noexcept override {
    measures.value("windows") = windows_;
    if (!network_) return;
    measures.value("messages_sent") = network_->sent();
    measures.value("messages_received") = network_->received();
  }
  bool drained() noexcept override { return !network_ || network_->drained(); }

 private:
  std::optional<Network> network_;
  Agent agent_ = Agent::for_far_peers;
  std::uint64_t windows_ = 0;
};

}  // namespace tessera::osc::am

TESSERA_COMPONENT(
    osc, am, "1.0.0", 20, tessera::osc::am::AmComponent,
    "Windows over active messages, on any transport",
    TESSERA_VARIABLE("windows", counter, process, "windows", 4,
                     "Windows that were made over active messages.")
        TESSERA_VARIABLE("messages_sent", counter, process, "messages", 4,
                         "Active messages of windows that this process sent: "
                         "operations, answers and synchronization.")
            TESSERA_VARIABLE("messages_received", counter, process, "messages", 4,
                             "Active messages of windows that this process received.")
                TESSERA_PARAM("progress", text, "auto", "auto,thread,none", "", 3,
                              "Progress of a window while its owner computes. auto: by a thread, "
                              "where processes are reached by a network and the window has not "
                              "the info key no_locks; thread: always by a thread; none: none."))
