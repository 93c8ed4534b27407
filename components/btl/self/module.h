// SPDX-License-Identifier: BSD-3-Clause
// The one module of btl/self: packets from a process to itself.
#pragma once
//
// A packet is delivered from within send(), straight from the sender's memory. A sink that sends
// from within deliver() does not nest: its packet is copied and queued, and delivered in order when
// the sink has returned, by the outermost send(). The queue is bounded by a parameter; when it is
// full, send() answers `again` and a poller is registered for as long as there is something to hand
// out, so that a sink that makes progress before it returns gets room.
//
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/btl.h"

namespace tessera::btl::self {

// A packet whose sender could not wait for its delivery: header and payload follow in the same
// allocation.
struct Queued {
  std::unique_ptr<Queued> next;
  Channel channel;
  std::uint8_t header_bytes;
  std::size_t payload_bytes;

  static std::unique_ptr<Queued> copy(const Packet& packet) noexcept;  // null: no memory
  static void operator delete(void* memory) noexcept { ::operator delete(memory); }
  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  std::size_t cost() const noexcept { return sizeof(Queued) + header_bytes + payload_bytes; }
};

// First in, first out, at most `limit` bytes.
class PacketQueue {
 public:
  explicit PacketQueue(std::size_t limit) noexcept : limit_(limit) {}
  ~PacketQueue();
  PacketQueue(const PacketQueue&) = delete;
  PacketQueue& operator=(const PacketQueue&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  Status push(const Packet& packet) noexcept;  // again: full; no_memory
  std::unique_ptr<Queued> pop() noexcept;

 private:
  std::unique_ptr<Queued> first_;
  Queued* last_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t limit_;
};

class SelfEndpoint final : public Endpoint, public Poller {
 public:
  SelfEndpoint(Peer& me, Progress& progress, const Sinks& sinks, std::size_t queue_bytes) noexcept
      : Endpoint(me), progress_(progress), sinks_(sinks), queue_(queue_bytes) {}
  ~SelfEndpoint() override { stop_polling(); }

  Status send(const Packet& packet) noexcept override;
  Status get(void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  Status put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  bool direct() noexcept override { return true; }
  int poll() noexcept override { return hand_out(); }
  std::uint64_t packets() const noexcept { return packets_; }

 private:
  Status enqueue(const Packet& packet) noexcept;
  int hand_out() noexcept;
  void stop_polling() noexcept;

  Progress& progress_;
  const Sinks& sinks_;
  PacketQueue queue_;
  std::uint64_t packets_ = 0;  // for tools
  bool delivering_ = false;
  bool polling_ = false;
};

class SelfModule final : public Module {
 public:
  SelfModule(const Host& host, const Sinks& sinks) noexcept;

  const Attributes& attributes() const noexcept override { return attributes_; }
  bool reaches(const Peer& peer) const noexcept override { return peer.locality == Locality::self; }
  Result<Endpoint*> connect(Peer& peer) noexcept override;
  const char* describe() const noexcept override { return "memory of this process"; }
  std::uint64_t packets() const noexcept { return endpoint_.packets(); }

 private:
  Attributes attributes_;
  SelfEndpoint endpoint_;
};

}  // namespace tessera::btl::self
