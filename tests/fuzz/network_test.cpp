// SPDX-License-Identifier: BSD-3-Clause
// What btl/tcp takes from the network and from other processes, with bytes that no peer would send.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <random>
#include <tuple>

#include "components/btl/tcp/arrival.h"
#include "components/btl/tcp/attempt.h"
#include "components/btl/tcp/card.h"
#include "components/btl/tcp/inbox.h"
#include "components/btl/tcp/proof.h"
#include "tests/btl_tcp/harness.h"
#include "tests/fuzz/fuzz.h"

namespace tessera::btl::tcp {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A stream whose far end gets what is written in pieces that follow from the text.
class Pieces {
 public:
  explicit Pieces(std::string_view text)
      : rest_(text), random_(std::hash<std::string_view>{}(text)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    near = Socket(ends[0]);
    far = Socket(ends[1]);
    longest_ = std::size_t{1} << (1 + random_() % 14);
  }
  // Writes the next piece; false: all is written, or the far end takes no more.
  bool write() {
    if (rest_.empty()) return false;
    const std::size_t most = std::min(rest_.size(), 1 + random_() % longest_);
    const ssize_t sent = send_some(near.get(), rest_.data(), most);
    if (sent <= 0) return false;
    rest_.remove_prefix(static_cast<std::size_t>(sent));
    written += static_cast<std::size_t>(sent);
    return true;
  }
  bool coin() { return random_() % 2 == 0; }

  Socket near, far;
  std::size_t written = 0;

 private:
  std::string_view rest_;
  std::mt19937_64 random_;
  std::size_t longest_ = 1;
};

TEST(FuzzNetwork, BusinessCards) {
  const std::vector<Interface> mine = list_interfaces().value();
  fuzz::run("card", [&](const std::string& text) {
    const auto card = Card::decode(bytes_of(text));
    if (!card) return std::string("no card");
    EXPECT_LE(card->node.size(), kNodeBytes);
    const auto again = Card::decode(card->encode());
    EXPECT_TRUE(again && again->port == card->port && again->node == card->node);
    for (const HostId& here : {card->host, HostId{}}) {
      for (const Address& one : rank_addresses(*card, here, mine)) EXPECT_FALSE(one.text().empty());
    }
    return std::string();
  });
}

// The owner of calls that come in: what became of one.
class Reporter final : public ArrivalOwner {
 public:
  void greeted(Arrival& arrival, const Hello& hello) noexcept override {
    said = hello;
    arrival.moved(*this, hello, 0);
    EXPECT_TRUE(arrival.welcome());
  }
  void committed(Arrival&) noexcept override { over = agreed = true; }
  void gone(Arrival&) noexcept override { over = true; }

  std::optional<Hello> said;
  bool agreed = false;
  bool over = false;
};

// Process 1 of two, without a socket that listens.
class Called {
 public:
  Called() {
    station_.card.door = *make_secret();
    station_.card.sign = *make_secret();
    EXPECT_TRUE(station_.reactor.open().ok());
  }

  // The first byte of the text says whether the caller knows the secret of this process.
  std::string take(const std::string& text) {
    if (text.empty()) return "nothing";
    const bool knows = (text[0] & 1) != 0;
    std::string words = text.substr(1);
    Reporter reporter;
    Pieces pieces(words);
    Socket far = std::move(pieces.far);
    Arrival arrival(station_, std::move(far), reporter);
    EXPECT_TRUE(arrival.challenge().ok());
    Secret challenge{};
    EXPECT_EQ(receive_some(pieces.near.get(), challenge.data(), challenge.size()), 16);
    if (knows) prove(words, challenge);
    while (!reporter.over && pieces.write()) {
      for (int round = 0; round < 4 && !reporter.over; ++round) (void)arrival.ready(EPOLLIN);
    }
    check(reporter, knows, pieces.written - unread(arrival));
    return reporter.agreed ? "" : answer(reporter);
  }

 private:
  void prove(std::string& words, const Secret& challenge) const {
    if (words.size() < Hello::kBytes) return;
    auto* const at = reinterpret_cast<std::byte*>(words.data());
    const auto hello = Hello::read(at);
    if (!hello) return;
    const Secret proof = prove_caller(station_.card.door, challenge, *hello);
    std::memcpy(at + Hello::kProven, proof.data(), proof.size());
  }
  static std::size_t unread(Arrival& arrival) {
    const Socket socket = arrival.take_socket();
    int bytes = 0;
    EXPECT_EQ(ioctl(socket.get(), FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }
  static void check(const Reporter& reporter, bool knows, std::size_t taken) {
    EXPECT_TRUE(knows || !reporter.said);
    EXPECT_LE(taken, reporter.said ? Hello::kBytes + Frame::kBytes : Hello::kBytes);
    if (!reporter.said) return;
    EXPECT_EQ(reporter.said->from, 0U);
    EXPECT_EQ(reporter.said->to, 1U);
  }
  static std::string answer(const Reporter& reporter) {
    return std::string(reporter.said ? "greeted" : "stranger") + (reporter.over ? ", gone" : "");
  }

  TestParams params_;
  contract::Segment segment_{2};
  contract::FakeJob job_{segment_, 1};
  TestProgress progress_;
  TestBootstrap bootstrap_{segment_, 1};
  Sinks sinks_;
  Station station_{Host{params_, job_, progress_, bootstrap_}, sinks_,
                   read_settings(params_).value(), 0};
};

TEST(FuzzNetwork, Greetings) {
  Called called;
  fuzz::run("greeting", [&](const std::string& text) { return called.take(text); });
}

// The owner of a call that goes out: what became of it.
class Caller final : public AttemptOwner {
 public:
  void answered(Attempt&) noexcept override { over = agreed = true; }
  void failed(Attempt& attempt, const std::string& why, bool) noexcept override {
    EXPECT_FALSE(why.empty());
    said = why;
    over = true;
    attempt.close();
  }

  std::string said;
  bool agreed = false;
  bool over = false;
};

// Process 0 of two calls a port where this test answers.
class Calling {
 public:
  Calling() {
    EXPECT_TRUE(station_.reactor.open().ok());
    card_.door = *make_secret();
    card_.sign = *make_secret();
    listener_ = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any_port(here_, 0);
    EXPECT_EQ(::bind(listener_.get(), any_port.get(), any_port.size()), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    sockaddr_in name{};
    socklen_t size = sizeof name;
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
    card_.port = ntohs(name.sin_port);
    EXPECT_EQ(answer("1" + std::string(kAnswer, 'x')), "");
  }

  // The first byte of the text says who answers; the rest is the Challenge, the Welcome and more.
  std::string answer(const std::string& text) {
    if (text.empty()) return "nothing";
    const auto who = static_cast<Who>(text[0] & 3);
    std::string words = text.substr(1);
    if (who == Who::parrot) words.replace(0, kAnswer, heard_);
    Caller caller;
    Attempt attempt(station_, caller, 0);
    const Hello hello{0, 1, 1000, 1, {}, {}};
    EXPECT_EQ(attempt.start(here_, card_, hello), 0);
    const Socket far(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    reset_when_closed(far);
    say(far, caller, std::string_view(words).substr(0, kChallenge));
    if (words.size() >= kChallenge) prove(far, caller, words, who);
    if (words.size() > kChallenge) say(far, caller, std::string_view(words).substr(kChallenge));
    // One who has hung up is no longer connected.
    EXPECT_TRUE(::shutdown(far.get(), SHUT_WR) == 0 || (caller.over && !caller.agreed));
    listen_to_the_end(caller);
    EXPECT_EQ(caller.agreed, who == Who::peer && words.size() >= kAnswer);
    if (caller.agreed) check(attempt, words);
    return caller.said;
  }

 private:
  // Who knows no secret, all, the wrong one; who repeats what an earlier connection heard.
  enum class Who : std::uint8_t { stranger, peer, wrong_secret, parrot };
  static constexpr std::size_t kChallenge = sizeof(Secret);
  static constexpr std::size_t kAnswer = kChallenge + Welcome::kBytes;

  // So that ten minutes of calls do not use up the ports.
  static void reset_when_closed(const Socket& far) {
    const linger at_once{1, 0};
    EXPECT_EQ(::setsockopt(far.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  }
  void say(const Socket& far, const Caller& caller, std::string_view words) {
    std::mt19937_64 random(std::hash<std::string_view>{}(words));
    while (!words.empty() && !caller.over) {
      const std::size_t most = std::min<std::size_t>(words.size(), 1 + random() % 48);
      ASSERT_EQ(send_some(far.get(), words.data(), most), static_cast<ssize_t>(most));
      words.remove_prefix(most);
      (void)station_.reactor.dispatch();
    }
  }
  // A caller that does not come to an end ends the test by its alarm.
  void listen_to_the_end(const Caller& caller) {
    while (!caller.over) (void)station_.reactor.dispatch();
  }
  // What the caller answers, and with which proof it is welcomed.
  void prove(const Socket& far, const Caller& caller, std::string& words, Who who) {
    std::array<std::byte, Hello::kBytes> bytes;
    std::size_t got = 0;
    while (got < bytes.size() && !caller.over) {
      (void)station_.reactor.dispatch();
      const ssize_t more = ::recv(far.get(), bytes.data() + got, bytes.size() - got, MSG_DONTWAIT);
      if (more > 0) got += static_cast<std::size_t>(more);
    }
    ASSERT_EQ(got, bytes.size());
    const auto hello = Hello::read(bytes.data());
    ASSERT_TRUE(hello);
    Secret challenge;
    std::memcpy(challenge.data(), words.data(), challenge.size());
    EXPECT_EQ(hello->proof, prove_caller(card_.door, challenge, *hello));
    EXPECT_NE(std::exchange(last_nonce_, hello->nonce), hello->nonce);
    if (words.size() < kAnswer || (who != Who::peer && who != Who::wrong_secret)) return;
    auto* const at = reinterpret_cast<std::byte*>(words.data()) + kChallenge;
    Welcome welcome = Welcome::read(at);
    const Secret& key = who == Who::peer ? card_.sign : card_.door;
    welcome.proof = prove_called(key, challenge, *hello, welcome);
    welcome.write(at);
    if (who == Who::peer) heard_ = words.substr(0, kAnswer);
  }
  // What follows the Welcome is not its business.
  static void check(Attempt& attempt, const std::string& words) {
    EXPECT_EQ(attempt.max_packet(),
              take<std::uint64_t>(bytes_of(words).subspan(kChallenge).data()));
    const Socket near = attempt.take_socket();
    pollfd arrival{near.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&arrival, 1, -1), 1);
    std::string rest(words.size() - kAnswer, '\0');
    const ssize_t got = ::recv(near.get(), rest.data(), rest.size(), 0);
    ASSERT_GE(got, 0);
    EXPECT_EQ(rest.substr(0, static_cast<std::size_t>(got)),
              words.substr(kAnswer, static_cast<std::size_t>(got)));
  }

  TestParams params_;
  contract::Segment segment_{2};
  contract::FakeJob job_{segment_, 0};
  TestProgress progress_;
  TestBootstrap bootstrap_{segment_, 0};
  Sinks sinks_;
  Station station_{Host{params_, job_, progress_, bootstrap_}, sinks_,
                   read_settings(params_).value(), 0};
  const Address here_ = *Address::parse("127.0.0.1");
  Socket listener_;
  Card card_;
  std::string heard_;  // the Challenge and the Welcome of an earlier connection
  Secret last_nonce_{};
};

TEST(FuzzNetwork, AnswersToACall) {
  Calling calling;
  fuzz::run("answer", [&](const std::string& text) { return calling.answer(text); });
}

using Packets = std::vector<std::tuple<std::size_t, std::string, std::string>>;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Recorder final : public Sink {
 public:
  Recorder(std::size_t channel, Packets& packets, Pieces& pieces)
      : channel_(channel), packets_(packets), pieces_(pieces) {}
  void deliver(Endpoint&, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override {
    packets_.emplace_back(channel_, text_of(header), text_of(payload));
  }
  std::byte* landing(Endpoint&, std::span<const std::byte> header,
                     std::size_t bytes) noexcept override {
    if (pieces_.coin()) return nullptr;
    header_ = text_of(header);
    place_.assign(bytes, std::byte{0});
    return place_.data();
  }
  void landed(Endpoint& from, std::span<const std::byte> header,
              std::size_t bytes) noexcept override {
    EXPECT_EQ(bytes, place_.size());
    EXPECT_EQ(text_of(header), header_);
    deliver(from, header, place_);
  }
  void lost(Peer&, Status) noexcept override {}

 private:
  std::size_t channel_;
  Packets& packets_;
  Pieces& pieces_;
  std::string header_;
  std::vector<std::byte> place_;
};

constexpr std::uint64_t kMostBytes = 20'000;  // of a packet, as the peer announced
constexpr std::size_t kDeaf = 5;              // the channel that nobody listens to

// What the stream holds, read at once.
Inbox::Verdict read_plainly(std::string_view stream, Packets& packets) {
  while (stream.size() >= Frame::kBytes) {
    const Frame frame = Frame::read(bytes_of(stream).data());
    if (frame.kind == FrameKind::bye && frame.header_bytes == 0 && frame.payload_bytes == 0)
      return Inbox::Verdict::bye;
    const std::uint64_t bytes = std::uint64_t{frame.header_bytes} + frame.payload_bytes;
    if (frame.kind != FrameKind::packet || frame.channel >= kChannels ||
        frame.header_bytes > kMaxHeader || bytes > kMostBytes)
      return Inbox::Verdict::garbage;
    if (stream.size() < frame.total()) break;
    const auto body = stream.substr(Frame::kBytes, frame.total() - Frame::kBytes);
    if (frame.channel != kDeaf)
      packets.emplace_back(frame.channel, body.substr(0, frame.header_bytes),
                           body.substr(frame.header_bytes));
    stream.remove_prefix(frame.total());
  }
  return Inbox::Verdict::more;
}

class Nowhere final : public Endpoint {
 public:
  explicit Nowhere(Peer& peer) noexcept : Endpoint(peer) {}
  Status send(const Packet&) noexcept override { return Errc::unsupported; }
};

Inbox::Verdict read_in_pieces(const std::string& stream, Packets& packets) {
  Pieces pieces(stream);
  Peer peer;
  Nowhere from(peer);
  std::vector<std::unique_ptr<Recorder>> recorders;
  Sinks sinks;
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    recorders.push_back(std::make_unique<Recorder>(channel, packets, pieces));
    if (channel != kDeaf) sinks.set(static_cast<Channel>(channel), recorders.back().get());
  }
  Inbox inbox(2000);
  inbox.expect(kMostBytes);
  int count = 0;
  auto verdict = Inbox::Verdict::more;
  while (verdict == Inbox::Verdict::more && pieces.write()) {
    while (verdict == Inbox::Verdict::more && inbox.fill(pieces.far.get()) > 0)
      verdict = inbox.deliver(from, sinks, count);
  }
  return verdict;
}

TEST(FuzzNetwork, Frames) {
  fuzz::run("frames", [](const std::string& text) {
    Packets wanted, packets;
    const auto verdict = read_plainly(text, wanted);
    EXPECT_EQ(read_in_pieces(text, packets), verdict);
    EXPECT_TRUE(packets == wanted) << packets.size() << " packets instead of " << wanted.size();
    if (verdict == Inbox::Verdict::more) return std::string();
    return std::string(verdict == Inbox::Verdict::bye ? "bye" : "garbage");
  });
}

}  // namespace
}  // namespace tessera::btl::tcp
