// SPDX-License-Identifier: BSD-3-Clause
// pml: point-to-point messaging layer. Gives packets the semantics of MPI messages.
#pragma once
//
// Contract. One pml serves a process: the usable component of highest priority. The engine opens it
// before the btls, gives them its sink, and then attaches a Router. From there on, all
// point-to-point communication of all communicators goes through this module; arguments have been
// checked, ranks translated to peers, PROC_NULL filtered out. A message is matched by (context,
// source, tag); messages of one sender match in the order sent (MPI-5.0 §3.5). The module knows
// nothing of communicators: contexts are opaque 64-bit values, never reused, and may arrive before
// this process has made the communicator.
//
// Blocking calls make progress through Progress::wait_until. A request from isend/irecv is active
// at return (or complete already); one from *_init is inactive until start(). Buffers belong to the
// operation until completion; datatypes are retained by the module. Errors of an operation
// (truncation, lost peer) are in its status; a Status returned by a blocking call is that same
// status. Buffered mode is built by the engine from isend.
//
// Interposing. A component whose manifest has the fact "interposes" (always, or the short name of a
// boolean parameter of the component, which must then be true unless the user names the component)
// does not compete: once the pml is open, its wrap() answers with a module that stands in front of
// it and passes calls on; of several, that of highest priority is on top. Requests, messages and
// Peer::route stay those of the pml below. Neither calls the other while it is closed.
//
#include <span>

#include "tessera/btl.h"
#include "tessera/comm.h"

#define TESSERA_INTERFACE_pml 19

namespace tessera::pml {

enum class Mode : std::uint8_t { standard, synchronous, ready };

// What is in a message, in 16 bits, for a pml that compares it with what the receiver asks for. One
// predefined type over and over is told by name; of several types there is a checksum of their
// sequence. 0: fits whatever is asked for (MPI_BYTE, MPI_PACKED, no data).
std::uint16_t signature_mark(const Datatype& type, Count count) noexcept;
// Whether so many bytes with this mark may be received as elements of `type` (MPI-5.0 section
// 3.3.1).
bool signature_fits(std::uint16_t mark, std::uint64_t bytes, const Datatype& type) noexcept;
const char* signature_name(std::uint16_t mark) noexcept;  // "MPI_INT"

struct SendArgs {
  const void* buffer;
  Count count;
  const Datatype* type;
  Peer* peer;  // destination
  int source;  // this process's rank, as the receiver shall see it
  int tag;
  ContextId context;
  Mode mode;
  std::uint16_t mark = 0;  // of what lies packed in the buffer; 0: `type` says what it is
};

struct RecvArgs {
  void* buffer;
  Count count;
  const Datatype* type;
  Peer* peer;  // null with kAnySource
  int source;  // or kAnySource
  int tag;     // or kAnyTag
  ContextId context;
  // The caller sends right behind: long data that could be copied at once may wait for progress.
  bool sends_follow = false;
};

struct ProbeArgs {
  Peer* peer;
  int source;
  int tag;
  ContextId context;
};

// One way to a peer, with what its btl declares.
struct Route {
  btl::Endpoint* endpoint;
  const btl::Attributes* attributes;
};

// The engine's answer to "how do I reach this peer": best first, lowest latency leading; all of one
// exclusivity. All matching traffic to a peer must use the first, which keeps it in order; bulk
// data may use any.
class Router {
 public:
  virtual Result<std::span<const Route>> routes(
      Peer& peer) noexcept = 0;  // peer_failed: names who was asked and why not

 protected:
  ~Router() = default;
};

// One pending operation or one message that nobody has asked for, for whoever explains a hang.
struct Pending {
  enum class Kind : std::uint8_t { receive, send, unexpected };
  Kind kind;
  bool matched;  // both sides know of each other: it ends without a call of theirs
  int source;    // of the message, or kAnySource
  int tag;       // or kAnyTag
  ContextId context;
  std::uint64_t bytes;     // of the message, or room for it
  const Peer* peer;        // the other side; null: any
  const Request* request;  // null: none that the caller knows
};

// Called by survey(), and may not enter the pml.
class Surveyor {
 public:
  virtual void see(const Pending& pending) noexcept = 0;

 protected:
  ~Surveyor() = default;
};

class Module {
 public:
  virtual ~Module() = default;
  virtual btl::Sink& sink() noexcept = 0;
  virtual void attach(Router& router) noexcept = 0;

  virtual Status send(const SendArgs& args) noexcept = 0;
  // Sends a message whose data are copied before this returns, which takes no request. `again`: not
  // this one, or not now; nothing has happened, and isend() carries it out. An interposer that does
  // not override it gets isend().
  virtual Status inject(const SendArgs& /*args*/) noexcept { return Errc::again; }
  virtual Status recv(const RecvArgs& args, MessageStatus& status) noexcept = 0;
  virtual Result<Request*> isend(const SendArgs& args) noexcept = 0;
  virtual Result<Request*> irecv(const RecvArgs& args) noexcept = 0;
  virtual Result<Request*> send_init(const SendArgs& args) noexcept = 0;
  virtual Result<Request*> recv_init(const RecvArgs& args) noexcept = 0;

  // Whether a matching message is there; one round of progress is made when none is at hand.
  virtual Result<bool> iprobe(const ProbeArgs& args, MessageStatus& status) noexcept = 0;
  // The matching message, taken out of the queues, or null.
  virtual Result<Message*> improbe(const ProbeArgs& args) noexcept = 0;
  // Receives a matched message; consumes it.
  virtual Result<Request*> imrecv(Message& message, void* buffer, Count count,
                                  const Datatype& type) noexcept = 0;

  // Waits until everything this process has sent was taken over by the btls (before the process
  // ends).
  virtual void drain() noexcept = 0;

  // Shows the posted receives, the sends that are not complete, in the order of their envelopes per
  // peer, and the unexpected messages. False: this pml cannot, and no hang of it is explained.
  virtual bool survey(Surveyor& /*surveyor*/) noexcept { return false; }

  // Whether a receive fails where the types of its message do not match its own.
  virtual bool compares_types() const noexcept { return false; }
  // The engine forgets the peer (btl.h, Forgetting): no communicator lists it any more, and nothing
  // that is under way concerns it. What is left of its messages is dropped.
  virtual void forget(Peer& /*peer*/) noexcept {}
};

// A module that passes every call on to the one below: what an interposer derives from.
class Interposer : public Module {
 public:
  explicit Interposer(Module& below) noexcept : below_(&below) {}
  Module& below() const noexcept { return *below_; }

  btl::Sink& sink() noexcept override { return below_->sink(); }
  void attach(Router& router) noexcept override { below_->attach(router); }
  Status send(const SendArgs& args) noexcept override { return below_->send(args); }
  Status recv(const RecvArgs& args, MessageStatus& status) noexcept override {
    return below_->recv(args, status);
  }
  Result<Request*> isend(const SendArgs& args) noexcept override { return below_->isend(args); }
  Result<Request*> irecv(const RecvArgs& args) noexcept override { return below_->irecv(args); }
  Result<Request*> send_init(const SendArgs& args) noexcept override {
    return below_->send_init(args);
  }
  Result<Request*> recv_init(const RecvArgs& args) noexcept override {
    return below_->recv_init(args);
  }
  Result<bool> iprobe(const ProbeArgs& args, MessageStatus& status) noexcept override {
    return below_->iprobe(args, status);
  }
  Result<Message*> improbe(const ProbeArgs& args) noexcept override {
    return below_->improbe(args);
  }
  Result<Request*> imrecv(Message& message, void* buffer, Count count,
                          const Datatype& type) noexcept override {
    return below_->imrecv(message, buffer, count, type);
  }
  void drain() noexcept override { below_->drain(); }
  bool survey(Surveyor& surveyor) noexcept override { return below_->survey(surveyor); }
  bool compares_types() const noexcept override { return below_->compares_types(); }
  void forget(Peer& peer) noexcept override { below_->forget(peer); }

 private:
  Module* below_;
};

class Component : public tessera::Component {
 public:
  virtual Result<Module*> open(
      const Host& host) noexcept = 0;  // the module belongs to the component
  // Of an interposer: the module in front of `below`. A failure leaves it out.
  virtual Result<Module*> wrap(const Host& /*host*/, Module& /*below*/) noexcept {
    return Errc::unsupported;
  }
};

}  // namespace tessera::pml
