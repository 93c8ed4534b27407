// SPDX-License-Identifier: BSD-3-Clause
// Random traffic between four ranks, checked message by message; stepped by one thread, and with a
// thread per rank.
#include <map>
#include <thread>

#include "transport_test.h"

namespace tessera::test {
namespace {

class Traffic : public testing::TestWithParam<Traits> {};

constexpr int kRanks = 4;
constexpr int kTags = 3;

// Messages are divided into classes with a context each; within a class all receives have the same
// shape, so that the receives of a class take exactly the messages of the class, whatever the
// timing.
enum Shape { exact, any_tag, any_source, any_both, kShapes };

struct Plan {
  int from, to, tag, shape;
  std::size_t bytes;
  std::uint32_t seed;
  bool synchronous;
  bool gaps;
};

std::vector<Plan> make_plan(std::uint64_t seed, int messages) {
  std::mt19937_64 random(seed);
  auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  std::vector<Plan> plan;
  for (int i = 0; i < messages; ++i) {
    const std::size_t size = below(3) == 0 ? random() % 6000 : random() % 60;
    plan.push_back({below(kRanks), below(kRanks), below(kTags), below(kShapes), size - size % 3,
                    static_cast<std::uint32_t>(i), below(8) == 0, below(4) == 0});
  }
  return plan;
}

class Player {
 public:
  Player(Rank& rank, const std::vector<Plan>& plan, std::uint64_t seed)
      : rank_(rank), plan_(plan), random_(seed) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].from == rank.number) outgoing_.push_back(&plan[i]);
      if (plan[i].to == rank.number) incoming_.push_back(&plan[i]);
    }
    wanted_ = incoming_;
    std::shuffle(wanted_.begin(), wanted_.end(), random_);
  }

  // Starts one more send or receive; false when all are started.
  bool act() {
    const bool can_send = next_send_ < outgoing_.size();
    const bool can_receive = next_receive_ < wanted_.size();
    if (!can_send && !can_receive) return false;
    if (can_send && (!can_receive || random_() % 2 == 0)) {
      send(*outgoing_[next_send_++]);
    } else {
      receive(*wanted_[next_receive_++]);
    }
    return true;
  }
  bool done() const {
    auto complete = [](const auto& item) { return item.request->complete(); };
    return std::all_of(receives_.begin(), receives_.end(), complete) &&
           std::all_of(sends_.begin(), sends_.end(), complete);
  }
  // Messages of one sender that fit the same receives arrived in the order they were sent.
  void verify() {
    std::map<std::tuple<int, int, int>, std::vector<const Plan*>> sent;
    for (const Plan* p : incoming_) sent[{p->shape, p->from, tag_of(*p)}].push_back(p);
    std::map<std::tuple<int, int, int>, std::size_t> next;
    for (Pending& r : receives_) {
      const MessageStatus status = r.request->status();
      ASSERT_TRUE(status.error.ok()) << status.error.text();
      const int tag = r.shape == any_tag || r.shape == any_both ? -1 : status.tag;
      const std::tuple<int, int, int> key{r.shape, status.source, tag};
      ASSERT_LT(next[key], sent[key].size());
      const Plan& expected = *sent[key][next[key]++];
      ASSERT_EQ(status.bytes, expected.bytes);
      ASSERT_EQ(status.tag, expected.tag);
      const auto data = pattern(expected.bytes, expected.seed);
      const auto got =
          packed(*r.type, r.buffer.data(), static_cast<Count>(expected.bytes) / r.type->size());
      ASSERT_EQ(got, data);
      r.request->free();
    }
    for (Pending& s : sends_) {
      ASSERT_TRUE(s.request->status().error.ok());
      s.request->free();
    }
  }

 private:
  struct Pending {
    std::vector<std::byte> buffer;
    const Datatype* type = nullptr;
    int shape = 0;
    Request* request = nullptr;
  };
  static int tag_of(const Plan& p) {
    return p.shape == any_tag || p.shape == any_both ? -1 : p.tag;
  }

  // Of collective operations where the transport says so.
  ContextId context_of(const Plan& p) const {
    return static_cast<ContextId>(100 + 2 * p.shape) + rank_.world.traits.context % 2;
  }

  void send(const Plan& p) {
    Pending& s = sends_.emplace_back();
    s.buffer = pattern(p.bytes, p.seed);
    rank_.context = context_of(p);
    s.request = rank_.isend(rank_.to(p.to, p.tag, s.buffer.data(), p.bytes,
                                     p.synchronous ? pml::Mode::synchronous : pml::Mode::standard));
  }
  void receive(const Plan& p) {
    Pending& r = receives_.emplace_back();
    r.shape = p.shape;
    r.type = p.gaps ? static_cast<const Datatype*>(&gaps_) : &bytes();
    const Count count = 6000 / r.type->size();
    r.buffer.resize(static_cast<std::size_t>(count * r.type->extent()));
    rank_.context = context_of(p);
    const bool source_known = p.shape == exact || p.shape == any_tag;
    const bool tag_known = p.shape == exact || p.shape == any_source;
    pml::RecvArgs args = rank_.from(source_known ? p.from : kAnySource, tag_known ? p.tag : kAnyTag,
                                    r.buffer.data(), 0);
    args.count = count;
    args.type = r.type;
    r.request = rank_.irecv(args);
  }

  Rank& rank_;
  const std::vector<Plan>& plan_;
  std::mt19937_64 random_;
  StridedType gaps_{3, 5};
  std::vector<const Plan*> outgoing_, incoming_, wanted_;
  std::size_t next_send_ = 0, next_receive_ = 0;
  std::deque<Pending> sends_, receives_;
};

TEST_P(Traffic, RandomTrafficStepped) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    World world(kRanks, GetParam(), seed * 1000);
    const std::vector<Plan> plan = make_plan(seed, 800);
    std::deque<Player> players;
    for (int i = 0; i < kRanks; ++i)
      players.emplace_back(world[i], plan, seed * 10 + static_cast<unsigned>(i));
    std::mt19937_64 random(seed);
    for (bool busy = true; busy;) {
      busy = false;
      for (Player& player : players) busy = player.act() || busy;
      if (random() % 3 == 0) world[static_cast<int>(random() % kRanks)].progress.poll();
    }
    world[0].progress.wait_until([&] {
      return std::all_of(players.begin(), players.end(), [](const Player& p) { return p.done(); });
    });
    for (Player& player : players) player.verify();
    world.settle();
    for (int i = 0; i < kRanks; ++i) EXPECT_EQ(world[i].module->buffers().in_use(), 0u);
  }
}

TEST_P(Traffic, RandomTrafficBetweenThreads) {
  Traits traits = GetParam();
  traits.threads = true;
  if (traits.gets_before_failure >= 0) return;  // its counters are not made for threads
  World world(kRanks, traits);
  const std::vector<Plan> plan = make_plan(99, 1200);
  std::atomic<int> running{kRanks};
  std::vector<std::thread> threads;
  for (int i = 0; i < kRanks; ++i) {
    threads.emplace_back([&, i] {
      Player player(world[i], plan, static_cast<std::uint64_t>(i));
      while (player.act()) world[i].progress.poll();
      world[i].progress.wait_until([&] { return player.done(); });
      world[i].module->drain();
      running.fetch_sub(1);
      world[i].progress.wait_until([&] { return running.load() == 0; });
      player.verify();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Blocking calls only, around a ring.
TEST_P(Traffic, BlockingRingBetweenThreads) {
  Traits traits = GetParam();
  traits.threads = true;
  if (traits.gets_before_failure >= 0) return;
  World world(kRanks, traits);
  std::atomic<int> running{kRanks};
  std::vector<std::thread> threads;
  for (int i = 0; i < kRanks; ++i) {
    threads.emplace_back([&, i] {
      Rank& me = world[i];
      for (const std::size_t n : kSizes) {
        std::vector<std::byte> token(n);
        MessageStatus status;
        for (int lap = 0; lap < 3; ++lap) {
          const auto expected = pattern(n, static_cast<std::uint32_t>(lap));
          if (i == 0) {
            EXPECT_TRUE(me.module->send(me.to(1, 0, expected.data(), n)).ok());
          }
          EXPECT_TRUE(
              me.module->recv(me.from((i + kRanks - 1) % kRanks, 0, token.data(), n), status).ok());
          EXPECT_EQ(token, expected);
          if (i != 0) {
            EXPECT_TRUE(me.module->send(me.to((i + 1) % kRanks, 0, token.data(), n)).ok());
          }
        }
      }
      me.module->drain();
      running.fetch_sub(1);
      me.progress.wait_until([&] { return running.load() == 0; });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Transport, Traffic, testing::ValuesIn(transports()), transport_name);

}  // namespace
}  // namespace tessera::test
