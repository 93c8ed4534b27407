// SPDX-License-Identifier: BSD-3-Clause
// Computed packets: writing, sending, checking.
#include "btl_traffic.h"

#include <algorithm>
#include <cstring>

namespace tessera::contract {

namespace {

constexpr int kPerPoll = 16;
constexpr std::size_t kLandAbove = 1024;  // payloads that the receiver asks to be written in place

std::string describe(btl::Channel channel, std::uint32_t from, std::uint32_t index) {
  return "packet " + std::to_string(index) + " from rank " + std::to_string(from) + " on channel " +
         std::to_string(static_cast<int>(channel)) + ": ";
}

}  // namespace

std::uint64_t mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

std::uint64_t packet_seed(std::uint32_t from, std::uint32_t to, std::uint32_t index) noexcept {
  return mix((std::uint64_t{from} << 48 | std::uint64_t{to} << 32 | index) + 0x9e3779b97f4a7c15u);
}

void fill(std::byte* bytes, std::size_t size, std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = mix(seed + i);
    std::memcpy(bytes + i, &word, std::min<std::size_t>(8, size - i));
  }
}

bool filled(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = mix(seed + i);
    if (std::memcmp(bytes.data() + i, &word, std::min<std::size_t>(8, bytes.size() - i)) != 0)
      return false;
  }
  return true;
}

void Draft::write(std::uint32_t from, std::uint32_t to, std::uint32_t index, const Shape& shape) {
  shape_ = shape;
  header_.resize(shape.header);
  payload_.resize(shape.payload);
  const std::uint64_t seed = packet_seed(from, to, index);
  fill(header_.data(), shape.header, ~seed);
  fill(payload_.data(), shape.payload, seed);
}

btl::Packet Draft::packet() const noexcept {
  return {shape_.channel, static_cast<std::uint8_t>(shape_.header), header_.data(), payload_.data(),
          shape_.payload};
}

bool Pump::idle() const noexcept {
  return std::all_of(targets_.begin(), targets_.end(),
                     [](const Target& t) { return t.next == t.count; });
}

int Pump::poll() noexcept {
  if (inside_) return 0;  // a sink of this process makes progress
  inside_ = true;
  int sent = 0;
  for (Target& target : targets_) {
    for (int i = 0; i < kPerPoll && target.next < target.count && send_next(target); ++i) ++sent;
  }
  inside_ = false;
  return sent;
}

bool Pump::send_next(Target& target) {
  const std::uint32_t to = target.endpoint->peer().id;
  if (!target.drafted) target.draft.write(me_, to, target.next, plan_(me_, to, target.next));
  target.drafted = true;
  const Status status = target.endpoint->send(target.draft.packet());
  if (!status.ok()) {
    ++refused_;
    if (!(status == Errc::again)) error_ = std::string("send failed: ") + status.text();
    return false;
  }
  target.drafted = false;
  ++target.next;
  return true;
}

void Replier::send(btl::Endpoint& endpoint) {
  const Waiting waiting{&endpoint, next_++};
  if (!backlog_.empty() || !attempt(waiting)) backlog_.push_back(waiting);
}

bool Replier::attempt(const Waiting& waiting) {
  const std::uint32_t to = waiting.endpoint->peer().id;
  Draft draft;
  draft.write(me_, to, waiting.index, plan_(me_, to, waiting.index));
  const Status status = waiting.endpoint->send(draft.packet());
  if (!status.ok() && !(status == Errc::again))
    error_ = std::string("send failed: ") + status.text();
  return status.ok();
}

// A first send may wait for the peer's card, and so poll.
int Replier::poll() noexcept {
  if (polling_) return 0;
  polling_ = true;
  int sent = 0;
  for (; !backlog_.empty() && attempt(backlog_.front()); ++sent) backlog_.pop_front();
  polling_ = false;
  return sent;
}

Receiver::Receiver(std::uint32_t me, std::uint32_t ranks) : me_(me), received_(ranks) {
  for (std::size_t i = 0; i < btl::kChannels; ++i) {
    ears_[i].owner = this;
    ears_[i].channel = static_cast<btl::Channel>(i);
    ears_[i].landing_by_peer.resize(ranks);
  }
}

const btl::Sinks& Receiver::sinks() noexcept {
  for (std::size_t i = 0; i < btl::kChannels; ++i)
    sinks_.set(static_cast<btl::Channel>(i), muted_[i] ? nullptr : &ears_[i]);
  return sinks_;
}

std::uint32_t Receiver::total() const noexcept {
  std::uint32_t sum = 0;
  for (const std::uint32_t count : received_) sum += count;
  return sum;
}

void Receiver::complain(const std::string& text) noexcept {
  if (error_.empty()) error_ = text;
}

void Receiver::arrived(btl::Channel channel, btl::Endpoint& endpoint,
                       std::span<const std::byte> header,
                       std::span<const std::byte> payload) noexcept {
  const std::uint32_t from = endpoint.peer().id;
  while (dropped(plan_(from, me_, received_[from]).channel)) ++received_[from];
  const std::uint32_t index = received_[from]++;
  const Shape shape = plan_(from, me_, index);
  const std::uint64_t seed = packet_seed(from, me_, index);
  if (channel != shape.channel)
    complain(describe(channel, from, index) + "arrived on the wrong channel");
  if (header.size() != shape.header)
    complain(describe(channel, from, index) + "header of wrong length");
  if (payload.size() != shape.payload)
    complain(describe(channel, from, index) + "payload of wrong length");
  if (!filled(header, ~seed))
    complain(describe(channel, from, index) + "wrong bytes in the header");
  if (!filled(payload, seed))
    complain(describe(channel, from, index) + "wrong bytes in the payload");
  if (hook_) hook_(endpoint, index);
}

void Receiver::Ear::deliver(btl::Endpoint& endpoint, std::span<const std::byte> header,
                            std::span<const std::byte> payload) noexcept {
  owner->arrived(channel, endpoint, header, payload);
}

std::byte* Receiver::Ear::landing(btl::Endpoint& endpoint, std::span<const std::byte>,
                                  std::size_t payload_bytes) noexcept {
  if (payload_bytes < kLandAbove) return nullptr;
  std::vector<std::byte>& place = landing_by_peer[endpoint.peer().id];
  place.assign(payload_bytes, std::byte{0});
  return place.data();
}

void Receiver::Ear::landed(btl::Endpoint& endpoint, std::span<const std::byte> header,
                           std::size_t payload_bytes) noexcept {
  const std::vector<std::byte>& place = landing_by_peer[endpoint.peer().id];
  if (place.size() != payload_bytes) owner->complain("landed() with another size than landing()");
  owner->arrived(channel, endpoint, header, place);
}

void Receiver::Ear::lost(Peer& peer, Status why) noexcept {
  owner->complain("rank " + std::to_string(peer.id) + " reported as lost: " + why.text());
}

}  // namespace tessera::contract
