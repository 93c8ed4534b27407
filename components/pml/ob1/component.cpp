// SPDX-License-Identifier: BSD-3-Clause
// The pml component ob1: manifest and entry.
#include <memory>

#include "module.h"

namespace tessera::ob1 {

class Ob1Component final : public pml::Component {
 public:
  Result<pml::Module*> open(const Host& host) noexcept override {
    Settings settings = Settings::from(host.params, given_figures(host.job));
    settings.events = host.events;
    module_.reset(new (std::nothrow) Ob1Module(settings, host.progress, host.job));
    if (module_ == nullptr) return Errc::no_memory;
    return module_.get();
  }
  void close() noexcept override { module_.reset(); }
  void measure(Measures& measures) noexcept override {
    if (module_) module_->measure(measures);
  }

 private:
  std::unique_ptr<Ob1Module> module_;
};

}  // namespace tessera::ob1

// clang-format off
TESSERA_COMPONENT(pml, ob1, "1.0.0", 20, tessera::ob1::Ob1Component,
  "Matching, eager and rendezvous protocols over byte transfer layers",
  TESSERA_FACT("uniform", "unexpected_limit")
  TESSERA_VARIABLE("posted", level, process, "receives", 4,
    "Receives that wait for a message.")
  TESSERA_VARIABLE("unexpected", level, process, "messages", 4,
    "Messages that have arrived before their receives, and still wait for them.")
  TESSERA_VARIABLE("unexpected_messages", counter, process, "messages", 4,
    "Messages that have arrived before their receives were posted.")
  TESSERA_VARIABLE("buffered", size, process, "bytes", 4,
    "Memory taken by unexpected messages and by data that is packed or staged.")
  TESSERA_VARIABLE("buffered_highest", highwatermark, process, "bytes", 4,
    "Most memory taken by unexpected messages and by data that is packed or staged.")
  TESSERA_VARIABLE("buffered_share", percentage, process, "", 5,
    "Memory taken by unexpected messages and staged data, as a part of pml_ob1_unexpected_limit.")
  TESSERA_VARIABLE("rendezvous", counter, process, "messages", 4,
    "Messages sent with the rendezvous protocol.")
  TESSERA_VARIABLE("messages_sent", counter, process, "messages", 2,
    "Messages sent to all processes, those of collective operations included.")
  TESSERA_VARIABLE("bytes_sent", aggregate, process, "bytes", 2,
    "Bytes of the messages sent to all processes.")
  TESSERA_VARIABLE("messages_received", counter, process, "messages", 2,
    "Messages that have arrived from all processes, matched or not.")
  TESSERA_VARIABLE("bytes_received", aggregate, process, "bytes", 2,
    "Bytes of the messages that have arrived from all processes.")
  TESSERA_VARIABLE("peer_messages_sent", counter, peers, "messages", 3,
    "Messages sent to each process of the communicator, on any communicator.")
  TESSERA_VARIABLE("peer_bytes_sent", aggregate, peers, "bytes", 3,
    "Bytes sent to each process of the communicator, on any communicator.")
  TESSERA_VARIABLE("peer_messages_received", counter, peers, "messages", 3,
    "Messages that have arrived from each process of the communicator, on any communicator.")
  TESSERA_VARIABLE("peer_bytes_received", aggregate, peers, "bytes", 3,
    "Bytes that have arrived from each process of the communicator, on any communicator.")
  TESSERA_EVENT("unexpected_message", "source,tag,bytes", 4,
    "A message has arrived before its receive was posted. Elements: its source as a rank in its "
    "communicator, its tag, its bytes.")
  TESSERA_PARAM("eager_limit", size, "0", "0..1G", "bytes", 4,
    "Largest message sent with the eager protocol. 0: the limit that each btl declares.")
  TESSERA_PARAM("split", text, "measured", "auto,measured,never,always", "", 5,
    "Two-sided CMA: sender and receiver each copy half of a large message. auto: unless ranks "
    "are oversubscribed. measured: start like auto, then tune by sampling.")
  TESSERA_PARAM("split_threshold", size, "32K", "0..", "bytes", 5,
    "Smallest message that split=auto splits, and split=measured at its start. The default moves "
    "with the parameter machine_figures.")
  TESSERA_PARAM("trial_interval", integer, "64", "1..1000000", "messages", 7,
    "With split=measured: number of messages per size class between two sampling phases.")
  TESSERA_PARAM("explain", boolean, "false", "", "", 4,
    "Report the copy protocol per size class at the end, from rank 0. Set by mpiexec --explain.")
  TESSERA_PARAM("check", boolean, "false", "", "", 2,
    "Compare the datatypes of sends and receives: a message carries its type signature, and a "
    "receive of another one fails with MPI_ERR_TYPE. Set by mpiexec --check.")
  TESSERA_PARAM("copy_piece", size, "1M", "4K..1G", "bytes", 6,
    "Largest chunk of a message copied at a time before other messages make progress.")
  TESSERA_PARAM("unexpected_limit", size, "64M", "0..", "bytes", 4,
    "Memory of a process for unexpected messages, divided evenly among its peers. A peer whose "
    "share is used up falls back to the rendezvous protocol."))
// clang-format on
