// SPDX-License-Identifier: BSD-3-Clause
// The life of a rank and of its windows in the suite for osc.
#include "osc_world.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "core/datatype/predefined.h"

namespace tessera::contract::rma {

void need(const Status& status, const char* what) noexcept {
  if (status.ok()) return;
  std::fprintf(stderr, "contract violated: %s: %s\n", what, status.text());
  std::_Exit(1);
}

// ---- processes ----

Rank::Rank(World& world, std::uint32_t id)
    : world_(world),
      job_(world.segment_, id),
      progress_(world.segment_.bell(id), Waiting::yield),
      bootstrap_(world.segment_, id, progress_) {
  open_transport(loop_plugin(), loop_);
  open_transport(transport_plugin(), far_);
  world.segment_.publishing_done(id);
  for (std::uint32_t peer = 0; peer < job_.size(); ++peer) find_way(job_.peer(peer));
  opened_ = instances_.open_osc({plugin().params(), job_, progress_, bootstrap_}, *this, sinks_);
}

Rank::~Rank() {
  const std::size_t before = progress_.pollers();
  instances_.close();
  EXPECT_LE(progress_.pollers(), before);
  for (Transport* transport : {&far_, &loop_}) {
    if (transport->component != nullptr) transport->component->close();
  }
  EXPECT_EQ(progress_.pollers(), 0U) << "close() left a poller registered";
}

void Rank::open_transport(Plugin* plugin, Transport& transport) {
  if (plugin == nullptr) return;
  if (&transport == &far_ && job_.size() == 1) return;  // there is nobody to reach
  transport.component = plugin->create();
  auto modules = static_cast<btl::Component&>(*transport.component)
                     .open({plugin->params(), job_, progress_, bootstrap_}, sinks_);
  need(modules.status(), "opening a transport");
  transport.modules = *modules;
}

void Rank::find_way(Peer& peer) {
  Transport& transport = peer.id == job_.my_id() ? loop_ : far_;
  for (btl::Module* module : transport.modules) {
    if (!module->reaches(peer)) continue;
    auto endpoint = module->connect(peer);
    need(endpoint.status(), "connecting two ranks");
    ways_.push_back({*endpoint, &module->attributes()});
    return;
  }
  need(Status::failure(Errc::not_found, "no transport between two ranks"), "routes");
}

Result<std::span<const pml::Route>> Rank::routes(Peer& peer) noexcept {
  return std::span<const pml::Route>(&ways_[peer.id], 1);
}

void Rank::meet() {
  world_.arrivals_.fetch_add(1, std::memory_order_acq_rel);
  const std::uint32_t goal = ++meetings_ * job_.size();
  progress_.wait_until([&] { return world_.arrivals_.load(std::memory_order_acquire) >= goal; });
}

void Rank::gather(const void* mine, std::size_t bytes, void* all) {
  const auto* first = static_cast<const std::byte*>(mine);
  world_.board_[job_.my_id()].assign(first, first + bytes);
  meet();
  for (std::size_t rank = 0; rank < job_.size(); ++rank)
    std::memcpy(static_cast<std::byte*>(all) + rank * bytes, world_.board_[rank].data(), bytes);
  meet();
}

Status Rank::judge(osc::Flavor flavor) {
  if (!opened_.ok()) return opened_;
  auto* comm = new WindowComm(*this, next_context());
  const osc::Hints hints;
  const bool memory = flavor == osc::Flavor::create || flavor == osc::Flavor::dynamic;
  const Status answer = instances_.windows().judge({flavor, *comm, hints, memory});
  comm->release();
  return answer;
}

void World::run(const std::function<void(Rank&)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t id = 0; id < segment_.ranks(); ++id) {
    threads.emplace_back([&, id] {
      Rank rank(*this, id);
      rank.meet();
      body(rank);
      rank.meet();
      rank.progress().wait_until([&] { return rank.instances().drained(); });
      rank.meet();  // nobody closes while another one still looks
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool serves(osc::Flavor flavor, int ranks) {
  if (ranks > 1 && transport_plugin() == nullptr) return false;
  std::atomic<int> accepted{0};
  World world(ranks);
  world.run([&](Rank& rank) {
    const Status answer = rank.judge(flavor);
    if (answer.ok()) ++accepted;
    EXPECT_TRUE(answer.ok() || answer.text()[0] != 0) << "it refuses and does not say why";
  });
  return accepted == ranks;
}

// ---- windows ----

WindowComm::WindowComm(Rank& rank, ContextId context) {
  for (int i = 0; i < rank.ranks(); ++i)
    all_.push_back(&rank.job().peer(static_cast<std::uint32_t>(i)));
  peers_ = local_peers_ = all_.data();
  progress_ = &rank.progress();
  job_ = &rank.job();
  context_ = context;
  rank_ = rank.id();
  size_ = remote_size_ = rank.ranks();
}

TestWindow::TestWindow(Rank& rank, osc::Flavor flavor, std::vector<osc::Part> parts,
                       const osc::Hints& hints, ContextId context)
    : rank_(rank), all_parts_(std::move(parts)) {
  comm_ = new WindowComm(rank, context);
  parts_ = all_parts_.data();
  hints_ = hints;
  flavor_ = flavor;
}

Status TestWindow::allgather(const void* mine, std::size_t bytes, void* all) noexcept {
  rank_.gather(mine, bytes, all);
  return {};
}

Opened::Opened(Rank& rank, osc::Flavor flavor, std::size_t bytes, const osc::Hints& hints)
    : memory_(flavor == osc::Flavor::create ? (bytes + 7) / 8 : 0) {
  osc::Part mine{flavor == osc::Flavor::dynamic ? 0 : static_cast<Aint>(bytes), 1,
                 reinterpret_cast<std::uintptr_t>(memory_.data())};
  if (memory_.empty()) mine.base = 0;
  std::vector<osc::Part> parts(static_cast<std::size_t>(rank.ranks()));
  rank.gather(&mine, sizeof mine, parts.data());
  window_ = new TestWindow(rank, flavor, std::move(parts), hints, rank.next_context());
  auto made = rank.instances().make_window(*window_);
  need(made.status(), "make()");
  module_ = std::move(*made);
  rank.meet();
}

Opened::~Opened() {
  need(module_->free(), "free()");
  module_.reset();
  window_->release();
}

// ---- data ----

const Datatype& byte() {
  return byte_type();
}
const Datatype& int64() {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(MPI_INT64_T));
}

osc::Combination on_int64(std::uintptr_t op) {
  osc::Combination how{};
  const auto element = reinterpret_cast<std::uintptr_t>(MPI_INT64_T);
  EXPECT_TRUE(osc::find_combination(static_cast<std::uint16_t>(op),
                                    static_cast<std::uint16_t>(element), how));
  return how;
}

osc::Local local(const void* data, Count count, const Datatype& type) {
  return {const_cast<void*>(data), count, &type};
}

Bytes pattern(std::size_t bytes, unsigned salt) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 7 + i / 251 + salt * 31 + 1) & 0xff);
  return data;
}

}  // namespace tessera::contract::rma
