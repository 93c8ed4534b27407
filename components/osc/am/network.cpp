// SPDX-License-Identifier: BSD-3-Clause
// Sending, queueing, and handing packets to their windows.
#include "network.h"

#include <algorithm>
#include <cstring>

#include "module.h"

namespace tessera::osc::am {

Network::~Network() {
  if (polled_) host_.progress.remove(*this);
}

Outbox* Network::outbox(Peer& peer) {
  auto& outbox = outboxes_[peer.id];
  if (outbox == nullptr) {
    const auto routes = router_.routes(peer);
    if (!routes.ok() || routes.value().empty()) return nullptr;
    outbox = std::make_unique<Outbox>(routes.value().front());
  }
  return outbox.get();
}

// What waits for room is in the outbox, where a poll finds the room, also the last one before a
// sleep; the payload stays where it is, since its owner waits.
Status Network::send(Peer& peer, const Header& header, std::span<const std::byte> payload,
                     bool lent) {
  Outbox* const out = outbox(peer);
  if (out == nullptr) return Errc::peer_failed;
  ++sent_messages_;
  if (out->empty()) {
    const Status sent = out->send(header, payload, lent);
    if (sent.code() != Errc::again) return sent;
  }
  out->lend(header, payload, lent);
  watch();
  if (Status s = host_.progress.wait_for(peer, [out] { return out->empty(); }); !s) {
    out->drop();
    return s;
  }
  return peer.failed.load(std::memory_order_relaxed) ? Errc::peer_failed : Errc::ok;
}

void Network::watch() {
  if (!polled_) host_.progress.add(*this);
  polled_ = true;
}

void Network::post(Peer& peer, const Header& header, std::span<const std::byte> payload) {
  Outbox* const out = outbox(peer);
  if (out == nullptr) return;
  ++sent_messages_;
  out->post(header, payload);
  if (!out->empty()) watch();
}

void Network::post(Peer& peer, const ResultStream& stream) {
  Outbox* const out = outbox(peer);
  if (out == nullptr) return;
  ++sent_messages_;
  out->post(stream);
  if (!out->empty()) watch();
}

int Network::poll() noexcept {
  int events = 0;
  bool waiting = false;
  for (auto& [id, out] : outboxes_) {
    if (out == nullptr || out->empty()) continue;
    if (out->push()) ++events;
    waiting = waiting || !out->empty();
  }
  if (!waiting && polled_) {
    polled_ = false;
    host_.progress.remove(*this);
  }
  return events;
}

void Network::put_off(AmModule& window, int rank) {
  locks_put_off_.push_back({std::this_thread::get_id(), &window, rank});
}

// Why it cannot be had is told by the calls of its epoch.
void Network::take_lock_put_off() {
  const auto thread = std::this_thread::get_id();
  for (const LockPutOff& lock : locks_put_off_) {
    if (lock.thread != thread) continue;
    static_cast<void>(lock.window->take_lock(lock.rank));
    return;
  }
}

void Network::forget_lock(const AmModule& window, int rank) noexcept {
  std::erase_if(locks_put_off_, [&](const LockPutOff& lock) {
    return lock.window == &window && lock.rank == rank;
  });
}

void Network::forget_locks(const AmModule& window) noexcept {
  std::erase_if(locks_put_off_, [&](const LockPutOff& lock) { return lock.window == &window; });
}

bool Network::drained() const noexcept {
  for (const auto& [id, out] : outboxes_) {
    if (out != nullptr && !out->empty()) return false;
  }
  return true;
}

// Types are queued like answers, so that no other packet to the peer comes between.
Result<std::uint32_t> Network::number_at(Peer& peer, const Datatype& type, std::uint64_t window) {
  if (type.contiguous()) return 0u;
  if (outbox(peer) == nullptr) return Errc::peer_failed;
  if (sent_.full()) {
    Header header{};
    header.kind = Kind::forget_types;
    header.window = window;
    for (const auto& [id, out] : outboxes_) {
      if (out != nullptr) out->post(header, {});
    }
    watch();
    sent_.clear();
  }
  SentTypes::Entry& entry = sent_.find(type);
  if (entry.known_to.insert(peer.id).second) send_type(peer, entry, window);
  return entry.number;
}

void Network::send_type(Peer& peer, const SentTypes::Entry& entry, std::uint64_t window) {
  const std::span<const Row> rows = entry.flat->rows();
  const std::size_t at_once = std::max<std::size_t>(1, outbox(peer)->chunk() / sizeof(Row));
  for (std::size_t first = 0; first < rows.size(); first += at_once) {
    Header header{};
    header.kind = Kind::type;
    header.type = entry.number;
    header.window = window;
    header.displacement = entry.flat->extent();
    post(peer, header, std::as_bytes(rows.subspan(first, std::min(at_once, rows.size() - first))));
  }
}

void Network::receive_type(const Peer& peer, const Header& header,
                           std::span<const std::byte> payload) {
  std::vector<Row> rows(payload.size() / sizeof(Row));
  std::memcpy(rows.data(), payload.data(), rows.size() * sizeof(Row));
  known_.entry(peer.id, header.type).add(rows, header.displacement);
}

void Network::deliver(btl::Endpoint& endpoint, std::span<const std::byte> bytes,
                      std::span<const std::byte> payload) noexcept {
  Header header;
  if (bytes.size() != sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  ++received_messages_;
  if (header.kind == Kind::type) return receive_type(endpoint.peer(), header, payload);
  if (header.kind == Kind::forget_types) return known_.forget(endpoint.peer().id);
  if (AmModule* const window = window_of(header)) window->receive(header, payload);
}

AmModule* Network::window_of(const Header& header) const noexcept {
  const auto found = windows_.find(header.window);
  return found != windows_.end() ? found->second : nullptr;
}

std::byte* Network::landing(btl::Endpoint&, std::span<const std::byte> bytes,
                            std::size_t payload_bytes) noexcept {
  Header header;
  if (bytes.size() != sizeof header) return nullptr;
  std::memcpy(&header, bytes.data(), sizeof header);
  AmModule* const window = window_of(header);
  return window != nullptr ? window->landing(header, payload_bytes) : nullptr;
}

void Network::landed(btl::Endpoint& endpoint, std::span<const std::byte> bytes,
                     std::size_t payload_bytes) noexcept {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  ++received_messages_;
  const bool operands = has_operands(header.kind);
  const std::uint32_t peer = endpoint.peer().id;
  if (AmModule* const window = window_of(header)) {
    if (operands)
      window->receive(header, {landings_.of(peer), payload_bytes});
    else
      window->receive_landed(header, payload_bytes);
  }
  if (operands) landings_.give_back(peer);
}

void Network::lost(Peer& peer, Status) noexcept {
  const auto out = outboxes_.find(peer.id);
  if (out != outboxes_.end() && out->second != nullptr) out->second->drop();
  known_.forget(peer.id);
  landings_.give_back(peer.id);
  for (auto& [number, module] : windows_) module->lost(peer);
}

}  // namespace tessera::osc::am
