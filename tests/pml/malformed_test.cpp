// SPDX-License-Identifier: BSD-3-Clause
// Packets that fit nothing under way: their sender is given up, with a reason, and nothing else
// happens.
#include <cstring>
#include <random>

#include "transport_test.h"

namespace tessera::test {
namespace {

using namespace ob1;

// Delivers a packet to rank 0 as if rank 1 had sent it.
template <class Header>
void inject(World& world, const Header& header, std::size_t payload_bytes = 0) {
  const std::vector<std::byte> payload(payload_bytes);
  const auto* bytes = reinterpret_cast<const std::byte*>(&header);
  world[0].module->sink().deliver(world.wire(0, 1), {bytes, sizeof header}, payload);
}

bool given_up(World& world) {
  const std::byte one{};
  const Status sent = world[0].module->send(world[0].to(1, 1, &one, 1));
  if (sent.ok()) return false;
  EXPECT_EQ(sent.code(), Errc::peer_failed);
  EXPECT_NE(std::string(sent.text()).find("fits nothing that is under way"), std::string::npos)
      << sent.text();
  return true;
}

TEST(Malformed, AnswersToNothing) {
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1} << 32, ~std::uint64_t{0},
                                 std::uint64_t{0x7f00'1234'5678}}) {
    for (const Kind kind : {Kind::ack, Kind::fin, Kind::cancel_reply}) {
      World world(2);
      inject(world, Answer{{kind}, id});
      EXPECT_TRUE(given_up(world));
    }
    World clears(2), brings(2), puts(2);
    inject(clears, Cts{{Kind::cts}, id, 0, 0, 10, 0});
    inject(brings, Data{{Kind::data}, id, 0}, 8);
    inject(puts, PutDone{{Kind::put_done}, id, 8});
    EXPECT_TRUE(given_up(clears));
    EXPECT_TRUE(given_up(brings));
    EXPECT_TRUE(given_up(puts));
  }
}

TEST(Malformed, UnknownKindsAndWrongSizes) {
  World unknown(2), none(2), cut(2);
  inject(unknown, Common{static_cast<Kind>(99)});
  EXPECT_TRUE(given_up(unknown));
  none[0].module->sink().deliver(none.wire(0, 1), {}, {});
  EXPECT_TRUE(given_up(none));
  inject(cut, Common{Kind::eager});  // the envelope is missing
  EXPECT_TRUE(given_up(cut));
}

// A header of rank 0 as the wire has it: the last packet of this kind on its way to rank 1.
struct Rendezvous {
  Rendezvous() : data(pattern(30'000, 1)), in(30'000) {
    send = world[0].isend(world[0].to(1, 1, data.data(), data.size()));
    receive = world[0].irecv(world[0].from(1, 2, in.data(), in.size()));
  }
  World world{2};
  std::vector<std::byte> data, in;
  Request* send;
  Request* receive;
};

// The first id that a module gives, to its first request.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 32;

TEST(Malformed, RangesOutsideOfTheMessage) {
  struct Range {
    std::uint64_t begin, end;
  };
  for (const Range range :
       {Range{0, 30'001}, Range{5, 5}, Range{10, 5}, Range{~std::uint64_t{0} - 5, 4}}) {
    Rendezvous run;
    for (int number = 0; number < 32; ++number) {
      inject(
          run.world,
          Cts{{Kind::cts}, kFirstId + static_cast<unsigned>(number), 0, range.begin, range.end, 0});
    }
    run.world[0].progress.wait_until([&] { return run.send->complete(); });
    EXPECT_EQ(run.send->error().code(), Errc::peer_failed);
    run.world[0].progress.wait_until([&] { return run.receive->complete(); });
    run.send->free();
    run.receive->free();
  }
}

// The same ids, but from a process that they were not given to.
TEST(Malformed, IdsOfOthers) {
  World world(3);
  const auto data = pattern(30'000, 1);
  Request* send = world[0].isend(world[0].to(2, 1, data.data(), data.size()));
  for (unsigned number = 0; number < 32; ++number)
    inject(world, Answer{{Kind::fin}, kFirstId + number});
  EXPECT_TRUE(given_up(world));
  std::vector<std::byte> in(30'000);
  Request* receive = world[2].irecv(world[2].from(0, 1, in.data(), in.size()));
  EXPECT_TRUE(world[2].wait(receive).error.ok());
  EXPECT_EQ(in, data);
  EXPECT_TRUE(world[0].wait(send).error.ok());
}

// Any bytes at all while messages of all kinds are under way: nobody crashes, and others go on.
TEST(Malformed, Noise) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    World world(3, transports()[seed % 9], seed);
    const auto data = pattern(30'000, 1);
    std::vector<std::byte> in(30'000), other(30'000);
    Request* sends[] = {world[0].isend(world[0].to(1, 1, data.data(), data.size())),
                        world[0].isend(world[0].to(1, 2, data.data(), 8, pml::Mode::synchronous))};
    Request* receive = world[0].irecv(world[0].from(1, 3, in.data(), in.size()));
    for (auto i = random() % 5; i > 0; --i) world.step();
    for (int packet = 0; packet < 8; ++packet) {
      std::byte header[kLargestHeader];
      for (auto& byte : header) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
      header[0] = static_cast<std::byte>(1 + random() % 14);
      if (header[0] == std::byte{3}) continue;  // an offer whose address is wrong is the copy's
      const std::uint64_t id = kFirstId * (1 + random() % 4) + random() % 32;
      std::memcpy(header + 8 + 8 * (random() % 2), &id, sizeof id);
      constexpr std::size_t kSizes[] = {0, 24, 32, 48, 16, 48, 24, 24, 16, 8, 8, 8, 40, 16, 8};
      const std::vector<std::byte> payload(random() % 2 * 64);
      world[0].module->sink().deliver(
          world.wire(0, 1), {header, kSizes[std::to_integer<std::size_t>(header[0])]}, payload);
    }
    Request* from_other = world[0].irecv(world[0].from(2, 4, other.data(), other.size()));
    Request* to_other = world[2].isend(world[2].to(0, 4, data.data(), data.size()));
    EXPECT_TRUE(world[0].wait(from_other).error.ok());
    EXPECT_EQ(other, data);
    EXPECT_TRUE(world[2].wait(to_other).error.ok());
    world.lose(1, "over");
    for (Request* request : {sends[0], sends[1], receive}) {
      world[0].progress.wait_until([&] { return request->complete(); });
      request->free();
    }
  }
}

}  // namespace
}  // namespace tessera::test
