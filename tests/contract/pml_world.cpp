// SPDX-License-Identifier: BSD-3-Clause
// The network of pml_world.h.
#include "pml_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/datatype/predefined.h"

namespace tessera::contract {

namespace {

constexpr std::uint32_t kPatience =
    100'000;  // rounds without an event, after which a wait is a hang

[[noreturn]] void end(const char* why) {
  std::fprintf(stderr, "contract violated: %s\n", why);
  std::abort();
}

}  // namespace

Status PmlWire::send(const btl::Packet& packet) noexcept {
  if (packet.channel != btl::Channel::pml) end("the pml sends on a channel that is not its own");
  if (packet.header_bytes > btl::kMaxHeader) end("a header is longer than btl::kMaxHeader");
  if (packet.header_bytes + packet.payload_bytes > world_.network.max_packet)
    end("a packet is longer than the btl's max_packet");
  if (world_.lost(peer())) return Status::failure(Errc::peer_failed, "the peer is gone");
  if (queue_.size() >= world_.network.capacity || random_() % 100 < world_.network.refuse_percent)
    return Errc::again;
  const auto* header = static_cast<const std::byte*>(packet.header);
  const auto* payload = static_cast<const std::byte*>(packet.payload);
  queue_.push_back(
      {{header, header + packet.header_bytes}, {payload, payload + packet.payload_bytes}});
  return {};
}

Status PmlWire::may_copy() const noexcept {
  if (!world_.network.direct) return Errc::unsupported;
  return world_.network.direct_fails ? Errc::system : Errc::ok;
}

Status PmlWire::get(void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  const Status may = may_copy();
  if (may.ok()) std::memcpy(local, reinterpret_cast<const void*>(remote), bytes);
  return may;
}

Status PmlWire::put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  const Status may = may_copy();
  if (may.ok()) std::memcpy(reinterpret_cast<void*>(remote), local, bytes);
  return may;
}

bool PmlWire::direct() noexcept {
  return world_.network.direct;
}

bool PmlWire::hand_over(btl::Sink& sink, btl::Endpoint& back) noexcept {
  if (busy_ || queue_.empty()) return false;
  busy_ = true;  // a sink that makes progress must not overtake
  const Parcel parcel = std::move(queue_.front());
  queue_.pop_front();
  std::byte* place = nullptr;
  if (world_.network.lands && !parcel.payload.empty())
    place = sink.landing(back, parcel.header, parcel.payload.size());
  if (place != nullptr) {
    std::memcpy(place, parcel.payload.data(), parcel.payload.size());
    sink.landed(back, parcel.header, parcel.payload.size());
  } else {
    sink.deliver(back, parcel.header, parcel.payload);
  }
  busy_ = false;
  return true;
}

void PmlProgress::add(Poller& poller) noexcept {
  list_.push_back(&poller);
  pollers_ = list_.data();
  count_ = static_cast<std::uint32_t>(list_.size());
}

void PmlProgress::remove(Poller& poller) noexcept {
  std::erase(list_, &poller);
  count_ = static_cast<std::uint32_t>(list_.size());
}

bool PmlProgress::idle(std::uint32_t rounds, const Condition&) noexcept {
  if (rounds > kPatience) end("a rank waits although nothing moves any more");
  world_.step();
  return false;
}

PmlRank::PmlRank(PmlWorld& world, int number)
    : world_(world),
      number_(number),
      job_(world.segment_, static_cast<std::uint32_t>(number)),
      progress_(world),
      bootstrap_(world.segment_, static_cast<std::uint32_t>(number), progress_) {
  auto module = instances_.open_pml({plugin().params(), job_, progress_, bootstrap_});
  if (!module) end(module.status().text());
  module_ = module.value();
  module_->attach(*this);
  progress_.add(*this);
}

PmlRank::~PmlRank() {
  progress_.remove(*this);
  instances_.close();
  EXPECT_EQ(progress_.pollers(), 0u) << "close() left a poller registered";
}

int PmlRank::poll() noexcept {
  int events = 0;
  for (int from = 0; from < world_.size(); ++from) {
    while (world_.wire(from, number_).hand_over(sink(), world_.wire(number_, from))) ++events;
  }
  return events;
}

Result<std::span<const pml::Route>> PmlRank::routes(Peer& peer) noexcept {
  if (!unreachable.empty()) return Status::failure(Errc::peer_failed, unreachable);
  return std::span<const pml::Route>(&ways_[peer.id], 1);
}

pml::SendArgs PmlRank::to(int rank, int tag, const void* data, std::size_t bytes,
                          pml::Mode mode) noexcept {
  return {data, static_cast<Count>(bytes), &byte_type(), &peer(rank), number_, tag, context, mode};
}

pml::RecvArgs PmlRank::from(int rank, int tag, void* data, std::size_t bytes) noexcept {
  Peer* source = rank == kAnySource ? nullptr : &peer(rank);
  return {data, static_cast<Count>(bytes), &byte_type(), source, rank, tag, context};
}

pml::ProbeArgs PmlRank::probing(int rank, int tag) noexcept {
  return {rank == kAnySource ? nullptr : &peer(rank), rank, tag, context};
}

MessageStatus PmlRank::wait(const Result<Request*>& request) noexcept {
  if (!request) {
    MessageStatus failed;
    failed.error = request.status();
    return failed;
  }
  progress_.wait_until([&] { return request.value()->complete(); });
  request.value()->deactivate();
  const MessageStatus status = request.value()->status();
  if (!request.value()->persistent()) request.value()->free();
  return status;
}

PmlWorld::PmlWorld(int size, const Network& the_network)
    : network(the_network), segment_(static_cast<std::uint32_t>(size)) {
  attributes_.latency_ns = 500;
  attributes_.bandwidth_mbs = 1000;
  attributes_.eager_limit = network.eager_limit;
  attributes_.max_packet = network.max_packet;
  attributes_.get_threshold = network.eager_limit + 1;
  attributes_.capabilities =
      (network.direct ? btl::can_get | btl::can_put : 0u) | (network.lands ? btl::can_land : 0u);
  for (int i = 0; i < size; ++i) ranks_.push_back(std::make_unique<PmlRank>(*this, i));
  unsigned seed = 1;
  for (auto& from : ranks_) {
    for (auto& to : ranks_) {
      from->wires_.push_back(std::make_unique<PmlWire>(*this, from->peer(to->number_), seed++));
      from->ways_.push_back({from->wires_.back().get(), &attributes_});
    }
  }
}

PmlWorld::~PmlWorld() = default;

PmlWire& PmlWorld::wire(int from, int to) noexcept {
  return *(*this)[from].wires_[static_cast<std::size_t>(to)];
}

void PmlWorld::step() noexcept {
  for (auto& rank : ranks_) rank->progress_.poll();
}

void PmlWorld::settle() noexcept {
  for (int quiet = 0; quiet < 30; ++quiet) {
    for (auto& rank : ranks_) {
      if (rank->progress_.poll() > 0) quiet = 0;
    }
  }
}

void PmlWorld::lose(int rank, const char* why) noexcept {
  lost_ = rank;
  for (auto& other : ranks_) {
    if (other->number_ != rank)
      other->sink().lost(other->peer(rank), Status::failure(Errc::peer_failed, why));
  }
}

std::vector<Network> networks() {
  return {{.name = "plain"},
          {.name = "tiny_packets", .max_packet = 160, .eager_limit = 40},
          {.name = "direct", .direct = true},
          {.name = "landing", .lands = true},
          {.name = "crowded", .capacity = 2, .refuse_percent = 50},
          {.name = "failing_copies", .direct = true, .direct_fails = true}};
}

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> out(bytes);
  std::minstd_rand random(seed + 1);
  for (std::byte& each : out) each = static_cast<std::byte>(random() >> 8);
  return out;
}

}  // namespace tessera::contract
