// SPDX-License-Identifier: BSD-3-Clause
// btl/self: packets from a process to itself.
#include <memory>
#include <new>

#include "module.h"

namespace tessera::btl::self {

class SelfComponent final : public btl::Component {
 public:
  Result<std::span<Module* const>> open(const Host& host, const Sinks& sinks) noexcept override {
    module_.reset(new (std::nothrow) SelfModule(host, sinks));
    if (module_ == nullptr) return Errc::no_memory;
    offered_ = module_.get();
    return std::span<Module* const>(&offered_, 1);
  }
  void close() noexcept override { module_.reset(); }
  void measure(Measures& measures) noexcept override {
    if (module_) measures.value("packets") = module_->packets();
  }

 private:
  std::unique_ptr<SelfModule> module_;
  Module* offered_ = nullptr;
};

}  // namespace tessera::btl::self

using tessera::btl::self::SelfComponent;
// clang-format off
TESSERA_COMPONENT(btl, self, "1.0.0", 100, SelfComponent, "Packets from a process to itself",
  TESSERA_FACT("scope", "self")
  TESSERA_VARIABLE("packets", counter, process, "packets", 5,
    "Packets that this process sent to itself.")
  TESSERA_PARAM("eager_limit", size, "4K", "0..16K", "bytes", 4,
    "Largest message sent with the eager protocol.")
  TESSERA_PARAM("queue_size", size, "256K", "128K..1G", "bytes", 6,
    "Size of the queue for packets sent from within a delivery."))
// clang-format on
