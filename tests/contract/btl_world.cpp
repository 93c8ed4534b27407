// SPDX-License-Identifier: BSD-3-Clause
// The life of a rank in the contract suite.
#include "btl_world.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace tessera::contract {

Rank::Rank(World& world, std::uint32_t id, const Options& options)
    : world_(world),
      job_(world.segment_, id),
      progress_(world.segment_.bell(id), options.waiting),
      bootstrap_(world.segment_, id, progress_),
      watcher_(world),
      receiver_(id, world.ranks()) {
  for (const btl::Channel channel : options.muted) receiver_.mute(channel);
  receiver_.expect(options.plan);
  progress_.add(watcher_);
  const Host host{plugin().params(), job_, progress_, bootstrap_};
  const Result<std::span<btl::Module* const>> offered =
      instances_.open_btl(host, receiver_.sinks());
  if (offered) modules_ = offered.value();
  opened_ = offered.status();
  world.segment_.publishing_done(id);
}

Rank::~Rank() {
  instances_.close();
  EXPECT_EQ(progress_.pollers(), 1u) << "close() left a poller registered";
  EXPECT_EQ(progress_.watched(), 0u) << "close() left a descriptor watched";
}

int Rank::Watcher::poll() noexcept {
  const std::uint32_t now = world.arrivals_.load(std::memory_order_acquire);
  if (now == seen) return 0;
  seen = now;
  return 1;
}

btl::Module* Rank::module_to(std::uint32_t id) const noexcept {
  for (btl::Module* module : modules_) {
    if (module->reaches(job_.peer(id))) return module;
  }
  return nullptr;
}

std::vector<std::uint32_t> Rank::reachable() const {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < job_.size(); ++id) {
    if (module_to(id) != nullptr) ids.push_back(id);
  }
  return ids;
}

btl::Endpoint& Rank::to(std::uint32_t id) {
  btl::Module* module = module_to(id);
  if (module == nullptr) throw std::runtime_error("rank not reached");
  Result<btl::Endpoint*> endpoint = module->connect(job_.peer(id));
  if (!endpoint) throw std::runtime_error(std::string("connect: ") + endpoint.status().text());
  return *endpoint.value();
}

bool Rank::failed() const noexcept {
  return world_.failed_.load(std::memory_order_relaxed);
}

void Rank::fail() noexcept {
  world_.failed_.store(true, std::memory_order_relaxed);
  world_.arrivals_.fetch_add(1u << 30, std::memory_order_acq_rel);
  world_.notify();
}

void Rank::meet() {
  world_.arrivals_.fetch_add(1, std::memory_order_acq_rel);
  world_.notify();
  const std::uint32_t goal = ++meetings_ * world_.ranks();
  wait_until([&] { return world_.arrivals_.load(std::memory_order_acquire) >= goal; });
}

void Rank::hold() {
  world_.barrier_.arrive_and_wait();
}

World::World(std::uint32_t ranks, Options options)
    : segment_(ranks, options.memory), options_(std::move(options)), barrier_(ranks) {}

void World::notify() noexcept {
  for (std::uint32_t i = 0; i < ranks(); ++i) segment_.bell(i).ring();
}

void World::run(const std::function<void(Rank&)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t id = 0; id < ranks(); ++id) threads.emplace_back([&, id] { live(id, body); });
  for (std::thread& thread : threads) thread.join();
}

void World::live(std::uint32_t id, const std::function<void(Rank&)>& body) {
  Rank rank(*this, id, options_);
  try {
    body(rank);
  } catch (const std::exception& failure) {
    ADD_FAILURE() << "rank " << id << ": " << failure.what();
    rank.fail();
  }
  for (btl::Module* module : rank.modules()) rank.wait_until([&] { return module->flushed(); });
  rank.meet();
  EXPECT_EQ(rank.receiver().error(), "") << "rank " << id;
  rank.hold();  // nobody closes while another one still looks
}

std::size_t packet_limit(std::uint32_t ranks) {
  std::atomic<std::size_t> limit{0};
  World world(ranks);
  world.run([&](Rank& rank) {
    if (!rank.modules().empty()) limit = rank.modules()[0]->attributes().max_packet;
  });
  return limit;
}

void exchange(Rank& rank, const Plan& plan, std::uint32_t count) {
  const std::vector<std::uint32_t> targets = rank.reachable();
  Pump pump(rank.progress(), rank.id(), plan);
  for (const std::uint32_t id : targets) pump.add(rank.to(id), count);
  rank.wait_until([&] {
    bool all = pump.idle() || !pump.error().empty();
    for (const std::uint32_t id : targets) all = all && rank.receiver().from(id) >= count;
    return all || !rank.receiver().error().empty();
  });
  EXPECT_EQ(pump.error(), "");
  if (!pump.error().empty() || !rank.receiver().error().empty()) rank.fail();
}

}  // namespace tessera::contract
