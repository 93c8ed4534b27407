// SPDX-License-Identifier: BSD-3-Clause
// btl: byte transfer layer. A btl moves packets to one peer.
#pragma once
//
// Contract. The engine opens the Component once, when it knows the job. The component answers with
// its modules: usually one, one per network device where there are several, or none and a reason
// (`unsupported`: it reaches no process of this job, no error even if the user named it; `refused`:
// the hardware is absent, the job has no shared memory). It prints no message.
// The engine asks each module in the order of its attributes which peers it reaches, and the pml
// asks for an Endpoint when it first needs one: connections are made lazily. Modules belong to the
// component, endpoints to the module; both live until close().
//
// Packets. A packet is a small header, written by the user of the btl and opaque to the btl, and a
// payload. It arrives whole, once, and in the order sent on that endpoint, at the Sink registered
// for its channel, from within poll() of the receiver (or, for a peer that is the process itself,
// from within send()). The bytes given to a sink are valid during the call only. A sink may send
// from within deliver().
//
// Flow control. send() takes all of the packet or none: `again` means that there is no room now;
// the caller keeps the packet, makes progress and repeats. No btl queues without bound.
//
// Channels. The engine owns the table of sinks; modules keep the reference that open() gave them
// and look into the table for every packet, since a layer may register when it is first used. It
// registers before any process can send to it: packets for a channel without a sink are dropped.
//
// Failure. A module that finds a peer dead or unreachable calls Sinks::lost(), which marks the peer
// and tells every sink; sends to the peer then fail with peer_failed. Where the engine learns of a
// death from the launcher, it does the same, so that a sink may hear of a peer twice, and a module
// that waits for a peer inside a call looks at Peer::failed.
//
// Forgetting. disconnect() announces that the engine forgets a peer: the module ends what connects
// the two and drops its endpoint, nobody uses either afterwards, and connect() may be called for
// the next peer with that id.
//
// Optional capabilities, declared in the attributes: `get` and `put` move bytes between this
// process and an address of the peer without the peer's help. Their defaults answer `unsupported`;
// nobody tests for null.
//
// Facts in the manifest (component.h): "scope" = self | node | network: the farthest peers a btl
// can reach. The engine does not open a btl when all peers are already reached by ones of higher
// priority, unless the user named it. "interposes" = always, or the short name of a boolean
// parameter of the component, which must then be true unless the user names the component: it
// reaches nobody itself but stands in front of those that do.
//
// Interposing. Wherever the engine would open a component, it calls wrap() of the interposer
// instead, which opens that component with sinks of its own and answers with modules of its own; of
// several, that of highest priority is on top. Endpoints are the interposer's too: what it delivers
// comes from the endpoint that its module's connect() gives. An interposer that fails before it
// opened what is below is left out. It is closed after what is below.
//
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "tessera/component.h"
#include "tessera/peer.h"

#define TESSERA_INTERFACE_btl 13

namespace tessera::btl {

class Endpoint;

// Who receives packets. Each layer that talks over btls owns one channel; those from `spare` on are
// free for layers to come.
enum class Channel : std::uint8_t { pml, coll, osc, control, spare };
inline constexpr std::size_t kChannels = 8;
inline constexpr std::size_t kMaxHeader = 64;  // bytes of header a packet may have

class Sink {
 public:
  // One packet has arrived from endpoint.peer().
  virtual void deliver(Endpoint& endpoint, std::span<const std::byte> header,
                       std::span<const std::byte> payload) noexcept = 0;
  // Asked by stream btls when a header has arrived whose payload has not: where shall the payload
  // be written? Null: the btl buffers it and calls deliver(). Otherwise the btl writes
  // `payload_bytes` bytes there and calls landed().
  virtual std::byte* landing(Endpoint&, std::span<const std::byte> /*header*/,
                             std::size_t /*payload_bytes*/) noexcept {
    return nullptr;
  }
  virtual void landed(Endpoint&, std::span<const std::byte> /*header*/,
                      std::size_t /*payload_bytes*/) noexcept {}
  virtual void lost(Peer& peer, Status why) noexcept = 0;  // called by Sinks::lost()

 protected:
  ~Sink() = default;
};

// The sinks of all channels; null where nobody has registered.
class Sinks {
 public:
  Sinks() = default;
  Sinks(std::initializer_list<Sink*> first) noexcept {
    std::copy(first.begin(), first.end(), sinks_.begin());
  }
  Sinks(const Sinks&) = delete;
  Sinks& operator=(const Sinks&) = delete;

  Sink* operator[](std::size_t channel) const noexcept { return sinks_[channel]; }
  Sink* operator[](Channel channel) const noexcept {
    return sinks_[static_cast<std::size_t>(channel)];
  }
  void set(Channel channel, Sink* sink) noexcept {
    sinks_[static_cast<std::size_t>(channel)] = sink;
  }
  // Marks the peer and tells each sink once, also one that serves several channels.
  void lost(Peer& peer, Status why) const noexcept {
    peer.failed.store(true, std::memory_order_relaxed);
    for (auto sink = sinks_.begin(); sink != sinks_.end(); ++sink) {
      const bool told = std::find(sinks_.begin(), sink, *sink) != sink;
      if (*sink != nullptr && !told) (*sink)->lost(peer, why);
    }
  }

 private:
  std::array<Sink*, kChannels> sinks_{};
};

struct Packet {
  Channel channel;
  std::uint8_t header_bytes;  // <= kMaxHeader
  const void* header;
  const void* payload;
  std::size_t payload_bytes;  // header_bytes + payload_bytes <= Attributes::max_packet
  // The receiver is probably sending at the same time, and takes nothing until it has done so.
  bool crossing = false;
  // The payload stays unchanged until the peer has answered something sent after it, so that it may
  // leave without a copy.
  bool lent = false;
};

enum Capability : std::uint32_t { can_get = 1, can_put = 2, can_land = 4 };

struct Attributes {
  std::uint32_t latency_ns = 0;     // of a small packet, one way, as declared or measured
  std::uint32_t bandwidth_mbs = 0;  // 10^6 bytes per second for large packets
  std::uint32_t exclusivity = 0;    // a peer is served only by btls of its highest exclusivity
  std::uint32_t capabilities = 0;   // Capability bits
  std::size_t eager_limit = 0;      // bytes of payload that are worth sending without a handshake
  std::size_t max_packet = 0;       // bytes of header and payload that one packet can carry
  std::size_t get_threshold = 0;    // with can_get: smallest message for which get() pays
  // With can_get: smallest message for which get() pays in some state of the machine, so that a
  // trial is worth while; 0: none below the threshold.
  std::size_t get_tried = 0;
  // Smallest message whose sender waits until all has arrived, so that it may lend its data; 0:
  // none.
  std::size_t lend_threshold = 0;
};

// A way to one peer.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  Peer& peer() const noexcept { return *peer_; }

  virtual Status send(const Packet& packet) noexcept = 0;

  // Moves `bytes` bytes from/to `remote` in the peer's address space. Synchronous: done on return.
  virtual Status get(void* /*local*/, std::uint64_t /*remote*/, std::size_t /*bytes*/) noexcept {
    return Errc::unsupported;
  }
  virtual Status put(const void* /*local*/, std::uint64_t /*remote*/,
                     std::size_t /*bytes*/) noexcept {
    return Errc::unsupported;
  }
  // Whether get/put work towards this very peer (probed once, on first call).
  virtual bool direct() noexcept { return false; }

 protected:
  explicit Endpoint(Peer& peer) noexcept : peer_(&peer) {}

 private:
  Peer* peer_;
};

// One way out of this process. Registers its own pollers and descriptors with Progress as it needs
// them.
class Module {
 public:
  virtual ~Module() = default;
  virtual const Attributes& attributes() const noexcept = 0;
  virtual bool reaches(const Peer& peer) const noexcept = 0;
  // The endpoint to a reachable peer; the same one each time. Does not wait for the peer.
  virtual Result<Endpoint*> connect(Peer& peer) noexcept = 0;
  // The engine forgets the peer; see above. Called after all that was sent to it has left, or after
  // it failed.
  virtual void disconnect(Peer& /*peer*/) noexcept {}
  // Called before the process ends: hands everything accepted by send() to the operating system or
  // the peer. True when nothing is left.
  virtual bool flushed() noexcept { return true; }
  // A line for --explain: device, addresses, how single copy is done. Owned by the module.
  virtual const char* describe() const noexcept { return ""; }
};

// What an interposer stands in front of. Valid during wrap().
class Wrapped {
 public:
  virtual const char* name()
      const noexcept = 0;  // of the component at the bottom; valid until close()
  // Its modules, once; `sinks` outlives them. A failure is passed on.
  virtual Result<std::span<Module* const>> open(const Sinks& sinks) noexcept = 0;

 protected:
  ~Wrapped() = default;
};

class Component : public tessera::Component {
 public:
  // The modules this component offers; `sinks` outlives them.
  virtual Result<std::span<Module* const>> open(const Host& host, const Sinks& sinks) noexcept = 0;
  // Of an interposer, for each component opened: modules that stand for those of `below`.
  virtual Result<std::span<Module* const>> wrap(const Host& /*host*/, const Sinks& /*sinks*/,
                                                Wrapped& /*below*/) noexcept {
    return Errc::unsupported;
  }
};

}  // namespace tessera::btl
