// SPDX-License-Identifier: BSD-3-Clause
// osc/sm: windows of processes that share a machine.
#include "module.h"
#include "tessera/pml.h"

namespace tessera::osc::sm {

class SmComponent final : public Component {
 public:
  Status open(const Host&, pml::Router& router) noexcept override {
    router_ = &router;
    return {};
  }

  Status judge(const Question& question) noexcept override {
    for (int rank = 0; rank < question.comm.size(); ++rank) {
      Peer& peer = question.comm.peer(rank);
      if (peer.locality == Locality::self) continue;
      if (peer.id >= question.comm.job().size())
        return Status::failure(Errc::unsupported, "some of its processes are of other jobs");
      if (peer.locality != Locality::node)
        return Status::failure(Errc::unsupported, "some of its processes are on other machines");
      if (question.flavor == Flavor::shared) continue;  // there is no other way
      if (peer.bell == nullptr)
        return Status::failure(Errc::unsupported, "no transport in use goes through memory");
      if (question.memory && !reaches_into(peer))
        return Status::failure(Errc::unsupported,
                               "the kernel does not let processes reach into each other");
    }
    return {};
  }

  Result<std::unique_ptr<Module>> make(Window& window) noexcept override {
    ++windows_;
    return SmModule::make(window);
  }
  void measure(Measures& measures) noexcept override { measures.value("windows") = windows_; }

 private:
  bool reaches_into(Peer& peer) noexcept {
    const auto routes = router_->routes(peer);
    return routes.ok() && !routes.value().empty() && routes.value().front().endpoint->direct();
  }

  pml::Router* router_ = nullptr;
  std::uint64_t windows_ = 0;
};

}  // namespace tessera::osc::sm

TESSERA_COMPONENT(osc, sm, "1.0.0", 50, tessera::osc::sm::SmComponent,
                  "Windows of processes that share a machine: loads, stores, atomic instructions",
                  TESSERA_VARIABLE("windows", counter, process, "windows", 4,
                                   "Windows that were made over memory that processes share."))
