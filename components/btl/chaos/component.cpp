// SPDX-License-Identifier: BSD-3-Clause
// btl/chaos: the component and its manifest.
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "layer.h"

namespace tessera::btl::chaos {

class ChaosComponent final : public Component {
 public:
  Result<std::span<Module* const>> open(const Host&, const Sinks&) noexcept override {
    return Status::failure(Errc::unsupported, "it only stands in front of other transports");
  }

  Result<std::span<Module* const>> wrap(const Host& host, const Sinks& sinks,
                                        Wrapped& below) noexcept override try {
    if (std::string_view(below.name()) == "self")
      return Status::failure(Errc::unsupported, "messages to oneself take no way");
    layers_.push_back(std::make_unique<Layer>(host, sinks, below.name(), counters_));
    return layers_.back()->open(below);
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

  // What is below is closed by now.
  void close() noexcept override { layers_.clear(); }

  void measure(Measures& measures) noexcept override {
    measures.value("delayed") = counters_.delayed;
    measures.value("reordered") = counters_.reordered;
    measures.value("refused") = counters_.refused;
    measures.value("split") = counters_.split;
    measures.value("corrupted") = counters_.corrupted;
    measures.value("dropped") = counters_.dropped;
  }

 private:
  Counters counters_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace tessera::btl::chaos

// clang-format off
TESSERA_COMPONENT(btl, chaos, "1.0.0", 10, tessera::btl::chaos::ChaosComponent,
  "Faults on purpose, for tests, in front of the other transports",
  TESSERA_FACT("interposes", "enable")
  TESSERA_VARIABLE("delayed", counter, process, "packets", 4, "Packets held back for a time.")
  TESSERA_VARIABLE("reordered", counter, process, "packets", 4,
    "Packets held back until packets to other processes had left.")
  TESSERA_VARIABLE("refused", counter, process, "packets", 4,
    "Packets that were not taken at first.")
  TESSERA_VARIABLE("split", counter, process, "packets", 4, "Packets sent in pieces.")
  TESSERA_VARIABLE("corrupted", counter, process, "packets", 4, "Packets sent with a wrong bit.")
  TESSERA_VARIABLE("dropped", counter, process, "connections", 4, "Connections dropped.")
  TESSERA_PARAM("enable", boolean, "false", "", "", 3,
    "Inject faults and check all packets by checksums. Equal on all ranks.")
  TESSERA_PARAM("seed", integer, "1", "0..", "", 3,
    "Seed of the faults: the same packets have the same faults with the same seed.")
  TESSERA_PARAM("rank", integer, "-1", "-1..", "", 3,
    "The only rank whose packets have faults. -1: all ranks.")
  TESSERA_PARAM("delay", real, "0", "0..1", "", 3,
    "Share of packets that are delayed, up to btl_chaos_delay_time.")
  TESSERA_PARAM("delay_time", integer, "1000", "1..60000000", "microseconds", 3,
    "Longest delay of a packet.")
  TESSERA_PARAM("reorder", real, "0", "0..1", "", 3,
    "Share of packets that packets to other processes overtake. The order between two processes is "
    "kept.")
  TESSERA_PARAM("refuse", real, "0", "0..1", "", 3,
    "Share of packets for which the transport has no room at first.")
  TESSERA_PARAM("partial", real, "0", "0..1", "", 3,
    "Share of packets that are sent in several pieces.")
  TESSERA_PARAM("corrupt", real, "0", "0..1", "", 3,
    "Share of packets with a wrong bit. The receiver finds it and gives the connection up.")
  TESSERA_PARAM("drop", real, "0", "0..1", "", 3,
    "Share of packets at which the connection is dropped.")
  TESSERA_PARAM("after", integer, "0", "0..", "packets", 3,
    "Packets to each process before btl_chaos_corrupt and btl_chaos_drop begin."))
// clang-format on
