// SPDX-License-Identifier: BSD-3-Clause
// Values beyond the life of a component, watermarks of several readers, and listeners.
#include "core/tools/collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {
namespace {

class Pump final : public Component {
 public:
  void measure(Measures& measures) noexcept override {
    ++asked;
    measures.value("level") = level;
    measures.value("highest") = std::exchange(highest, level);
    const auto each = measures.per_peer("sent", peers);
    for (std::uint32_t i = 0; i < peers; ++i) each[i] = 10 * i;
  }
  void rise(std::uint64_t to) noexcept {
    level = to;
    highest = std::max(highest, to);
  }
  std::uint64_t level = 0;
  std::uint64_t highest = 0;
  std::uint32_t peers = 2;
  int asked = 0;
};

std::uint64_t read_one(Collector& collector, std::string_view name) {
  return collector.read(collector.cell("btl_pump", name)).front();
}

std::vector<std::uint64_t> read_sent(Collector& collector) {
  return collector.read(collector.cell("btl_pump", "sent"));
}

TEST(Collector, AsksWhenSomebodyReads) {
  Collector collector;
  Pump pump;
  EXPECT_EQ(read_one(collector, "level"), 0u);
  collector.joined("btl_pump", pump);
  EXPECT_EQ(pump.asked, 0);
  pump.rise(7);
  EXPECT_EQ(read_one(collector, "level"), 7u);
  EXPECT_EQ(read_one(collector, "unheard_of"), 0u);
  EXPECT_EQ(pump.asked, 2);
  EXPECT_EQ(read_sent(collector), (std::vector<std::uint64_t>{0, 10}));
  pump.peers = 4;
  EXPECT_EQ(read_sent(collector), (std::vector<std::uint64_t>{0, 10, 20, 30}));
}

TEST(Collector, AsksTheComponentThatHasIt) {
  Collector collector;
  Pump pump;
  Component silent;
  collector.joined("btl_a", silent);
  EXPECT_TRUE(collector.read_of("btl", "sent").empty());
  collector.joined("btl_pump", pump);
  EXPECT_EQ(collector.read_of("btl", "sent"), (std::vector<std::uint64_t>{0, 10}));
  EXPECT_TRUE(collector.read_of("bt", "sent").empty());
  collector.left("btl_pump", pump);
  EXPECT_TRUE(collector.read_of("btl", "sent").empty()) << "of a component that is gone";
}

TEST(Collector, KeepsTheLastValues) {
  Collector collector;
  {
    Pump pump;
    collector.joined("btl_pump", pump);
    pump.rise(5);
    EXPECT_TRUE(collector.opened("btl"));
    EXPECT_FALSE(collector.opened("bt"));
    collector.left("btl_pump", pump);
  }
  EXPECT_EQ(read_one(collector, "level"), 5u);
  collector.forget_opened();
  EXPECT_FALSE(collector.opened("btl"));
}

TEST(Collector, EachReaderHasItsOwnExtreme) {
  Collector collector;
  Pump pump;
  collector.joined("btl_pump", pump);
  Mark early, late;
  pump.rise(3);
  collector.add_mark(collector.cell("btl_pump", "highest"), early);
  EXPECT_EQ(early.extreme, 3u);
  pump.rise(9);
  pump.rise(4);
  collector.add_mark(collector.cell("btl_pump", "highest"), late);
  EXPECT_EQ(early.extreme, 9u);
  EXPECT_EQ(late.extreme, 4u);
  pump.rise(6);
  pump.rise(1);
  static_cast<void>(read_one(collector, "highest"));
  EXPECT_EQ(early.extreme, 9u);
  EXPECT_EQ(late.extreme, 6u);
  collector.remove_mark(early);
  pump.rise(20);
  static_cast<void>(read_one(collector, "highest"));
  EXPECT_EQ(early.extreme, 9u);
  EXPECT_EQ(late.extreme, 20u);
}

// Who is asked for one value begins all watermarks anew.
TEST(Collector, MarksFollowWhateverIsRead) {
  Collector collector;
  Pump pump;
  collector.joined("btl_pump", pump);
  Mark mark;
  collector.add_mark(collector.cell("btl_pump", "highest"), mark);
  pump.rise(30);
  pump.rise(2);
  EXPECT_EQ(read_one(collector, "level"), 2u);
  EXPECT_EQ(mark.extreme, 30u);
  EXPECT_EQ(read_sent(collector), (std::vector<std::uint64_t>{0, 10}));
}

class Ear final : public Listener {
 public:
  explicit Ear(Collector& collector) : collector_(collector) {}
  void happened(const Occurrence& occurrence) noexcept override {
    ++heard;
    last = occurrence.elements.back();
    if (leaves) collector_.ignore(*this);
  }
  int heard = 0;
  std::int64_t last = 0;
  bool leaves = false;

 private:
  Collector& collector_;
};

TEST(Collector, ListenersHearOfTheirEvent) {
  Collector collector;
  Events& events = collector.events_of("pml_pump");
  Ear first(collector), second(collector);
  EXPECT_FALSE(events.wanted(1));
  collector.listen("pml_pump", 1, first);
  collector.listen("pml_pump", 1, second);
  EXPECT_TRUE(events.wanted(1));
  EXPECT_FALSE(events.wanted(0));
  events.raise(0, {1});
  events.raise(1, {4, 5});
  EXPECT_EQ(first.heard, 1);
  EXPECT_EQ(first.last, 5);
  first.leaves = true;
  events.raise(1, {4, 6});
  events.raise(1, {4, 7});
  EXPECT_EQ(first.heard, 2);
  EXPECT_EQ(second.heard, 3);
  collector.ignore(second);
  EXPECT_FALSE(events.wanted(1));
}

// Each of two threads would wait for the other one if locks were not taken in one order.
TEST(Collector, AListenerLeavesWhileAnotherOneDoes) {
  constexpr int kRounds = 50'000;  // of each thread at least
  Collector collector;
  Events& events = collector.events_of("pml_pump");
  Ear here(collector), there(collector);
  here.leaves = true;
  std::atomic<int> rounds{0};
  std::thread other([&] {
    for (; rounds < kRounds; ++rounds) {
      collector.listen("pml_pump", 0, there);
      collector.ignore(there);
    }
  });
  int raised = 0;
  for (; raised < kRounds || rounds < kRounds; ++raised) {
    collector.listen("pml_pump", 0, here);
    events.raise(0, {raised});
  }
  other.join();
  EXPECT_EQ(here.heard, raised);
}

}  // namespace
}  // namespace tessera
