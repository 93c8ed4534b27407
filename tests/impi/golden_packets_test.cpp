// SPDX-License-Identifier: BSD-3-Clause
// Each type of packet, and a packet of each collective operation, as the protocol wants its bytes.
#include <gtest/gtest.h>

#include "impi/wire/packet.h"
#include "tests/impi/hex.h"

namespace tessera::impi {
namespace {

const std::string kMine =
    "00 00 00 00 00 00 00 00 00 00 ff ff 0a 00 00 01 00 00 00 00 00 00 03 2b ";
const std::string kTheirs =
    "00 00 00 00 00 00 00 00 00 00 00 00 0a 00 00 02 00 00 00 00 00 00 03 ac ";
const std::string kNobody =
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ";
const std::string kRequest = "00 00 7f ff 12 34 56 78 ";
const std::string kTheirRequest = "00 00 00 00 00 00 01 02 ";
const std::string kZero8 = "00 00 00 00 00 00 00 00 ";
// Sequence, count, datatype, reserved: for other uses, and empty.
const std::string kUnused = kZero8 + kZero8 + kZero8 + "00 00 00 00 00 00 00 00";
const std::string kNoMessage = kZero8 + kZero8 + kZero8 + kUnused;  // length, rank and tag, context

// From 10.0.0.1, process 811, to 10.0.0.2, process 940, whose system embeds addresses otherwise.
Packet packet_of(PacketType type) {
  Packet packet;
  packet.type = type;
  packet.source.host[10] = packet.source.host[11] = std::byte{0xff};
  packet.source.host[12] = packet.destination.host[12] = std::byte{10};
  packet.source.host[15] = std::byte{1};
  packet.destination.host[15] = std::byte{2};
  packet.source.pid = 811;
  packet.destination.pid = 940;
  packet.source_request = 0x7fff'1234'5678;
  return packet;
}

Packet message(PacketType type, std::uint32_t length, std::uint64_t whole) {
  Packet packet = packet_of(type);
  packet.length = length;
  packet.message_length = whole;
  packet.source_rank = 3;
  packet.tag = 9;
  packet.cid = 4;
  return packet;
}

void expect(const Packet& packet, const std::string& bytes) {
  EXPECT_EQ(to_hex(encode(packet)), bytes);
  EXPECT_EQ(decode(from_hex(bytes)), packet);
}

const std::string kRankTagContext = "00 00 00 03 00 00 00 09 00 00 00 00 00 00 00 04 ";

TEST(GoldenPackets, ShortMessage) {
  expect(message(PacketType::data, 5, 5), "00 00 00 00 00 00 00 05 " + kMine + kTheirs + kRequest +
                                              kZero8 + "00 00 00 00 00 00 00 05 " +
                                              kRankTagContext + kUnused);
}

TEST(GoldenPackets, SynchronousMessageAndItsAnswer) {
  expect(message(PacketType::datasync, 0, 0), "00 00 00 01 00 00 00 00 " + kMine + kTheirs +
                                                  kRequest + kZero8 + kZero8 + kRankTagContext +
                                                  kUnused);
  expect(packet_of(PacketType::syncack),
         "00 00 00 03 00 00 00 00 " + kMine + kTheirs + kRequest + kZero8 + kNoMessage);
}

// Of 5 GiB: the first packet, the answer that asks for the rest, and a packet of the rest.
TEST(GoldenPackets, LongMessage) {
  const std::string length = "00 00 00 01 40 00 00 00 ";
  expect(message(PacketType::datasync, 0x40000, 0x1'4000'0000),
         "00 00 00 01 00 04 00 00 " + kMine + kTheirs + kRequest + kZero8 + length +
             kRankTagContext + kUnused);
  Packet answer = packet_of(PacketType::syncack);
  answer.destination_request = 0x102;
  expect(answer,
         "00 00 00 03 00 00 00 00 " + kMine + kTheirs + kRequest + kTheirRequest + kNoMessage);
  Packet rest = message(PacketType::data, 0x3ffff, 0x1'4000'0000);
  rest.destination_request = 0x102;
  EXPECT_TRUE(is_fragment(rest));
  expect(rest, "00 00 00 00 00 03 ff ff " + kMine + kTheirs + kRequest + kTheirRequest + length +
                   kRankTagContext + kUnused);
}

TEST(GoldenPackets, Cancel) {
  const std::string rest = kMine + kTheirs + kRequest + kZero8 + kNoMessage;
  expect(packet_of(PacketType::cancel), "00 00 00 04 00 00 00 00 " + rest);
  expect(packet_of(PacketType::cancelyes), "00 00 00 05 00 00 00 00 " + rest);
  expect(packet_of(PacketType::cancelno), "00 00 00 06 00 00 00 00 " + rest);
}

TEST(GoldenPackets, Acknowledgement) {
  Packet packet = packet_of(PacketType::protoack);
  packet.source_request = 0;
  expect(packet, "00 00 00 02 00 00 00 00 " + kMine + kTheirs + kZero8 + kZero8 + kNoMessage);
}

TEST(GoldenPackets, Fini) {
  Packet packet;
  packet.type = PacketType::fini;
  expect(packet, "00 00 00 07 00 00 00 00 " + kNobody + kNobody + kZero8 + kZero8 + kNoMessage);
}

// One byte of rank 0, in MPI_COMM_WORLD's context of collective operations.
TEST(GoldenPackets, CollectiveOperations) {
  const std::pair<int, const char*> tags[] = {
      {kBarrierTag, "6e"}, {kBcastTag, "78"},    {kGatherTag, "82"},   {kGathervTag, "8c"},
      {kScatterTag, "96"}, {kScattervTag, "a0"}, {kAlltoallTag, "aa"}, {kAlltoallvTag, "b4"},
      {kReduceTag, "be"},  {kScanTag, "c8"},     {kDupTag, "d2"},      {kMergeTag, "dc"},
      {kCommFreeTag, "e6"}};
  for (const auto& [tag, byte] : tags) {
    Packet packet = message(PacketType::data, 1, 1);
    packet.source_rank = 0;
    packet.tag = tag;
    packet.cid = 1;
    expect(packet, "00 00 00 00 00 00 00 01 " + kMine + kTheirs + kRequest + kZero8 +
                       "00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 " + byte +
                       " 00 00 00 00 00 00 00 01 " + kUnused);
  }
}

}  // namespace
}  // namespace tessera::impi
