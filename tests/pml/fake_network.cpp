// SPDX-License-Identifier: BSD-3-Clause
// The network of fake_network.h.
#include "fake_network.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tessera::test {

bool Wire::refuses() noexcept {
  if (blocked_ || queue_.size() >= world_.traits.capacity) return true;
  return static_cast<int>(random_() % 100) < world_.traits.refuse_percent;
}

Status Wire::send(const btl::Packet& packet) noexcept {
  if (packet.header_bytes > btl::kMaxHeader ||
      packet.header_bytes + packet.payload_bytes > world_.traits.max_packet) {
    std::fprintf(stderr, "a packet of %d + %zu bytes is too long\n", packet.header_bytes,
                 packet.payload_bytes);
    std::abort();
  }
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (refuses()) return Errc::again;
    const auto* header = static_cast<const std::byte*>(packet.header);
    const auto* payload = static_cast<const std::byte*>(packet.payload);
    const int delay = world_.traits.longest_delay == 0
                          ? 0
                          : static_cast<int>(random_() % world_.traits.longest_delay);
    queue_.push_back({packet.channel,
                      {header, header + packet.header_bytes},
                      {payload, payload + packet.payload_bytes},
                      delay});
    ++sent_;
    if (packet.crossing) ++crossing_;
  }
  // A process sends to itself by delivering at once.
  if (&from_ == &to_ && world_.traits.longest_delay == 0) hand_out(to_.module->sink(), *this);
  return {};
}

Status Wire::get(void* local, std::uint64_t remote, std::size_t n) noexcept {
  if (!world_.traits.get) return Errc::unsupported;
  if (world_.traits.gets_before_failure == 0) return Errc::system;
  if (world_.traits.gets_before_failure > 0) --world_.traits.gets_before_failure;
  std::memcpy(local, reinterpret_cast<const void*>(remote), n);
  return {};
}

Status Wire::put(const void* local, std::uint64_t remote, std::size_t n) noexcept {
  if (!world_.traits.put) return Errc::unsupported;
  if (world_.traits.puts_before_failure == 0) return Errc::system;
  if (world_.traits.puts_before_failure > 0) --world_.traits.puts_before_failure;
  std::memcpy(reinterpret_cast<void*>(remote), local, n);
  return {};
}

bool Wire::direct() noexcept {
  return world_.traits.get;
}

bool Wire::empty() noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  return queue_.empty() && landing_ == nullptr;
}

bool Wire::take_due(Flight& flight) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (queue_.empty()) return false;
  if (queue_.front().delay > 0) {
    --queue_.front().delay;
    return false;
  }
  flight = std::move(queue_.front());
  queue_.pop_front();
  return true;
}

int Wire::hand_out(btl::Sink& sink, btl::Endpoint& back) noexcept {
  if (handing_out_) return 0;
  handing_out_ = true;
  int events = finish_landing(sink, back) ? 1 : 0;
  Flight flight;
  for (int i = 0; i < 16 && landing_ == nullptr && take_due(flight); ++i)
    events += deliver(flight, sink, back);
  handing_out_ = false;
  return events;
}

// A stream: the payload comes later than the header.
bool Wire::finish_landing(btl::Sink& sink, btl::Endpoint& back) noexcept {
  if (landing_ == nullptr) return false;
  const std::unique_ptr<Flight> done = std::move(landing_);
  sink.landed(back, done->header, done->payload.size());
  return true;
}

int Wire::deliver(Flight& flight, btl::Sink& sink, btl::Endpoint& back) noexcept {
  if (world_.traits.land && !flight.payload.empty() && &from_ != &to_) {
    if (std::byte* place = sink.landing(back, flight.header, flight.payload.size());
        place != nullptr) {
      std::memcpy(place, flight.payload.data(), flight.payload.size());
      landing_ = std::make_unique<Flight>(std::move(flight));
      return 1;
    }
  }
  sink.deliver(back, flight.header, flight.payload);
  return 1;
}

void StepProgress::publish() noexcept {
  pollers_ = list_.data();
  count_ = static_cast<std::uint32_t>(list_.size());
}

void StepProgress::add(Poller& poller) noexcept {
  list_.push_back(&poller);
  publish();
}

void StepProgress::remove(Poller& poller) noexcept {
  list_.erase(std::remove(list_.begin(), list_.end(), &poller), list_.end());
  publish();
}

bool StepProgress::idle(std::uint32_t rounds, const Condition&) noexcept {
  if (world_.traits.threads) {
    sched_yield();
    return false;
  }
  if (rounds > 100'000) {
    std::fprintf(stderr, "nothing moves any more, and a rank waits\n");
    std::abort();
  }
  world_.step();
  return false;
}

Rank::Rank(World& the_world, int the_number, int the_size)
    : world(the_world), number(the_number), progress(the_world) {
  for (int i = 0; i < the_size; ++i) {
    auto peer = std::make_unique<Peer>();
    peer->id = peer->name.index = static_cast<std::uint32_t>(i);
    peer->locality = i == number ? Locality::self : Locality::node;
    peers.push_back(std::move(peer));
  }
  context = world.traits.context;
  module = std::make_unique<ob1::Ob1Module>(world.traits.settings, progress, *this);
  module->attach(*this);
  progress.add(*this);
}

Rank::~Rank() {
  progress.remove(*this);
}

int Rank::poll() noexcept {
  int events = 0;
  for (int from = 0; from < world.size(); ++from) {
    for (int route = 0; route < world.traits.routes; ++route) {
      events +=
          world.wire(from, number, route).hand_out(module->sink(), world.wire(number, from, route));
    }
  }
  return events;
}

Result<std::span<const pml::Route>> Rank::routes(Peer& peer) noexcept {
  if (!unreachable.empty()) return Status::failure(Errc::peer_failed, unreachable);
  return std::span<const pml::Route>(ways[peer.id]);
}

pml::SendArgs Rank::to(int rank, int tag, const void* data, std::size_t n,
                       pml::Mode mode) noexcept {
  return {data, static_cast<Count>(n), &bytes(), peers[rank].get(), number, tag, context, mode};
}

pml::RecvArgs Rank::from(int rank, int tag, void* data, std::size_t n) noexcept {
  Peer* peer = rank == kAnySource ? nullptr : peers[rank].get();
  return {data, static_cast<Count>(n), &bytes(), peer, rank, tag, context};
}

pml::ProbeArgs Rank::probing(int rank, int tag) noexcept {
  return {rank == kAnySource ? nullptr : peers[rank].get(), rank, tag, context};
}

MessageStatus Rank::wait(Request* request) noexcept {
  progress.wait_until([&] { return request->complete(); });
  request->deactivate();
  const MessageStatus status = request->status();
  if (!request->persistent()) request->free();
  return status;
}

World::World(int size, Traits the_traits, std::uint64_t seed) : traits(std::move(the_traits)) {
  for (int route = 0; route < traits.routes; ++route) {
    btl::Attributes a;
    a.bandwidth_mbs = static_cast<std::uint32_t>(1000 * (route + 1));
    a.capabilities = (traits.get ? btl::can_get : 0u) | (traits.put ? btl::can_put : 0u) |
                     (traits.land ? btl::can_land : 0u);
    a.eager_limit = traits.eager_limit;
    a.max_packet = traits.max_packet;
    a.get_threshold = traits.get_threshold;
    a.get_tried = traits.get_tried;
    attributes.push_back(a);
  }
  for (int i = 0; i < size; ++i) ranks_.push_back(std::make_unique<Rank>(*this, i, size));
  for (auto& from : ranks_) {
    from->ways.resize(ranks_.size());
    for (auto& to : ranks_) {
      for (int route = 0; route < traits.routes; ++route) {
        from->wires.push_back(
            std::make_unique<Wire>(*this, *from, *to, *from->peers[to->number], seed++));
        from->ways[to->number].push_back({from->wires.back().get(), &attributes[route]});
      }
    }
  }
}

World::~World() = default;

Wire& World::wire(int from, int to, int route) noexcept {
  return *ranks_[from]->wires[static_cast<std::size_t>(to * traits.routes + route)];
}

void World::step() noexcept {
  for (auto& rank : ranks_) rank->progress.poll();
}

void World::settle() noexcept {
  for (int quiet = 0; quiet < 20; ++quiet) {
    for (auto& rank : ranks_) {
      if (rank->progress.poll() > 0) quiet = 0;
    }
  }
}

void World::lose(int lost, const char* why) noexcept {
  for (auto& rank : ranks_) {
    if (rank->number == lost) continue;
    rank->module->sink().lost(*rank->peers[lost], Status::failure(Errc::peer_failed, why));
  }
}

std::vector<std::byte> pattern(std::size_t n, std::uint32_t seed) {
  std::vector<std::byte> out(n);
  std::uint32_t x = seed * 2654435761u + 1;
  for (std::byte& b : out) {
    x = x * 1664525u + 1013904223u;
    b = static_cast<std::byte>(x >> 24);
  }
  return out;
}

}  // namespace tessera::test
