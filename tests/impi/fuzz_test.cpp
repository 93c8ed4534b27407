// SPDX-License-Identifier: BSD-3-Clause
// Streams that no client and no host would send: mutants of a corpus, in pieces of any size.
//
// IMPI_FUZZ_SECONDS is the time for each parser (default: a fixed number of rounds). A failure
// names the seed; IMPI_FUZZ_SEED repeats it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "impi/server/connection.h"
#include "impi/wire/directory.h"
#include "impi/wire/packet.h"

namespace tessera::impi {
namespace {

constexpr std::uint64_t kRounds = 20000;
constexpr std::size_t kLongest = 64U << 10;

class Forge {
 public:
  explicit Forge(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  // Changed bytes, numbers at their limits, parts doubled, removed or cut off.
  Bytes mutant(const std::vector<Bytes>& corpus) {
    Bytes bytes = corpus[below(corpus.size())];
    for (std::size_t i = below(6); i > 0 && !bytes.empty(); --i) change(bytes);
    if (below(4) == 0) append(bytes, corpus[below(corpus.size())]);
    bytes.resize(std::min(bytes.size(), kLongest));
    return bytes;
  }

  template <class Take>
  void in_pieces(ByteView bytes, Take take) {
    while (!bytes.empty()) {
      const std::size_t count = 1 + below(below(2) == 0 ? 8 : bytes.size());
      take(bytes.first(std::min(count, bytes.size())));
      bytes = bytes.subspan(std::min(count, bytes.size()));
    }
  }

 private:
  void change(Bytes& bytes) {
    constexpr std::uint32_t kLimits[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                         0xFFFFFFFF, 0xFFFFFFF0, 1U << 20,   (1U << 20) + 1};
    const std::size_t at = below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<std::byte>(random_());
        break;
      case 1:
        if (at / 4 * 4 + 4 <= bytes.size()) store(&bytes[at / 4 * 4], kLimits[below(8)]);
        break;
      case 2:
        bytes.erase(place, place + static_cast<std::ptrdiff_t>(below(bytes.size() - at)));
        break;
      default:
        append(bytes, Bytes(place, bytes.end()));
    }
  }
  std::mt19937_64 random_;
};

// Calls round(forge) for the budget, and reports how often.
template <class Round>
void fuzz(const char* parser, Round round) {
  const char* const seconds = std::getenv("IMPI_FUZZ_SECONDS");
  const char* const first = std::getenv("IMPI_FUZZ_SEED");
  const auto begun = std::chrono::steady_clock::now();
  const auto budget = std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  std::uint64_t rounds = 0;
  while (seconds == nullptr ? rounds < kRounds
                            : std::chrono::steady_clock::now() - begun < budget) {
    Forge forge(seed);
    round(forge);
    if (testing::Test::HasFailure()) FAIL() << parser << " with IMPI_FUZZ_SEED=" << seed;
    ++seed, ++rounds;
  }
  std::printf("%s: %llu executions\n", parser, static_cast<unsigned long long>(rounds));
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) append(all, part);
  return all;
}

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

TEST(Fuzz, Server) {
  const auto corpus = streams_of_clients();
  Admission admission;
  admission.credentials.none = true;
  admission.credentials.key = 5678;
  admission.credentials.secret = Bytes(20);
  TraceWriter trace;
  fuzz("server", [&](Forge& forge) {
    Rendezvous job(2);
    Connection connections[] = {{admission, job, trace, "a"}, {admission, job, trace, "b"}};
    std::size_t given = 0, answered = 0;
    for (Connection& connection : connections) {
      const Bytes bytes = forge.mutant(corpus);
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
  });
}

TEST(Fuzz, Host) {
  std::vector<Bytes> corpus;
  for (std::uint32_t type = 0; type < kPacketTypes; ++type) {
    Packet packet;
    packet.type = static_cast<PacketType>(type);
    packet.length = carries_data(packet.type) ? 10 : 0;
    packet.message_length = 10 + 90 * (type % 2);
    Bytes bytes;
    append(bytes, encode(packet));
    bytes.resize(bytes.size() + packet.length);
    corpus.push_back(joined({bytes, bytes}));
  }
  fuzz("host", [&](Forge& forge) {
    PacketReader reader(64);
    const Bytes bytes = forge.mutant(corpus);
    std::size_t taken = 0;
    forge.in_pieces(bytes, [&](ByteView piece) {
      Fed fed = Fed::complete;
      while ((fed = reader.feed(piece)) == Fed::complete) {
        taken += kPacketBytes + reader.data().size();
        EXPECT_EQ(check_packet(reader.packet(), 64), "");
        EXPECT_LE(reader.data().size(), 64U);
      }
      EXPECT_TRUE(fed == Fed::broken || piece.empty());
    });
    EXPECT_LE(taken, bytes.size());
  });
}

// Labels as a server may send them: a directory, or a text that says why there is none.
TEST(Fuzz, Directory) {
  std::vector<Bytes> corpus;
  for (const LabelRule& rule : label_rules()) {
    Bytes values(2 * bytes_of(rule.element));
    if (rule.element != Element::version) values[3] = values[values.size() - 1] = std::byte{1};
    corpus.push_back(encode_coll_reply(static_cast<std::uint32_t>(rule.label), 3, values));
  }
  fuzz("directory", [&](Forge& forge) {
    DirectoryBuilder builder(2);
    CommandReader reader;
    for (const Bytes& reply : corpus) {
      const Bytes bytes = forge.below(6) == 0 ? forge.mutant({reply}) : reply;
      ByteView view(bytes);
      CollReply decoded;
      while (reader.feed(view) == Fed::complete) {
        if (decode_coll_reply(reader.payload(), decoded)) (void)builder.take(decoded).ok();
      }
    }
    const auto made = builder.finish();
    if (!made.ok()) {
      EXPECT_FALSE(made.text().empty());
    } else {
      EXPECT_GE(made.value().processes.size(), made.value().hosts.size());
    }
  });
}

}  // namespace
}  // namespace tessera::impi
