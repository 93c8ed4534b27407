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

TESSERA_COMPONENT(
    pml, ob1, "1.0.0", 20, tessera::ob1::Ob1Component,
    "Matching, eager and rendezvous protocols over byte transfer layers",
    TESSERA_FACT("uniform", "unexpected_limit")  //
    TESSERA_PARAM("eager_limit", size, "0", "0..1G", "bytes", 4,
                  "Largest message sent without a handshake; 0 takes what each btl declares.")
        TESSERA_PARAM("split", text, "measured", "auto,measured,never,always", "", 5,
                      "Whether sender and receiver each copy one half of a large message, where a "
                      "btl can write and read the other process; auto does so unless processes "
                      "share processors; measured begins as auto and takes the way that trials on "
                      "this machine show to be the fastest.")
            TESSERA_PARAM(
                "split_threshold", size, "32K", "0..", "bytes", 5,
                "With split auto, and at first with measured, the smallest message that is split.")
                TESSERA_PARAM(
                    "trial_interval", integer, "64", "1..1000000", "messages", 7,
                    "With split measured, messages of a size before another way is tried.")
                    TESSERA_PARAM("explain", boolean, "false", "", "", 4,
                                  "Say at the end, from rank 0, how large messages were copied; "
                                  "mpiexec --explain asks for it.")
                        TESSERA_PARAM("copy_piece", size, "256K", "4K..1G", "bytes", 6,
                                      "Largest part of a message copied in one go before other "
                                      "messages get their turn.")
                            TESSERA_PARAM("unexpected_limit", size, "64M", "0..", "bytes", 4,
                                          "Memory of a process for messages that arrive before "
                                          "their receive; shared evenly between the senders, who "
                                          "fall back to a handshake when their share is used."))
