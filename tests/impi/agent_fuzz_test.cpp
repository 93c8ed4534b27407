// SPDX-License-Identifier: BSD-3-Clause
// A whole agent behind a socket: whatever the other host sends, it counts, acknowledges, hands out,
// or says what was wrong, and ends (fuzz.h).
#include <sys/socket.h>
#include <sys/un.h>

#include "core/impi/agent.h"
#include "fuzz.h"

namespace tessera::impi {
namespace {

using fuzzing::Forge;
using fuzzing::Outcomes;

constexpr std::uint32_t kMostData = 64, kAckmark = 3, kHiwater = 7;

ProcId process(int number) {
  ProcId id;
  id.host[15] = static_cast<std::byte>(number);
  id.pid = 100 + number;
  return id;
}

// Two systems with a process each; this one is the first.
Roster two_systems() {
  Roster roster;
  roster.clients = 2;
  for (std::uint32_t i = 0; i < 2; ++i) {
    roster.hosts.push_back({{}, 1, i});
    roster.processes.push_back({process(static_cast<int>(i)), i, i});
  }
  roster.terms = {kMostData, kAckmark, kHiwater, 32767, 1024, 4};
  return roster;
}

Bytes packet(PacketType type, std::size_t length, std::uint64_t message, std::uint64_t request) {
  Packet packet;
  packet.type = type;
  packet.source = process(1);
  packet.destination = process(0);
  packet.length = static_cast<std::uint32_t>(length);
  packet.message_length = message;
  packet.source_request = request;
  Bytes bytes;
  append(bytes, encode(packet));
  bytes.resize(bytes.size() + length);
  return bytes;
}

std::vector<Bytes> streams_of_hosts() {
  using enum PacketType;
  const Bytes whole = packet(data, 5, 5, 1);
  const Bytes goodbye = packet(fini, 0, 0, 0);
  return {fuzzing::joined({whole, packet(datasync, 64, 200, 2), packet(cancel, 0, 0, 2), goodbye}),
          fuzzing::joined({whole, whole, whole, packet(protoack, 0, 0, 0), packet(data, 0, 0, 3)}),
          fuzzing::joined({packet(syncack, 0, 0, 9), packet(cancelyes, 0, 0, 8), goodbye}),
          fuzzing::joined({packet(data, 64, 200, 9), packet(cancelno, 0, 0, 9), goodbye})};
}

// What the agent listens at; no ports are used up.
class Door {
 public:
  Door() : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sa_family_t family = AF_UNIX;  // and no name: the system gives one
    const auto* name = reinterpret_cast<const sockaddr*>(&family);
    EXPECT_EQ(::bind(descriptor_, name, sizeof family), 0);
    EXPECT_EQ(::listen(descriptor_, 4), 0);
  }
  ~Door() { ::close(descriptor_); }
  int descriptor() const noexcept { return descriptor_; }

  int visitor() const {
    sockaddr_un name{};
    socklen_t size = sizeof name;
    auto* const address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(::getsockname(descriptor_, address, &size), 0);
    const int other = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(other, address, size), 0);
    const std::byte rank[] = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
    EXPECT_EQ(::send(other, rank, sizeof rank, MSG_NOSIGNAL), 4);
    return other;
  }

 private:
  int descriptor_;
};

// Five messages to the other one, the fourth a long one: something to acknowledge and to match.
void send_some(Agent& agent) {
  for (std::uint64_t request = 7; request < 12; ++request) {
    Outgoing item;
    item.packet.type = request == 9 ? PacketType::datasync : PacketType::data;
    item.packet.source = process(0);
    item.packet.destination = process(1);
    item.packet.source_request = item.request = request;
    if (request == 9) {
      Outgoing body = item;
      body.keeper = std::make_shared<const Bytes>(200);
      body.data = body.keeper->data();
      body.end = body.packet.message_length = 200;
      agent.send_body_after(1, body);
    }
    agent.submit(1, std::move(item));
  }
}

TEST(Fuzz, Agent) {
  const Roster roster = two_systems();
  const Door door;
  fuzzing::fuzz(
      "agent", streams_of_hosts(),
      [&](Forge& forge, const auto& corpus, Bytes& input, Outcomes& outcomes) {
        std::string why;
        Agent agent(roster, 0, [&](std::uint32_t client, const std::string& text) {
          EXPECT_EQ(client, 1U);
          EXPECT_TRUE(why.empty()) << why << ", then " << text;  // a stream is lost once
          why = text;
        });
        const int other = door.visitor();
        ASSERT_TRUE(agent.connect(door.descriptor(), 10).ok());
        send_some(agent);
        if (forge.below(2) == 0) agent.send_fini();
        input = forge.mutant(corpus);
        std::size_t taken = 0;
        std::set<std::string_view> types;
        AgentEvents events;
        const auto take = [&] {
          while (agent.take(events) > 0) {
            for (const ReceivedPacket& received : events.packets) {
              taken += kPacketBytes + received.data.size();
              EXPECT_EQ(received.source, 1U);
              EXPECT_EQ(check_packet(received.packet, kMostData), "");
              types.insert(name_of(received.packet.type));
            }
            events.clear();
          }
        };
        forge.in_pieces(input, [&](ByteView piece) {
          static_cast<void>(::send(other, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
          take();
        });
        ::shutdown(other, SHUT_WR);
        for (int i = 0; i < 3 && why.empty() && !agent.all_finished(); ++i) take();
        EXPECT_TRUE(!why.empty() || agent.all_finished());
        EXPECT_LE(taken, input.size());
        ::close(other);
        outcomes.add(why);
        for (const std::string_view type : types) outcomes.add(type);
      });
}

}  // namespace
}  // namespace tessera::impi
