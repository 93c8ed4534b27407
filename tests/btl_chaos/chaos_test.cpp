// SPDX-License-Identifier: BSD-3-Clause
// Faults without a network: two endpoints whose packets the test carries from one to the other.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "components/btl/chaos/alarm.h"
#include "components/btl/chaos/endpoint.h"

namespace tessera::btl::chaos {
namespace {

struct Sent {
  Channel channel;
  std::vector<std::byte> header, payload;
};

std::span<const std::byte> view(const void* at, std::size_t bytes) {
  return {static_cast<const std::byte*>(at), bytes};
}

// A transport that keeps what it is given.
class Wire final : public Endpoint {
 public:
  explicit Wire(Peer& peer) noexcept : Endpoint(peer) {}
  Status send(const Packet& packet) noexcept override {
    if (room == 0) return Errc::again;
    --room;
    const auto header = view(packet.header, packet.header_bytes);
    const auto payload = view(packet.payload, packet.payload_bytes);
    sent.push_back(
        {packet.channel, {header.begin(), header.end()}, {payload.begin(), payload.end()}});
    return {};
  }
  std::vector<Sent> sent;
  std::size_t room = SIZE_MAX;
};

class Reader final : public Sink {
 public:
  void deliver(Endpoint&, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override {
    texts.emplace_back(reinterpret_cast<const char*>(header.data()), header.size());
    texts.back() += ":";
    texts.back().append(reinterpret_cast<const char*>(payload.data()), payload.size());
  }
  std::byte* landing(Endpoint&, std::span<const std::byte>, std::size_t bytes) noexcept override {
    place.assign(bytes, std::byte{0});
    return place.data();
  }
  void landed(Endpoint& from, std::span<const std::byte> header,
              std::size_t bytes) noexcept override {
    ++landings;
    deliver(from, header, view(place.data(), bytes));
  }
  void lost(Peer&, Status) noexcept override {}
  std::vector<std::string> texts;
  std::vector<std::byte> place;
  int landings = 0;
};

// One direction, from process 0 to process 1.
class Way {
 public:
  explicit Way(const Settings& settings, bool lands = false)
      : shared_{settings, {1, 0}, "wire", counters},
        other_{{}, {1, 1}, "wire", quiet_},
        from(below, lands, shared_),
        to(back, lands, other_) {}

  Status send(const std::string& header, const std::string& payload) {
    return from.send({Channel::coll, static_cast<std::uint8_t>(header.size()), header.data(),
                      payload.data(), payload.size()});
  }
  void carry() {
    from.pump(now_us());
    for (const Sent& one : std::exchange(below.sent, {}))
      to.arrived(&reader, one.header, one.payload);
  }

 private:
  Counters quiet_;
  Peer here_{}, there_{};
  Shared shared_, other_;

 public:
  Counters counters;
  Wire below{there()}, back{here()};
  ChaosEndpoint from, to;
  Reader reader;

 private:
  Peer& there() { return there_.name = {1, 1}, there_; }
  Peer& here() { return here_.name = {1, 0}, here_; }
};

Settings only(double Settings::*share, double value) {
  Settings settings;
  settings.*share = value;
  settings.delay_us = 1000;
  return settings;
}

TEST(ChaosFaults, FollowFromSeedPairAndNumber) {
  const Settings settings = only(&Settings::delay, 0.25);
  Settings other = settings;
  other.seed = 2;
  const Faults a(settings, {1, 0}, {1, 1}), again(settings, {9, 0}, {9, 1}),
      back(settings, {1, 1}, {1, 0}), seed(other, {1, 0}, {1, 1});
  int happened = 0, back_differs = 0, seed_differs = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    const bool it = a.happens(Fault::delay, n);
    happened += it;
    EXPECT_EQ(it, again.happens(Fault::delay, n));
    back_differs += it != back.happens(Fault::delay, n);
    seed_differs += it != seed.happens(Fault::delay, n);
  }
  EXPECT_NEAR(happened, 1000, 150);
  EXPECT_GT(back_differs, 500);
  EXPECT_GT(seed_differs, 500);
}

TEST(ChaosFaults, HarmBeginsAfterAWhile) {
  Settings settings = only(&Settings::drop, 1);
  settings.after = 10;
  const Faults faults(settings, {1, 0}, {1, 1});
  EXPECT_FALSE(faults.happens(Fault::drop, 9));
  EXPECT_TRUE(faults.happens(Fault::drop, 10));
}

TEST(ChaosEndpoint, CutsPacketsAndPutsThemTogether) {
  for (const bool lands : {false, true}) {
    Way way(only(&Settings::partial, 1), lands);
    std::string payload(5000, 'x');
    std::iota(payload.begin(), payload.end(), 'a');
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{5000}}) {
      ASSERT_TRUE(way.send("head", payload.substr(0, size)).ok());
      EXPECT_GE(way.below.sent.size(), size > 1 ? 2u : 1u);
      way.carry();
      ASSERT_FALSE(way.reader.texts.empty());
      EXPECT_EQ(way.reader.texts.back(), "head:" + payload.substr(0, size));
    }
    EXPECT_EQ(way.reader.texts.size(), 5u);
    EXPECT_EQ(way.reader.landings, lands ? 3 : 0);
    EXPECT_EQ(way.counters.split, 3u);
  }
}

TEST(ChaosEndpoint, HoldsBackAndKeepsTheOrder) {
  Settings settings = only(&Settings::delay, 0.5);
  settings.delay_us = 60'000'000;
  Way way(settings);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(way.send("", std::to_string(i)).ok());
  EXPECT_LT(way.below.sent.size(), 40u);
  EXPECT_GT(way.from.due(now_us()), now_us());
  way.from.pump(INT64_MAX);
  way.carry();
  ASSERT_EQ(way.reader.texts.size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(way.reader.texts[i], ":" + std::to_string(i));
}

TEST(ChaosEndpoint, TheQueueIsBounded) {
  Way way(Settings{});
  way.below.room = 0;
  int taken = 0;
  while (taken < 100'000 && way.send("", "0123456789").ok()) ++taken;
  EXPECT_LT(taken, 1000);
  EXPECT_TRUE(way.send("", "x") == Errc::again);
  way.below.room = SIZE_MAX;
  way.carry();
  EXPECT_EQ(way.reader.texts.size(), static_cast<std::size_t>(taken));
}

TEST(ChaosEndpoint, RefusesAFewTimes) {
  Way way(only(&Settings::refuse, 1));
  for (int i = 0; i < 20; ++i) {
    int refusals = 0;
    while (way.send("", "x") == Errc::again) ASSERT_LT(++refusals, 10);
    EXPECT_GT(refusals, 0);
  }
  EXPECT_EQ(way.counters.refused, 20u);
}

// Whichever bit is wrong, nothing of the packet is delivered, and both sides hear of it.
TEST(ChaosEndpoint, FindsEachWrongBit) {
  Way right(Settings{});
  ASSERT_TRUE(right.send("head", "payload").ok());
  const Sent good = right.below.sent.front();
  for (std::size_t bit = 0; bit < 8 * (good.header.size() + good.payload.size()); ++bit) {
    Way way(Settings{});
    Sent bad = good;
    const std::size_t at = bit / 8;
    std::byte& byte = at < bad.header.size() ? bad.header[at] : bad.payload[at - bad.header.size()];
    byte ^= std::byte{1} << (bit % 8);
    way.to.arrived(&way.reader, bad.header, bad.payload);
    EXPECT_TRUE(way.reader.texts.empty()) << bit;
    way.to.pump(now_us());
    ASSERT_TRUE(way.to.fell()) << bit;
    EXPECT_FALSE(way.to.fell());
    EXPECT_NE(std::string(way.to.why().text()).find("process 0 over wire"), std::string::npos);
  }
}

TEST(ChaosEndpoint, DamageOnPurposeIsFoundAndTold) {
  Way way(only(&Settings::corrupt, 1));
  ASSERT_TRUE(way.send("head", "payload").ok());
  way.carry();
  EXPECT_TRUE(way.reader.texts.empty());
  way.to.pump(now_us());
  ASSERT_TRUE(way.to.fell());
  EXPECT_NE(std::string(way.to.why().text()).find("arrived damaged: number 0"), std::string::npos);
  // The last piece tells the sender.
  ASSERT_EQ(way.back.sent.size(), 1u);
  way.from.arrived(&way.reader, way.back.sent[0].header, way.back.sent[0].payload);
  ASSERT_TRUE(way.from.fell());
  EXPECT_TRUE(way.send("", "more") == Errc::peer_failed);
}

TEST(ChaosEndpoint, ADropIsToldToBothSides) {
  Settings settings = only(&Settings::drop, 1);
  settings.after = 2;
  Way way(settings);
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(way.send("", text).ok());
  EXPECT_TRUE(way.from.fell());
  EXPECT_TRUE(way.send("", "d") == Errc::peer_failed);
  way.carry();
  EXPECT_EQ(way.reader.texts, (std::vector<std::string>{":a", ":b"}));
  ASSERT_TRUE(way.to.fell());
  EXPECT_NE(std::string(way.to.why().text()).find("dropped the connection"), std::string::npos);
}

TEST(ChaosEndpoint, ATransportThatLosesOrReordersIsFound) {
  for (const bool swaps : {false, true}) {
    Way way(Settings{});
    for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(way.send("", text).ok());
    if (swaps) {
      std::swap(way.below.sent[1], way.below.sent[2]);
    } else {
      way.below.sent.erase(way.below.sent.begin() + 1);
    }
    way.carry();
    EXPECT_EQ(way.reader.texts, std::vector<std::string>{":a"});
    way.to.pump(now_us());
    ASSERT_TRUE(way.to.fell());
    EXPECT_NE(std::string(way.to.why().text()).find("number 2 came where 1 was due"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::btl::chaos
