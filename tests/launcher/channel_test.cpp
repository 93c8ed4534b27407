// SPDX-License-Identifier: BSD-3-Clause
// Carriers as threads, with a store of this process.
#include "launcher/carrier/channel.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <barrier>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <mutex>

#include "launcher/carrier/input.h"
#include "launcher/carrier/listener.h"

namespace tessera::launcher::carrier {
namespace {

struct Store {
  explicit Store(std::uint32_t count) : size(count), all(count) {}
  std::uint32_t size;
  std::barrier<> all;
  std::mutex mutex;
  std::map<std::uint32_t, std::vector<std::byte>> cards;
};

class FakeSession final : public boot::Session {
 public:
  FakeSession(Store& store, std::uint32_t rank) : store_(store) {
    place_.rank = rank;
    place_.size = store.size;
  }
  const boot::Place& place() const noexcept override { return place_; }
  Status put(std::string_view, std::span<const std::byte> value) noexcept override {
    const std::lock_guard lock(store_.mutex);
    store_.cards[place_.rank].assign(value.begin(), value.end());
    return {};
  }
  Status fence() noexcept override {
    store_.all.arrive_and_wait();
    return {};
  }
  Result<std::vector<std::byte>> get(std::uint32_t rank, std::string_view) noexcept override {
    if (before_get) before_get();
    const std::lock_guard lock(store_.mutex);
    return store_.cards[rank];
  }
  void abort(int, std::string_view) noexcept override {}
  Status finalize() noexcept override { return {}; }

  std::function<void()> before_get;

 private:
  Store& store_;
  boot::Place place_;
};

// A connection to the first address of a card.
int stranger(const std::vector<std::byte>& card) {
  sockaddr_storage to{};
  std::memcpy(&to, card.data() + Listener::kSecretBytes, sizeof to);
  const int caller = socket(to.ss_family, SOCK_STREAM, 0);
  const socklen_t bytes = to.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  EXPECT_EQ(connect(caller, reinterpret_cast<sockaddr*>(&to), bytes), 0);
  return caller;
}

using Channels = std::vector<std::unique_ptr<Channel>>;

Channels open_all(Store& store, const std::function<void()>& before_get = {}) {
  std::vector<std::future<Result<std::unique_ptr<Channel>>>> opening;
  for (std::uint32_t node = 0; node < store.size; ++node)
    opening.push_back(std::async(std::launch::async, [&store, &before_get, node] {
      FakeSession session(store, node);
      session.before_get = before_get;
      return Channel::open(session, 20);
    }));
  Channels channels;
  for (auto& each : opening) {
    auto channel = each.get();
    EXPECT_TRUE(channel.ok()) << channel.status().text();
    channels.push_back(channel.ok() ? std::move(*channel) : nullptr);
  }
  return channels;
}

struct Heard final : ChannelHandler {
  void told_to_end(bool places) override { ends += places ? 10 : 1; }
  void lost(std::uint32_t node) override { gone = static_cast<int>(node); }
  void asked_for_waits(std::uint32_t number) override { question = number; }
  void told_waits(std::uint32_t node, std::uint32_t number, std::string_view text) override {
    told[node] += std::to_string(number) + ":" + std::string(text) + " ";
  }
  int ends = 0;
  int gone = -1;
  std::uint32_t question = 0;
  std::map<std::uint32_t, std::string> told;
};

void serve(Channel& channel, Heard& heard) {
  pollfd ready{channel.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&ready, 1, 60'000), 1);
  channel.ready(heard);
}

TEST(Channel, TheFirstEndCounts) {
  Store store(3);
  Channels channels = open_all(store);
  Heard heard[3];
  channels[2]->tell_end(5, false);
  serve(*channels[0], heard[0]);
  channels[0]->tell_end(7, false);
  channels[1]->tell_end(8, true);
  serve(*channels[0], heard[0]);
  serve(*channels[1], heard[1]);
  EXPECT_EQ(channels[0]->status(), 5);
  EXPECT_EQ(heard[1].ends, 1);
  EXPECT_TRUE(channels[1]->told_end());
}

TEST(Channel, WaitsAreAskedForAndTold) {
  Store store(3);
  Channels channels = open_all(store);
  Heard hub, member;
  EXPECT_TRUE(channels[2]->tell_waits(0, "some"));
  while (hub.told.empty()) serve(*channels[0], hub);
  channels[0]->ask_for_waits(2, 9);
  serve(*channels[2], member);
  EXPECT_EQ(member.question, 9u);
  const std::string many(1'000'000, 'x');  // comes in parts
  std::future<void> reading = std::async(std::launch::async, [&] {
    while (hub.told[2].size() < many.size()) serve(*channels[0], hub);
  });
  while (!channels[2]->tell_waits(9, many)) usleep(1000);  // the first ones are being acknowledged
  reading.get();
  EXPECT_EQ(hub.told[2], "0:some 9:" + many + " ");
  channels[2]->tell_end(3, false);
  serve(*channels[0], hub);
  EXPECT_EQ(hub.ends, 1);
}

TEST(Channel, PlacesAreAskedFor) {
  Store store(2);
  Channels channels = open_all(store);
  Heard heard;
  channels[0]->tell_end(124, true);
  serve(*channels[1], heard);
  EXPECT_EQ(heard.ends, 10);
}

TEST(Channel, AllFinish) {
  Store store(2);
  Channels channels = open_all(store);
  Heard hub, member;
  channels[0]->tell_finished(0);
  EXPECT_FALSE(channels[0]->all_finished());
  channels[1]->tell_finished(3);
  serve(*channels[0], hub);
  EXPECT_TRUE(channels[0]->all_finished());
  EXPECT_EQ(channels[0]->status(), 3);
  EXPECT_FALSE(channels[1]->all_finished());
  channels[0]->tell_all_finished();
  serve(*channels[1], member);
  EXPECT_TRUE(channels[1]->all_finished());
  channels[0].reset();
  serve(*channels[1], member);
  EXPECT_EQ(member.gone, -1);
  EXPECT_FALSE(channels[1]->anybody_lost());
}

TEST(Channel, OneIsLost) {
  Store store(3);
  Channels channels = open_all(store);
  Heard hub, member;
  channels[1].reset();
  serve(*channels[0], hub);
  EXPECT_EQ(hub.gone, 1);
  EXPECT_TRUE(channels[0]->anybody_lost());
  channels[0].reset();
  serve(*channels[2], member);
  EXPECT_EQ(member.gone, 0);
}

TEST(Listener, CallersWhoSayNothingKeepNobodyWaiting) {
  auto listener = Listener::open();
  ASSERT_TRUE(listener.ok());
  const std::vector<std::byte> card = listener->card();
  std::vector<int> silent;
  for (std::size_t i = 0; i < Listener::kMostCallers + 8; ++i) {
    silent.push_back(stranger(card));
    EXPECT_LT(listener->accept(1).socket, 0);
  }
  auto caller = Listener::connect(card, 7, 60'000);
  ASSERT_TRUE(caller.ok()) << caller.status().text();
  const Connection accepted = listener->accept(60'000);
  EXPECT_GE(accepted.socket, 0);
  EXPECT_EQ(accepted.number, 7u);
  char answer = 0;
  EXPECT_EQ(recv(silent.front(), &answer, 1, 0), 0);  // the first was sent away
  EXPECT_LT(recv(silent.back(), &answer, 1, MSG_DONTWAIT), 0);
  for (const int each : silent) close(each);
  close(accepted.socket);
  close(*caller);
}

TEST(Listener, CardsAreWords) {
  auto listener = Listener::open();
  ASSERT_TRUE(listener.ok());
  const std::vector<std::byte> card = listener->card();
  EXPECT_EQ(card_of(text_of(card)), card);
  EXPECT_TRUE(card_of("0").empty());
  EXPECT_TRUE(card_of("0g").empty());
  EXPECT_EQ(Listener::connect(card_of("00ff"), 0, 1).status().code(), Errc::refused);
}

// Who does not show the secret is sent away, and the others come in.
TEST(Channel, AStrangerIsSentAway) {
  Store store(2);
  const auto connect_a_stranger = [&store] {
    std::vector<std::byte> card;
    {
      const std::lock_guard lock(store.mutex);
      card = store.cards[0];
    }
    const int caller = stranger(card);
    const char words[20] = "GET / HTTP/1.0\r\n\r\n";
    ASSERT_EQ(send(caller, words, sizeof words, MSG_NOSIGNAL), 20);
    char answer = 0;
    EXPECT_LE(recv(caller, &answer, 1, 0), 0);
    close(caller);
  };
  const Channels channels = open_all(store, connect_a_stranger);
  ASSERT_TRUE(channels[0] && channels[1]);
}

}  // namespace
}  // namespace tessera::launcher::carrier
