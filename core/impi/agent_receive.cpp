// SPDX-License-Identifier: BSD-3-Clause
// Agent: what arrives on a stream.
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/impi/agent.h"

namespace tessera::impi {

// What is there, but other streams get their turn.
void Agent::read(Stream& stream) {
  constexpr int kMostInARow = 8;
  for (int i = 0; i < kMostInARow && stream.open() && read_some(stream);) ++i;
}

// Whether more is there, as far as is known.
bool Agent::read_some(Stream& stream) {
  const auto missing = stream.reader().missing();
  // Behind data that has a place, the next header only: what follows it may have a place as well.
  const std::size_t beyond = stream.reader().in_place() ? kPacketBytes : scratch_.size();
  iovec places[2] = {{missing.data(), missing.size()}, {scratch_.data(), beyond}};
  msghdr message{};
  message.msg_iov = places;
  message.msg_iovlen = 2;
  const ssize_t n = ::recvmsg(stream.socket(), &message, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) {
    if (stream.fini_received && stream.fini_sent) return stream.close(), false;
    const char* const when = stream.fini_received ? "before it was sent FINI" : "without FINI";
    lost(stream,
         n == 0 ? std::string("it has closed its connection ") + when : std::strerror(errno));
    return false;
  }
  const auto have = static_cast<std::size_t>(n);
  const std::size_t in_place = std::min(missing.size(), have);
  stream.reader().put(in_place);
  ByteView bytes(scratch_.data(), have - in_place);
  reading_ = &stream;
  while (stream.open()) {
    const Fed fed = stream.reader().feed(bytes);
    if (fed == Fed::broken) return lost(stream, stream.reader().fault()), false;
    if (fed == Fed::need_more) break;
    arrived(stream, stream.reader().packet());
  }
  if (stream.open()) flush(stream);
  return have == missing.size() + beyond;
}

void Agent::arrived(Stream& stream, const Packet& packet) {
  if (trace_.is_open())
    trace_.record(FrameKind::packet, Direction::received, stream.name(), encode(packet),
                  stream.reader().data());
  if (packet.type == PacketType::fini) {
    stream.fini_received = true;
    return;
  }
  std::uint32_t& source = stream.last_source;
  if (source == ~0u || roster_.processes[source].id != packet.source) {
    const auto found = std::find_if(
        roster_.processes.begin(), roster_.processes.end(), [&](const ProcessEntry& process) {
          return process.host == stream.host() && process.id == packet.source;
        });
    if (found == roster_.processes.end())
      return lost(stream, "a packet comes from a process that it does not have");
    source = static_cast<std::uint32_t>(found - roster_.processes.begin());
  }
  if (packet.destination != roster_.processes[me_].id)
    return lost(stream, "a packet is for a process that is not here");
  Pair& pair = pairs_[source];
  if (packet.type == PacketType::protoack) {
    if (pair.sent < roster_.terms.ackmark)
      return lost(stream, "it acknowledges packets that were not sent");
    pair.sent -= roster_.terms.ackmark;
    if (!pair.idle()) enqueue(source);
    return;
  }
  count(source);
  if (packet.type == PacketType::syncack) matched(source, packet);
  const bool in_place = settle(stream, packet);
  events_.packets.push_back(
      {packet, source, in_place ? Bytes() : stream.reader().take_data(), in_place});
}

// ---- data that goes straight to its buffer ----

void Agent::receive_into(std::uint64_t request, std::uint32_t source, std::span<std::byte> rest) {
  std::lock_guard lock(mutex_);
  places_[request] = {source, rest};
}

Agent::Place* Agent::place_of(const Stream& stream, const Packet& packet) noexcept {
  if (packet.type != PacketType::data || !is_fragment(packet)) return nullptr;
  const auto found = places_.find(packet.destination_request);
  if (found == places_.end()) return nullptr;
  Place& place = found->second;
  const ProcessEntry& source = roster_.processes[place.source];
  const bool its_own = source.host == stream.host() && source.id == packet.source;
  return its_own && place.rest.size() >= packet.length ? &place : nullptr;
}

std::span<std::byte> Agent::place_for(const Packet& packet) noexcept {
  const Place* const place = place_of(*reading_, packet);
  return place != nullptr ? place->rest.first(packet.length) : std::span<std::byte>();
}

// Whether the data of a packet that is whole lies in its place now.
bool Agent::settle(Stream& stream, const Packet& packet) {
  Place* const place = place_of(stream, packet);
  if (place == nullptr) return false;
  const ByteView data = stream.reader().data();
  if (!stream.reader().in_place()) std::copy_n(data.begin(), data.size(), place->rest.begin());
  place->rest = place->rest.subspan(data.size());
  if (place->rest.empty()) places_.erase(packet.destination_request);
  return true;
}

void Agent::break_off(std::uint32_t rank, const std::string& why) {
  std::lock_guard lock(mutex_);
  lost(*stream_to(rank), why);
}

void Agent::count(std::uint32_t rank) {
  Pair& pair = pairs_[rank];
  if (++pair.received < roster_.terms.ackmark) return;
  pair.received = 0;
  ++pair.acks_due;
  enqueue(rank);
}

// The receiver, and nobody else, has matched the first packet of a long message: the rest may go.
void Agent::matched(std::uint32_t rank, const Packet& packet) {
  const auto body = bodies_.find(packet.source_request);
  if (body == bodies_.end() || body->second.to != rank) return;
  body->second.item.packet.destination_request = packet.destination_request;
  pairs_[body->second.to].queue.push_back(std::move(body->second.item));
  enqueue(body->second.to);
  bodies_.erase(body);
}

void Agent::lost(Stream& stream, const std::string& why) {
  stream.close();
  trace_.note(stream.name(), why);
  on_loss_(stream.client(), why);
}

}  // namespace tessera::impi
