// SPDX-License-Identifier: BSD-3-Clause
// The bytes of IMPI against golden vectors of the protocol document, and against bad input.
#include <gtest/gtest.h>

#include <unistd.h>
#include <fstream>

#include "impi/wire/address.h"
#include "impi/wire/command.h"
#include "impi/wire/labels.h"
#include "impi/wire/packet.h"
#include "impi/wire/trace_writer.h"
#include "tests/impi/hex.h"

namespace tessera::impi {
namespace {

// req impi 2.1, 2.6: commands are code, length, payload, big-endian.
TEST(Golden, AuthenticationByKey) {
  EXPECT_EQ(to_hex(encode_auth(0x2)), "41 55 54 48 00 00 00 04 00 00 00 02");
  EXPECT_EQ(to_hex(encode_auth_reply(AuthMethod::key)), "00 00 00 01 00 00 00 00");
  Bytes key;
  append_number(key, std::uint64_t{5678});
  EXPECT_EQ(to_hex(key), "00 00 00 00 00 00 16 2e");
}

// req impi 2.9
TEST(Golden, NhostsOfThreeClients) {
  const std::uint32_t one[] = {3};
  const std::uint32_t all[] = {3, 2, 2};
  EXPECT_EQ(to_hex(encode_coll(0x1100, encode_values(one))),
            "43 4f 4c 4c 00 00 00 08 00 00 11 00 00 00 00 03");
  EXPECT_EQ(to_hex(encode_coll_reply(0x1100, 7, encode_values(all))),
            "43 4f 4c 4c 00 00 00 14 00 00 11 00 00 00 00 07 "
            "00 00 00 03 00 00 00 02 00 00 00 02");
}

TEST(Golden, CommandsWithoutPayload) {
  EXPECT_EQ(to_hex(encode_command(Command::done)), "44 4f 4e 45 00 00 00 00");
  EXPECT_EQ(to_hex(encode_command(Command::fini)), "46 49 4e 49 00 00 00 00");
  EXPECT_EQ(to_hex(encode_impi(3)), "49 4d 50 49 00 00 00 04 00 00 00 03");
}

// Every field has its own value, so that fields that change places are seen. req impi 4.1
Packet packet_of_all_fields() {
  Packet packet;
  packet.type = PacketType::datasync;
  packet.length = 0x0A0B0C0D;
  packet.source.host = {std::byte{0x20}, std::byte{0x01}};
  packet.source.pid = -2;
  packet.destination.host[15] = std::byte{0x09};
  packet.destination.pid = 0x11;
  packet.source_request = 0x1122334455667788;
  packet.destination_request = 0x99;
  packet.message_length = 0x100000000;
  packet.source_rank = 5;
  packet.tag = 110;
  packet.cid = kMaxCid;
  packet.sequence = 6;
  packet.count = -7;
  packet.datatype = 8;
  return packet;
}

constexpr char kAllFields[] =
    "00 00 00 01 0a 0b 0c 0d "                                                  // type, length
    "20 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff fe "  // source
    "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 11 "  // destination
    "11 22 33 44 55 66 77 88 00 00 00 00 00 00 00 99 "                          // requests
    "00 00 00 01 00 00 00 00 00 00 00 05 00 00 00 6e "  // message, rank, tag
    "ff ff ff ff ff ff ff f0 00 00 00 00 00 00 00 06 "  // context, sequence
    "ff ff ff ff ff ff ff f9 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00 00";

TEST(Golden, PacketHeader) {
  EXPECT_EQ(to_hex(encode(packet_of_all_fields())), kAllFields);
  EXPECT_EQ(decode(from_hex(kAllFields)), packet_of_all_fields());
}

TEST(Packets, AnswersExchangeSourceAndDestination) {  // req impi 4.4
  const Packet answer = answer_to(packet_of_all_fields(), PacketType::syncack);
  EXPECT_EQ(answer.source, packet_of_all_fields().destination);
  EXPECT_EQ(answer.destination, packet_of_all_fields().source);
  EXPECT_EQ(answer.source_request, packet_of_all_fields().source_request);
  EXPECT_EQ(answer.length, 0U);
}

Packet data_of(std::uint32_t length, std::uint64_t whole) {
  Packet packet;
  packet.length = length;
  packet.message_length = whole;
  return packet;
}

TEST(Packets, RulesOfAReceiver) {  // req impi 4.2, 4.3, 4.5
  EXPECT_EQ(check_packet(data_of(8, 8), 8), "");
  EXPECT_EQ(check_packet(data_of(0, 0), 8), "");
  EXPECT_NE(check_packet(data_of(9, 9), 8).find("9 bytes of data, 8 were agreed"),
            std::string::npos);
  EXPECT_NE(check_packet(data_of(4, 3), 8), "");
  EXPECT_NE(check_packet(data_of(0, 3), 8), "");
  Packet packet = data_of(1, 1);
  packet.tag = -1;
  EXPECT_NE(check_packet(packet, 8), "");
  packet.type = static_cast<PacketType>(8);
  EXPECT_NE(check_packet(packet, 8).find("type 8"), std::string::npos);
  packet.type = PacketType::protoack;  // what it does not use is not looked at
  packet.length = 128;
  EXPECT_EQ(check_packet(packet, 8), "");
}

TEST(Packets, FlowControlCountsAllButTwo) {  // req impi 5.3
  for (std::uint32_t type = 0; type < kPacketTypes; ++type)
    EXPECT_EQ(is_counted(static_cast<PacketType>(type)), type != 2 && type != 7) << type;
}

// A stream of packets cut at every place gives the same packets.
TEST(PacketReader, AnyCut) {
  Bytes stream;
  for (const std::uint32_t size : {0U, 5U, 3U}) {
    append(stream, encode(data_of(size, size)));
    for (std::uint32_t i = 0; i < size; ++i) stream.push_back(static_cast<std::byte>(i));
  }
  Packet junk;
  junk.type = PacketType::syncack;
  junk.length = 128;  // as LAM leaves it: no data follows
  append(stream, encode(junk));
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    PacketReader reader(8);
    std::vector<std::size_t> sizes;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      ByteView part = ByteView(stream).subspan(at, std::min(step, stream.size() - at));
      while (reader.feed(part) == Fed::complete) {
        sizes.push_back(reader.data().size());
        if (!reader.data().empty()) {
          EXPECT_EQ(reader.data().back(), std::byte(sizes.back() - 1));
        }
      }
      ASSERT_TRUE(part.empty());
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 5, 3, 0})) << step;
    EXPECT_FALSE(reader.amid());
  }
}

// As the agent reads: what is missing of a packet goes to its place, what follows to a buffer.
TEST(PacketReader, TakesDataInPlace) {
  Bytes stream;
  for (const std::uint32_t size : {7u, 0u, 8u, 1u}) {
    append(stream, encode(data_of(size, size)));
    for (std::uint32_t i = 0; i < size; ++i) stream.push_back(static_cast<std::byte>(size + i));
  }
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    PacketReader reader(8);
    Bytes all;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      ByteView part = ByteView(stream).subspan(at, std::min(step, stream.size() - at));
      const auto missing = reader.missing();
      const std::size_t in_place = std::min(missing.size(), part.size());
      std::copy_n(part.begin(), in_place, missing.begin());
      reader.put(in_place);
      part = part.subspan(in_place);
      while (reader.feed(part) == Fed::complete) append(all, reader.take_data());
      ASSERT_TRUE(part.empty());
    }
    EXPECT_EQ(all, from_hex("07 08 09 0a 0b 0c 0d 08 09 0a 0b 0c 0d 0e 0f 01")) << step;
    EXPECT_TRUE(reader.missing().empty());
  }
}

TEST(PacketReader, StaysBroken) {
  PacketReader reader(8);
  const PacketBytes bad = encode(data_of(9, 9));
  ByteView bytes(bad);
  EXPECT_EQ(reader.feed(bytes), Fed::broken);
  EXPECT_NE(reader.fault(), "");
  const PacketBytes good = encode(data_of(0, 0));
  bytes = good;
  EXPECT_EQ(reader.feed(bytes), Fed::broken);
}

TEST(CommandReader, AnyCut) {
  Bytes stream = encode_auth(1);
  append(stream, encode_command(static_cast<Command>(0x58585858), from_hex("01 02 03")));
  append(stream, encode_coll(0x1000, from_hex("00 00 00 00 00 00 00 00")));
  append(stream, encode_command(Command::done));
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    CommandReader reader;
    std::string seen;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      ByteView part = ByteView(stream).subspan(at, std::min(step, stream.size() - at));
      while (reader.feed(part) == Fed::complete)
        seen += name_of(reader.command()) + std::to_string(reader.payload().size()) + " ";
    }
    EXPECT_EQ(seen, "AUTH4 COLL12 DONE0 ") << step;  // req impi 2.2: the unknown one is skipped
    EXPECT_FALSE(reader.amid());
  }
}

TEST(CommandReader, LeavesWhatFollows) {
  Bytes stream = encode_auth(2);
  append(stream, from_hex("00 00 00 00 00 00 16 2e"));
  CommandReader reader;
  ByteView bytes(stream);
  ASSERT_EQ(reader.feed(bytes), Fed::complete);
  BlockReader key(kKeyBytes);
  EXPECT_TRUE(key.feed(bytes));
  EXPECT_EQ(load<std::uint64_t>(key.bytes().data()), 5678U);
}

TEST(CommandReader, RefusesLengths) {  // req impi 2.3
  const char* const bad[] = {
      "41 55 54 48 ff ff ff ff", "41 55 54 48 00 00 00 00", "41 55 54 48 00 00 00 81",
      "49 4d 50 49 00 00 00 05", "43 4f 4c 4c 00 10 00 01", "44 4f 4e 45 00 00 00 01",
      "58 58 58 58 80 00 00 00", "58 58 58 58 7f ff ff ff",
  };
  for (const char* text : bad) {
    CommandReader reader;
    const Bytes bytes = from_hex(text);
    ByteView view(bytes);
    EXPECT_EQ(reader.feed(view), Fed::broken) << text;
    EXPECT_NE(reader.fault().find("length of"), std::string::npos) << text;
  }
}

TEST(Versions, ListsAreSplitAtZero) {  // req impi 3.3, 3.4
  const Version sent[] = {{0, 0}, {0, 1}, {1, 0}, {0, 0}, {1, 0}, {0, 0}, {0, 1}, {1, 0}};
  const Bytes values = encode_values(sent);
  EXPECT_EQ(values.size(), 64U);
  const auto lists = split_versions(values, 3);
  ASSERT_TRUE(lists.ok());
  EXPECT_EQ(lists.value()[0].size(), 3U);
  EXPECT_EQ(lists.value()[1].size(), 2U);
  EXPECT_EQ(common_version(lists.value()), (Version{1, 0}));
  EXPECT_FALSE(split_versions(values, 2).ok());
  EXPECT_FALSE(split_versions(ByteView(values).first(60), 3).ok());
  EXPECT_FALSE(split_versions(ByteView(values).subspan(8), 3).ok());
  const Version falling[] = {{0, 0}, {1, 0}, {0, 5}};
  EXPECT_FALSE(split_versions(encode_values(falling), 1).ok());
}

TEST(Thresholds, DefaultsAreMeantBeforeTheyAreCompared) {  // req impi 3.5
  const std::int32_t same[] = {-1, 1024};
  const std::int32_t other[] = {-1, 1000};
  EXPECT_EQ(agreed_threshold(Label::c_coll_xsize, same).value(), 1024);
  EXPECT_FALSE(agreed_threshold(Label::c_coll_xsize, other).ok());
  EXPECT_FALSE(agreed_threshold(Label::c_coll_maxlinear, std::vector{-2}).ok());
}

TEST(Addresses, MappedAndCompatible) {  // req impi 3.9
  HostId mapped{};
  mapped[10] = mapped[11] = std::byte{0xFF};
  mapped[12] = std::byte{127};
  mapped[15] = std::byte{1};
  HostId compatible = mapped;
  compatible[10] = compatible[11] = std::byte{0};
  EXPECT_EQ(text_of(mapped), "127.0.0.1");
  EXPECT_EQ(text_of(compatible), "127.0.0.1");
  EXPECT_NE(mapped, compatible);
  EXPECT_EQ(host_id_of(address_of(compatible, 7)), mapped);
  EXPECT_EQ(text_of(address_of(mapped, 5000)), "127.0.0.1:5000");
  HostId loopback{};
  loopback[15] = std::byte{1};
  EXPECT_EQ(text_of(address_of(loopback, 80)), "[::1]:80");
}

TEST(Addresses, WordsOfUsers) {
  const auto good = resolve("127.0.0.1:5678");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(text_of(good.value()), "127.0.0.1:5678");
  EXPECT_EQ(text_of(resolve("[::1]:9").value()), "[::1]:9");
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", ":7",
                           "127.0.0.1:7x", "127.0.0.1:-7", "host.:999999"})
    EXPECT_FALSE(resolve(text).ok()) << text;
}

TEST(Trace, KeepsNoSecretAndLittleData) {  // req impi 8.5
  const std::string path = testing::TempDir() + "impi-trace-" + std::to_string(getpid());
  TraceWriter writer;
  ASSERT_TRUE(writer.open(path, "host 1").ok());
  writer.record(FrameKind::secret, Direction::sent, "server", from_hex("de ad be ef"));
  const Bytes data(1000, std::byte{0x55});
  writer.record(FrameKind::packet, Direction::received, "host 0", encode(data_of(1000, 1000)),
                data);
  writer.close();
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text.find("\xde\xad"), std::string::npos);
  EXPECT_EQ(text.substr(0, 8), kTraceMagic);
  EXPECT_EQ(text.size(), 8 + 2 * (kTraceRecordBytes + 12) + kTraceKeeps);
  unlink(path.c_str());
  EXPECT_FALSE(writer.open("/nowhere/at/all", "x").ok());
}

}  // namespace
}  // namespace tessera::impi
