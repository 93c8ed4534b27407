// SPDX-License-Identifier: BSD-3-Clause
// btl/sm's ring by itself: reservations never get stuck, the sequence number wraps, the layout does
// not overlap.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "components/btl/sm/ring.h"
#include "tests/contract/plugin.h"

namespace tessera::btl::sm {

namespace {

contract::ManifestParams params(const std::string& ring_size, const std::string& slots) {
  contract::ManifestParams made;
  made.declare("ring_size", "size", "128K");
  made.declare("slots", "integer", "126");
  if (!ring_size.empty()) made.set("ring_size", ring_size);
  if (!slots.empty()) made.set("slots", slots);
  return made;
}

struct Aligned {
  explicit Aligned(std::size_t bytes)
      : memory(static_cast<std::byte*>(std::aligned_alloc(kPage, bytes))) {
    std::memset(memory, 0, bytes);
  }
  ~Aligned() { std::free(memory); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  std::byte* memory;
};

class FakeEndpoint final : public Endpoint {
 public:
  explicit FakeEndpoint(Peer& peer) : Endpoint(peer) {}
  Status send(const Packet&) noexcept override { return {}; }
};

class Counter final : public Sink {
 public:
  void deliver(Endpoint&, std::span<const std::byte>,
               std::span<const std::byte> payload) noexcept override {
    ++packets;
    bytes += payload.size();
  }
  void lost(Peer&, Status) noexcept override {}
  std::size_t packets = 0;
  std::size_t bytes = 0;
};

// Looks whether every payload is the first bytes of what all packets are sent from.
class Comparer final : public Sink {
 public:
  explicit Comparer(const std::vector<std::byte>& expected) : expected_(expected) {}
  void deliver(Endpoint&, std::span<const std::byte>,
               std::span<const std::byte> payload) noexcept override {
    sizes.push_back(payload.size());
    equal = equal && std::memcmp(payload.data(), expected_.data(), payload.size()) == 0;
  }
  void lost(Peer&, Status) noexcept override {}
  std::vector<std::size_t> sizes;
  bool equal = true;

 private:
  const std::vector<std::byte>& expected_;
};

// Both ends of one ring, in one thread.
struct Ring {
  Ring(const Geometry& shape, std::uint32_t first)
      : geometry(shape),
        memory(geometry.pair_bytes()),
        outbox(memory.memory, geometry, first),
        endpoint(peer),
        inbox(memory.memory, geometry, endpoint, first) {
    outbox.admit_slots();
    outbox.admit_data();
  }
  bool send(std::size_t header, std::size_t payload) {
    outbox.collect_credit();
    if (!outbox.has_slot()) return false;
    const Packet packet{Channel::pml, static_cast<std::uint8_t>(header), bytes.data(), bytes.data(),
                        payload};
    if (header + payload > kInline) return outbox.put_long(packet);
    outbox.put_inline(packet);
    return true;
  }
  Geometry geometry;
  Aligned memory;
  Peer peer;
  Outbox outbox;
  FakeEndpoint endpoint;
  Inbox inbox;
  Counter counter;
  Sinks sinks{&counter, &counter, &counter, &counter};
  std::vector<std::byte> bytes = std::vector<std::byte>(std::size_t{4} << 20);
};

TEST(SmRing, TheLongestPacketAlwaysFitsIntoAnIdleRing) {
  for (std::size_t size = 1024; size < 20000; size += 64) {
    Ring ring(Geometry::from(params(std::to_string(size), "5"), MachineFigures{}, 2), 1);
    const std::size_t longest = ring.geometry.max_packet();
    EXPECT_GT(longest, size / 4);
    for (std::size_t step = 0; step < 400; ++step) {
      const std::size_t header = step % 3 == 0 ? 64 : 24;
      const std::size_t payload =
          step % 2 == 0 ? longest - header : step * 257 % (longest - header);
      ASSERT_TRUE(ring.send(header, payload)) << "ring of " << size << ", step " << step;
      ASSERT_EQ(ring.inbox.drain(ring.sinks, 10), 1);
    }
  }
}

TEST(SmRing, NothingIsLostWhenTheSequenceNumberWraps) {
  Ring ring(Geometry::from(params("4K", "7"), MachineFigures{}, 2), 0xffffff00u);
  std::size_t sent = 0;
  for (int step = 0; step < 3000; ++step) {
    while (ring.send(16, sent % 100)) ++sent;
    ring.inbox.drain(ring.sinks, 1 + step % 5);
  }
  ring.inbox.drain(ring.sinks, 1000);
  EXPECT_EQ(ring.counter.packets, sent);
  EXPECT_GT(sent, 1000u);
}

// Sizes on both sides of kStreamed; the first of each burst finds a receiver that waits, the last
// one that is behind.
TEST(SmRing, BurstsOfLongPayloadsArriveWhole) {
  Ring ring(Geometry::from(params("128K", "126"), MachineFigures{}, 2), 1);
  for (std::size_t i = 0; i < ring.bytes.size(); ++i)
    ring.bytes[i] = static_cast<std::byte>(i * 7 % 251);
  Comparer comparer(ring.bytes);
  const Sinks sinks{&comparer, &comparer, &comparer, &comparer};
  std::vector<std::size_t> sent;
  for (std::size_t burst = 0; burst < 200; ++burst) {
    const std::size_t before = sent.size();
    for (std::size_t size = kStreamed - 200 + 61 * burst; ring.send(24, size);
         size = size * 9 / 10 + 800) {
      sent.push_back(size);
    }
    EXPECT_GE(sent.size(), before + 4);
    ring.inbox.drain(sinks, 100);
  }
  EXPECT_EQ(comparer.sizes, sent);
  EXPECT_TRUE(comparer.equal);
}

// The process of another job, which mpiexec does not watch, is killed in the middle of a copy.
TEST(SmRing, APayloadWhoseSenderHasEndedIsNotDelivered) {
  for (const bool reaped : {false, true}) {
    Ring ring(Geometry::from(params("128K", "126"), MachineFigures{}, 2), 1);
    ring.peer.pid = fork();
    if (ring.peer.pid == 0) _exit(0);
    siginfo_t end{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(ring.peer.pid), &end, WEXITED | WNOWAIT), 0);
    if (reaped) waitpid(ring.peer.pid, nullptr, 0);
    ASSERT_TRUE(ring.send(24, 2 * kStreamed));
    RingMemory(ring.memory.memory, ring.geometry).slots[0].written().store(kStreamed);
    EXPECT_EQ(ring.inbox.drain(ring.sinks, 1), 1);
    EXPECT_EQ(ring.counter.packets, 0u);
    EXPECT_EQ(ring.inbox.drain(ring.sinks, 1), 0);
    if (!reaped) waitpid(ring.peer.pid, nullptr, 0);
  }
}

TEST(SmRing, AnEmptyRingDeliversNothingAndAFullOneTakesNothing) {
  Ring ring(Geometry::from(params("1K", "1"), MachineFigures{}, 2), 1);
  EXPECT_EQ(ring.inbox.drain(ring.sinks, 10), 0);
  EXPECT_TRUE(ring.send(8, 8));
  EXPECT_FALSE(ring.send(8, 8));
  EXPECT_EQ(ring.inbox.drain(ring.sinks, 10), 1);
  EXPECT_EQ(ring.inbox.drain(ring.sinks, 10), 0);
  EXPECT_TRUE(ring.send(8, 8));
}

TEST(SmLayout, PairsDoNotOverlapAndFillTheRegion) {
  const Geometry geometry = Geometry::from(params("5184", "63"), MachineFigures{}, 5);
  EXPECT_EQ(geometry.pair(0, 0) % kPage, 0u);
  EXPECT_GE(geometry.pair(0, 0), geometry.process_entry(5));
  std::size_t expected = geometry.pair(0, 0);
  for (std::uint32_t receiver = 0; receiver < 5; ++receiver) {
    for (std::uint32_t sender = 0; sender < 5; ++sender, expected += geometry.pair_bytes()) {
      EXPECT_EQ(geometry.pair(sender, receiver), expected);
    }
  }
  EXPECT_EQ(geometry.region_bytes(), expected);
  EXPECT_GE(geometry.data_offset(), (2 + 63) * kCacheLine);
}

TEST(SmLayout, DefaultsShrinkInLargeJobsAndChoicesDoNot) {
  EXPECT_EQ(Geometry::from(params("", ""), MachineFigures{}, 2).data, 128u << 10);
  EXPECT_EQ(Geometry::from(params("", ""), MachineFigures{}, 16).data, 64u << 10);
  EXPECT_EQ(Geometry::from(params("", ""), MachineFigures{}, 128).data, 32u << 10);
  EXPECT_EQ(Geometry::from(params("", ""), MachineFigures{}, 1000).data, 16u << 10);
  EXPECT_EQ(Geometry::from(params("", ""), MachineFigures{}, 128).slots, 62u);
  EXPECT_EQ(Geometry::from(params("128K", "126"), MachineFigures{}, 128).data, 128u << 10);
  EXPECT_EQ(Geometry::from(params("128K", "126"), MachineFigures{}, 128).slots, 126u);
}

TEST(SmLayout, TheRingsOfAReceiverFollowItsSecondLevelCache) {
  const auto data = [](std::uint32_t second_level, std::uint32_t ranks) {
    MachineFigures figures;
    figures.second_level = second_level;
    return Geometry::from(params("", ""), figures, ranks).data;
  };
  EXPECT_EQ(data(256u << 10, 4), 64u << 10);
  EXPECT_EQ(data(2u << 20, 4), 128u << 10);  // no more than the parameter says
  EXPECT_EQ(data(2u << 20, 24), 84u << 10);
  EXPECT_EQ(data(1, 2), 32u << 10);  // nor less than some messages need
  EXPECT_EQ(data(~0u, 2), 128u << 10);
}

}  // namespace

}  // namespace tessera::btl::sm
