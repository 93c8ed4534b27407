// SPDX-License-Identifier: BSD-3-Clause
// SendRequest: the data of a rendezvous, written directly into the receiver or streamed in
// fragments.
#include <algorithm>

#include "send_request.h"
#include "sender.h"

namespace tessera::ob1 {

bool SendRequest::cleared(const Cts& cts) noexcept {
  const bool expected = (phase_ == Phase::offered || phase_ == Phase::matched) && !settled_;
  if (!expected || part_count_ == kMaxParts) return false;
  if (cts.begin >= cts.end || cts.end > bytes()) return false;
  if (phase_ == Phase::offered) std::fill(std::begin(route_bytes_), std::end(route_bytes_), 0);
  phase_ = Phase::matched;
  recv_request_ = cts.recv_request;
  fin_awaited_ = (cts.common.flags & (kFinFollows | kLend)) != 0;
  parts_[part_count_++] = {cts.begin, cts.end, cts.address, (cts.common.flags & kPut) != 0,
                           (cts.common.flags & kLend) != 0 && type_->contiguous()};
  if (!advancing_ && !Hook<QueueTag>::linked()) sender_.outbox.run(*peer_, *this);
  return true;
}

bool SendRequest::taken() noexcept {
  if ((phase_ != Phase::offered && phase_ != Phase::matched) || settled_) return false;
  fin_awaited_ = false;
  if (part_count_ == 0) settle();
  return true;
}

// Writes one piece; if the btl cannot, the rest of the part is streamed.
Step SendRequest::put_piece(Part& part) noexcept {
  const std::uint64_t piece = std::min(part.end - part.at, sender_.settings.copy_piece);
  const auto* data = static_cast<const std::byte*>(buffer_) + part.at;
  const Status written = peer_->endpoint->put(data, part.address + part.at, piece);
  if (written == Errc::again) return Step::blocked;
  if (!written.ok()) {
    part.put = false;
    return Step::moved;
  }
  part.at += piece;
  sender_.outbox.control(*peer_, PutDone{{Kind::put_done}, recv_request_, piece});
  return part.at < part.end ? Step::moved : Step::over;
}

Step SendRequest::stream(Part& part) noexcept {
  const std::uint64_t begin = part.at;
  while (part.at < part.end && part.at - begin < sender_.settings.copy_piece) {
    const std::size_t size = std::min<std::uint64_t>(part.end - part.at, peer_->fragment);
    const void* data = gather(part.at, size);
    const Status sent = data == nullptr ? Status(Errc::no_memory) : send_fragment(part, data, size);
    if (sent == Errc::again) return part.at > begin ? Step::moved : Step::blocked;
    if (!sent.ok()) {
      sender_.outbox.lost(*peer_, sent);
      return Step::blocked;  // until it is abandoned
    }
    part.at += size;
    gathered(part.at);
  }
  return part.at < part.end ? Step::moved : Step::over;
}

// Offers the fragment to the routes, that one first which has carried least for its bandwidth.
Status SendRequest::send_fragment(const Part& part, const void* data, std::size_t size) noexcept {
  const Data header{{Kind::data, 0, 0, peer_->credit()}, recv_request_, part.at};
  const btl::Packet packet{.channel = btl::Channel::pml,
                           .header_bytes = sizeof header,
                           .header = &header,
                           .payload = data,
                           .payload_bytes = size,
                           .crossing = sender_.peers.expecting(),
                           .lent = part.lent};
  const std::uint64_t consumed = peer_->consumed;
  Status sent = Errc::again;
  std::uint32_t tried = 0;
  for (std::uint32_t i = 0; i < peer_->route_count && sent == Errc::again; ++i) {
    const std::uint32_t route = next_route(tried);
    sent = peer_->routes[route].endpoint->send(packet);
    tried |= 1u << route;
    if (!sent.ok()) continue;
    route_bytes_[route] += size;
    if (route == 0) peer_->reported = consumed;
  }
  return sent;
}

std::uint32_t SendRequest::next_route(std::uint32_t tried) const noexcept {
  std::uint32_t best = 0;
  double best_time = -1;
  for (std::uint32_t i = 0; i < peer_->route_count; ++i) {
    if ((tried & (1u << i)) != 0) continue;
    const double bandwidth = std::max(peer_->routes[i].attributes->bandwidth_mbs, 1u);
    const double time = static_cast<double>(route_bytes_[i]) / bandwidth;
    if (best_time >= 0 && time >= best_time) continue;
    best = i;
    best_time = time;
  }
  return best;
}

// The bytes [at, at + size) of the message, where they lie or packed; null without memory. A packed
// fragment is kept until it is sent.
const void* SendRequest::gather(std::uint64_t at, std::size_t size) noexcept {
  if (type_->contiguous()) return static_cast<const std::byte*>(buffer_) + at;
  if (staged_) return staging_;
  if (!cursor_) cursor_.emplace(*type_, buffer_, count_);
  if (cursor_->position() != at) cursor_->seek(at);
  if (const auto run = cursor_->run(); run.size() >= size) return run.data();
  if (staging_ == nullptr) staging_ = sender_.buffers.take(peer_->fragment);
  if (staging_ == nullptr) return nullptr;
  cursor_->pack(staging_, size);
  staged_ = true;
  return staging_;
}

void SendRequest::gathered(std::uint64_t end) noexcept {
  if (!cursor_) return;
  if (cursor_->position() != end) cursor_->seek(end);
  staged_ = false;
}

}  // namespace tessera::ob1
