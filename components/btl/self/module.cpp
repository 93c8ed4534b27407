// SPDX-License-Identifier: BSD-3-Clause
// Delivery from within send(), and the queue for packets sent meanwhile.
#include "module.h"

#include <cstring>
#include <new>

namespace tessera::btl::self {

namespace {

constexpr std::size_t kQueuePerPacket =
    4;  // the queue holds at least so many of the longest packets

void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0) std::memmove(to, from, bytes);
}

}  // namespace

std::unique_ptr<Queued> Queued::copy(const Packet& packet) noexcept {
  void* memory =
      ::operator new(sizeof(Queued) + packet.header_bytes + packet.payload_bytes, std::nothrow);
  if (memory == nullptr) return nullptr;
  std::unique_ptr<Queued> queued(
      ::new (memory) Queued{nullptr, packet.channel, packet.header_bytes, packet.payload_bytes});
  self::copy(queued->bytes(), packet.header, packet.header_bytes);
  self::copy(queued->bytes() + packet.header_bytes, packet.payload, packet.payload_bytes);
  return queued;
}

PacketQueue::~PacketQueue() {
  while (pop() !=
         nullptr) {  // one by one: a chain of destructors would be as deep as the queue is long
  }
}

Status PacketQueue::push(const Packet& packet) noexcept {
  const std::size_t cost = sizeof(Queued) + packet.header_bytes + packet.payload_bytes;
  if (bytes_ + cost > limit_ && !empty()) return Errc::again;
  std::unique_ptr<Queued> queued = Queued::copy(packet);
  if (queued == nullptr) return Errc::no_memory;
  bytes_ += cost;
  Queued* added = queued.get();
  (empty() ? first_ : last_->next) = std::move(queued);
  last_ = added;
  return {};
}

std::unique_ptr<Queued> PacketQueue::pop() noexcept {
  std::unique_ptr<Queued> taken = std::move(first_);
  if (taken != nullptr) {
    first_ = std::move(taken->next);
    bytes_ -= taken->cost();
  }
  return taken;
}

Status SelfEndpoint::send(const Packet& packet) noexcept {
  ++packets_;
  if (delivering_) return enqueue(packet);
  Sink* sink = sinks_[packet.channel];
  if (sink == nullptr) return {};
  delivering_ = true;
  sink->deliver(*this, {static_cast<const std::byte*>(packet.header), packet.header_bytes},
                {static_cast<const std::byte*>(packet.payload), packet.payload_bytes});
  hand_out();
  delivering_ = false;
  return {};
}

Status SelfEndpoint::enqueue(const Packet& packet) noexcept {
  const Status status = queue_.push(packet);
  if (status == Errc::again && !polling_) {
    progress_.add(*this);
    polling_ = true;
  }
  return status;
}

// Entered by the outermost send(), and by the poller, which may be inside a sink or outside of any
// send().
int SelfEndpoint::hand_out() noexcept {
  const bool outermost = !delivering_;
  delivering_ = true;
  int packets = 0;
  for (std::unique_ptr<Queued> next; (next = queue_.pop()) != nullptr; ++packets) {
    Sink* sink = sinks_[next->channel];
    const std::byte* bytes = next->bytes();
    if (sink != nullptr) {
      sink->deliver(*this, {bytes, next->header_bytes},
                    {bytes + next->header_bytes, next->payload_bytes});
    }
  }
  if (outermost) delivering_ = false;
  stop_polling();
  return packets;
}

void SelfEndpoint::stop_polling() noexcept {
  if (!polling_) return;
  progress_.remove(*this);
  polling_ = false;
}

Status SelfEndpoint::get(void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  copy(local, reinterpret_cast<const void*>(remote), bytes);  // NOLINT: an address of this process
  return {};
}

Status SelfEndpoint::put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  copy(reinterpret_cast<void*>(remote), local, bytes);  // NOLINT: an address of this process
  return {};
}

SelfModule::SelfModule(const Host& host, const Sinks& sinks) noexcept
    : endpoint_(host.job.peer(host.job.my_id()), host.progress, sinks,
                host.params.size("queue_size")) {
  attributes_.latency_ns = 20;
  attributes_.bandwidth_mbs = 20000;
  attributes_.exclusivity = 100;
  attributes_.capabilities = can_get | can_put;
  attributes_.max_packet = host.params.size("queue_size") / kQueuePerPacket;
  attributes_.eager_limit = host.params.size("eager_limit");
  attributes_.get_threshold = attributes_.eager_limit + 1;
}

Result<Endpoint*> SelfModule::connect(Peer& peer) noexcept {
  if (!reaches(peer))
    return Status::failure(Errc::argument, "btl self reaches only its own process");
  return &endpoint_;
}

}  // namespace tessera::btl::self
