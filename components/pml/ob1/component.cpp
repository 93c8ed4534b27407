// SPDX-License-Identifier: BSD-3-Clause
// The pml component ob1: manifest and entry.
#include <memory>

#include "module.h"

namespace tessera::ob1 {

class Ob1Component final : public pml::Component {
 public:
  Result<pml::Module*> open(const Host& host) noexcept override {
    module_.reset(new (std::nothrow)
                      Ob1Module(Settings::from(host.params), host.progress, host.job));
    if (module_ == nullptr) return Errc::no_memory;
    return module_.get();
  }
  void close() noexcept override { module_.reset(); }

 private:
  std::unique_ptr<Ob1Module> module_;
};

}  // namespace tessera::ob1

// clang-format off
TESSERA_COMPONENT(pml, ob1, "1.0.0", 20, tessera::ob1::Ob1Component,
  "Matching, eager and rendezvous protocols over byte transfer layers",
  TESSERA_FACT("uniform", "unexpected_limit")
  TESSERA_PARAM("eager_limit", size, "0", "0..1G", "bytes", 4,
    "Largest message sent with the eager protocol. 0: the limit that each btl declares.")
  TESSERA_PARAM("split", text, "measured", "auto,measured,never,always", "", 5,
    "Two-sided CMA: sender and receiver each copy half of a large message. auto: unless ranks "
    "are oversubscribed. measured: start like auto, then tune by sampling.")
  TESSERA_PARAM("split_threshold", size, "32K", "0..", "bytes", 5,
    "Smallest message that split=auto splits, and split=measured at its start.")
  TESSERA_PARAM("trial_interval", integer, "64", "1..1000000", "messages", 7,
    "With split=measured: number of messages per size class between two sampling phases.")
  TESSERA_PARAM("explain", boolean, "false", "", "", 4,
    "Report the copy protocol per size class at the end, from rank 0. Set by mpiexec --explain.")
  TESSERA_PARAM("copy_piece", size, "256K", "4K..1G", "bytes", 6,
    "Largest chunk of a message copied at a time before other messages make progress.")
  TESSERA_PARAM("unexpected_limit", size, "64M", "0..", "bytes", 4,
    "Memory of a process for unexpected messages, divided evenly among its peers. A peer whose "
    "share is used up falls back to the rendezvous protocol."))
// clang-format on
