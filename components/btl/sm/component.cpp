// SPDX-License-Identifier: BSD-3-Clause
// btl/sm: packets between processes of one machine through shared memory.
#include "module.h"

namespace tessera::btl::sm {

class SmComponent final : public btl::Component {
 public:
  Result<std::span<Module* const>> open(const Host& host, const Sinks& sinks) noexcept override {
    Result<std::unique_ptr<SmModule>> made = SmModule::create(host, sinks);
    if (!made) return made.status();
    module_ = std::move(made.value());
    offered_ = module_.get();
    return std::span<Module* const>(&offered_, 1);
  }
  void close() noexcept override { module_.reset(); }
  void measure(Measures& measures) noexcept override {
    if (module_) module_->measure(measures);
  }

 private:
  std::unique_ptr<SmModule> module_;
  Module* offered_ = nullptr;
};

}  // namespace tessera::btl::sm

using tessera::btl::sm::SmComponent;
// clang-format off
TESSERA_COMPONENT(btl, sm, "1.0.0", 50, SmComponent, "Shared memory between the ranks of a node",
  TESSERA_FACT("scope", "node") TESSERA_FACT("uniform", "ring_size")
  TESSERA_FACT("uniform", "slots")
  TESSERA_VARIABLE("packets_sent", counter, process, "packets", 4,
    "Packets put into the rings of other processes.")
  TESSERA_VARIABLE("single_copies", counter, process, "copies", 4,
    "Copies from or to the memory of another process (CMA).")
  TESSERA_VARIABLE("single_copy_bytes", aggregate, process, "bytes", 4,
    "Bytes copied from or to the memory of another process (CMA).")
  TESSERA_PARAM("eager_limit", size, "32K", "0..1M", "bytes", 4,
    "Largest message sent with the eager protocol.")
  TESSERA_PARAM("ring_size", size, "128K", "1K..4M", "bytes", 4,
    "Size of the per-peer FIFO data buffer: bytes in flight per direction. The default shrinks "
    "with the number of local ranks.")
  TESSERA_PARAM("slots", integer, "126", "1..65536", "packets", 5,
    "Number of FIFO entries per peer, one 64-byte cache line each. The default shrinks with the "
    "number of local ranks.")
  TESSERA_PARAM("single_copy", text, "auto", "auto,cma,none", "", 4,
    "Copy large messages directly from process to process. auto: CMA if the kernel permits it. "
    "cma: fail without it. none: always through the FIFO.")
  TESSERA_PARAM("get_threshold", size, "0", "0..", "bytes", 4,
    "Smallest message copied with CMA. 0: automatic, 8K to 24K according to the measured cost of "
    "a CMA call."))
// clang-format on
