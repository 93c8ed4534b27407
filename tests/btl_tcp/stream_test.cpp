// SPDX-License-Identifier: BSD-3-Clause
// Taking a stream apart, in whatever pieces it comes.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "components/btl/tcp/inbox.h"
#include "components/btl/tcp/outbox.h"
#include "harness.h"

namespace tessera::btl::tcp {
namespace {

class Nowhere final : public Endpoint {
 public:
  explicit Nowhere(Peer& peer) noexcept : Endpoint(peer) {}
  Status send(const Packet&) noexcept override { return Errc::unsupported; }
};

// A stream of bytes written by the test, read by an Inbox.
class TcpStream : public testing::Test {
 protected:
  TcpStream() { inbox_.expect(1 << 20); }
  void write(const void* bytes, std::size_t count) {
    ASSERT_EQ(send_some(ends_.near.get(), bytes, count), static_cast<ssize_t>(count));
  }
  void read() {
    if (inbox_.fill(ends_.far.get()) > 0) verdict_ = inbox_.deliver(endpoint_, sinks_, packets_);
  }
  static std::vector<std::byte> frame(std::uint32_t number, std::size_t payload) {
    std::vector<std::byte> bytes(Frame::kBytes + 4 + payload);
    Frame{static_cast<std::uint32_t>(payload), 4, 0, FrameKind::packet}.write(bytes.data());
    std::memcpy(&bytes[Frame::kBytes], &number, 4);
    for (std::size_t i = 0; i < payload; ++i)
      bytes[12 + i] = static_cast<std::byte>(number * 7 + i + (i >> 8));
    return bytes;
  }
  void garbage(const Frame& bad) {
    std::byte bytes[Frame::kBytes];
    bad.write(bytes);
    write(bytes, sizeof bytes);
    read();
    EXPECT_EQ(verdict_, Inbox::Verdict::garbage);
  }

  SocketPair ends_;
  Peer peer_;
  Nowhere endpoint_{peer_};
  Collector sink_;
  Sinks sinks_{&sink_, nullptr, nullptr, nullptr};
  Inbox inbox_{2000};
  Inbox::Verdict verdict_ = Inbox::Verdict::more;
  int packets_ = 0;
};

TEST_F(TcpStream, ByteByByte) {
  for (std::uint32_t number = 0; number < 40; ++number) {
    for (const std::byte byte : frame(number, number * 150)) {
      write(&byte, 1);
      read();
    }
  }
  EXPECT_EQ(sink_.from(0), 40u);
  EXPECT_EQ(sink_.error, "");
  EXPECT_GT(sink_.landings, 0);
  EXPECT_FALSE(inbox_.mid_packet());
}

TEST_F(TcpStream, RandomPiecesWithAndWithoutLanding) {
  std::mt19937 random(3);
  std::vector<std::byte> stream;
  for (std::uint32_t number = 0; number < 600; ++number) {
    const auto bytes = frame(number, random() % (random() % 4 == 0 ? 20000 : 300));
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t count = std::min<std::size_t>(stream.size() - at, 1 + random() % 6000);
    write(&stream[at], count);
    at += count;
    sink_.land = random() % 2 == 0;
    for (int i = 0; i < 20; ++i) read();
  }
  EXPECT_EQ(packets_, 600);
  EXPECT_EQ(sink_.from(0), 600u);
  EXPECT_EQ(sink_.error, "");
}

TEST_F(TcpStream, ManyPacketsInOneReceive) {
  std::vector<std::byte> stream;
  for (std::uint32_t number = 0; number < 100; ++number) {
    const auto bytes = frame(number, 8);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  write(stream.data(), stream.size());
  read();
  EXPECT_EQ(packets_, 100);
}

// A put and its flush, again and again: what is long is written to its place although it has come
// wholly; after several small packets it is read at once.
TEST_F(TcpStream, LongPayloadsLandWithSmallPacketsBetween) {
  Inbox wide(64 << 10);
  wide.expect(1 << 20);
  std::uint32_t number = 0;
  const auto pass = [&](std::initializer_list<std::size_t> payloads) {
    std::vector<std::byte> stream;
    for (const std::size_t payload : payloads) {
      const auto bytes = frame(number++, payload);
      stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    write(stream.data(), stream.size());
    while (wide.fill(ends_.far.get()) > 0)
      EXPECT_EQ(wide.deliver(endpoint_, sinks_, packets_), Inbox::Verdict::more);
  };
  const auto half = frame(number, 20000);
  write(half.data(), 5000);
  ASSERT_EQ(wide.fill(ends_.far.get()), 5000);
  wide.deliver(endpoint_, sinks_, packets_);
  write(&half[5000], half.size() - 5000);
  ASSERT_GT(wide.fill(ends_.far.get()), 0);
  wide.deliver(endpoint_, sinks_, packets_);
  ++number;
  EXPECT_EQ(sink_.landings, 1);
  pass({8});
  pass({20000});
  EXPECT_EQ(sink_.landings, 2);
  pass({8, 8, 8, 8});
  pass({20000});
  EXPECT_EQ(sink_.landings, 2);
  EXPECT_EQ(sink_.from(0), number);
  EXPECT_EQ(sink_.error, "");
}

// A process that sends as much reads many packets in one receive and copies them.
TEST_F(TcpStream, MiddlingPayloadsLandWhereBytesGoOneWayOnly) {
  std::uint32_t number = 0;
  const auto pass_in_halves = [&](std::size_t payload) {
    const auto bytes = frame(number++, payload);
    const std::size_t half = bytes.size() / 2;
    write(bytes.data(), half);
    read();
    write(&bytes[half], bytes.size() - half);
    read();
  };
  pass_in_halves(4000);
  EXPECT_EQ(sink_.landings, 1);
  inbox_.sent(6000);
  pass_in_halves(4000);
  EXPECT_EQ(sink_.landings, 1);
  pass_in_halves(20000);
  EXPECT_EQ(sink_.landings, 2);
  pass_in_halves(4000);
  EXPECT_EQ(sink_.landings, 3);
  EXPECT_EQ(sink_.from(0), number);
  EXPECT_EQ(sink_.error, "");
}

TEST_F(TcpStream, PacketsForNobodyAreDropped) {
  auto bytes = frame(0, 9000);
  Frame{9000, 4, 2, FrameKind::packet}.write(bytes.data());
  write(bytes.data(), bytes.size());
  for (int i = 0; i < 10; ++i) read();
  EXPECT_EQ(packets_, 1);
  EXPECT_EQ(sink_.from(0), 0u);
}

TEST_F(TcpStream, ByeEndsTheStream) {
  std::byte bytes[Frame::kBytes];
  Frame{0, 0, 0, FrameKind::bye}.write(bytes);
  write(bytes, sizeof bytes);
  read();
  EXPECT_EQ(verdict_, Inbox::Verdict::bye);
}

TEST_F(TcpStream, UnknownKindIsGarbage) {
  garbage({0, 0, 0, static_cast<FrameKind>(9)});
}
TEST_F(TcpStream, LongHeaderIsGarbage) {
  garbage({0, kMaxHeader + 1, 0, FrameKind::packet});
}
TEST_F(TcpStream, UnknownChannelIsGarbage) {
  garbage({0, 0, kChannels, FrameKind::packet});
}
TEST_F(TcpStream, OversizeIsGarbage) {
  garbage({(1u << 20) + 1, 0, 0, FrameKind::packet});
}
TEST_F(TcpStream, ByeWithBytesIsGarbage) {
  garbage({5, 0, 0, FrameKind::bye});
}

TEST(TcpOutbox, TakesOnePacketAlwaysAndThenUpToItsLimit) {
  Outbox box(1000);
  EXPECT_TRUE(box.has_room(5000));
  box.append(std::string(900, 'x').data(), 900);
  EXPECT_TRUE(box.has_room(100));
  EXPECT_FALSE(box.has_room(101));
}

TEST(TcpFrame, IsLittleEndian) {
  std::byte bytes[Frame::kBytes];
  Frame{0x01020304, 24, 2, FrameKind::packet}.write(bytes);
  EXPECT_EQ(bytes[0], std::byte{4});
  EXPECT_EQ(bytes[3], std::byte{1});
  EXPECT_EQ(bytes[4], std::byte{24});
  EXPECT_EQ(Frame::read(bytes).payload_bytes, 0x01020304u);
  EXPECT_EQ(Frame::read(bytes).channel, 2);
}

}  // namespace
}  // namespace tessera::btl::tcp
