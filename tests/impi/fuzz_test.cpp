// SPDX-License-Identifier: BSD-3-Clause
// The parsers of server, host and directory, with input that nobody would send (fuzz.h).
#include "fuzz.h"

#include "impi/server/connection.h"
#include "impi/wire/directory.h"
#include "impi/wire/packet.h"

namespace tessera::impi {
namespace {

using fuzzing::Forge;
using fuzzing::fuzz;
using fuzzing::joined;
using fuzzing::Outcomes;

std::vector<Bytes> streams_of_clients() {
  const std::uint32_t numbers[] = {1, 2};
  const Bytes none = joined({encode_auth(1), encode_impi(0)});
  Bytes key = encode_auth(2);
  append_number(key, std::uint64_t{5678});
  Bytes proof = encode_auth(1U << 16);
  proof.resize(proof.size() + kNonceBytes + kProofBytes);
  const Bytes labels =
      joined({encode_coll(0x1100, encode_values(numbers)), encode_coll(0x2000, Bytes(32)),
              encode_command(Command::done), encode_command(Command::fini)});
  return {joined({none, labels}), joined({key, encode_impi(1), labels}), joined({proof, labels}),
          joined({none, encode_command(static_cast<Command>(0x57484154), Bytes(100)), labels})};
}

// Two clients of one job; the input of the first one is what is kept.
TEST(Fuzz, Server) {
  Admission admission;
  admission.credentials.none = true;
  admission.credentials.key = 5678;
  admission.credentials.secret = Bytes(20);
  TraceWriter trace;
  fuzz("server", streams_of_clients(),
       [&](Forge& forge, const auto& corpus, Bytes& input, Outcomes& outcomes) {
         Rendezvous job(2);
         Connection connections[] = {{admission, job, trace, "a"}, {admission, job, trace, "b"}};
         std::size_t given = 0, answered = 0;
         for (Connection& connection : connections) {
           const Bytes bytes = forge.mutant(corpus);
           if (input.empty()) input = bytes;
           given += bytes.size();
           forge.in_pieces(bytes, [&](ByteView piece) { connection.receive(piece); });
           answered += connection.take_output().size();
           if (connection.phase() == Connection::Phase::broken) {
             EXPECT_FALSE(connection.fault().empty());
           }
         }
         for (const Bytes& reply : job.collect()) answered += reply.size();
         EXPECT_LE(answered, 2 * given + 1024);  // nobody is answered more than was sent
         EXPECT_FALSE(job.who_is_missing().empty());
         outcomes.add(connections[0].fault());
         outcomes.add(
             std::string(1, static_cast<char>('A' + static_cast<int>(connections[0].phase()))));
       });
}

TEST(Fuzz, Host) {
  std::vector<Bytes> streams;
  for (std::uint32_t type = 0; type < kPacketTypes; ++type) {
    Packet packet;
    packet.type = static_cast<PacketType>(type);
    packet.length = carries_data(packet.type) ? 10 : 0;
    packet.message_length = 10 + 90 * (type % 2);
    Bytes bytes;
    append(bytes, encode(packet));
    bytes.resize(bytes.size() + packet.length);
    streams.push_back(joined({bytes, bytes}));
  }
  fuzz("host", streams, [&](Forge& forge, const auto& corpus, Bytes& input, Outcomes& outcomes) {
    PacketReader reader(64);
    input = forge.mutant(corpus);
    std::size_t taken = 0;
    std::set<std::string_view> types;
    forge.in_pieces(input, [&](ByteView piece) {
      Fed fed = Fed::complete;
      while ((fed = reader.feed(piece)) == Fed::complete) {
        taken += kPacketBytes + reader.data().size();
        EXPECT_EQ(check_packet(reader.packet(), 64), "");
        EXPECT_LE(reader.data().size(), 64U);
        types.insert(name_of(reader.packet().type));
      }
      EXPECT_TRUE(fed == Fed::broken || piece.empty());
    });
    EXPECT_LE(taken, input.size());
    outcomes.add(reader.fault());
    for (const std::string_view type : types) outcomes.add(type);
  });
}

// Labels as a server may send them: a directory, or a text that says why there is none.
TEST(Fuzz, Directory) {
  Bytes replies;
  for (const LabelRule& rule : label_rules()) {
    Bytes values(2 * bytes_of(rule.element));
    if (rule.element != Element::version) values[3] = values[values.size() - 1] = std::byte{1};
    append(replies, encode_coll_reply(static_cast<std::uint32_t>(rule.label), 3, values));
  }
  fuzz("directory", {replies},
       [&](Forge& forge, const auto& corpus, Bytes& input, Outcomes& outcomes) {
         DirectoryBuilder builder(2);
         CommandReader reader;
         input = forge.mutant(corpus);
         std::string refused;  // the first time
         forge.in_pieces(input, [&](ByteView piece) {
           CollReply decoded;
           while (reader.feed(piece) == Fed::complete) {
             if (reader.command() != Command::coll || !decode_coll_reply(reader.payload(), decoded))
               continue;
             if (const Checked taken = builder.take(decoded); !taken.ok() && refused.empty())
               refused = taken.text();
           }
         });
         outcomes.add(refused);
         const auto made = builder.finish();
         if (!made.ok()) {
           EXPECT_FALSE(made.text().empty());
           outcomes.add(made.text());
         } else {
           EXPECT_GE(made.value().processes.size(), made.value().hosts.size());
         }
       });
}

}  // namespace
}  // namespace tessera::impi
