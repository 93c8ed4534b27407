// SPDX-License-Identifier: BSD-3-Clause
// Address cards: encoding and the order of calling.
#include "components/btl/tcp/card.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <random>

namespace tessera::btl::tcp {
namespace {

Address at(const char* text) {
  return *Address::parse(text);
}

Card sample() {
  Card card;
  card.port = 40123;
  card.door = make_secret().value();
  card.sign = make_secret().value();
  card.host = this_host();
  card.node = "node2";
  card.addresses = {at("127.0.0.1"), at("192.0.2.2"), at("2001:db8::2")};
  return card;
}

std::vector<std::string> order(const Card& card, const HostId& host,
                               const std::vector<Interface>& mine, unsigned link = 0) {
  std::vector<std::string> result;
  for (const Address& address : rank_addresses(card, host, mine, link))
    result.push_back(address.text());
  return result;
}

TEST(TcpCard, SurvivesEncoding) {
  const Card card = sample();
  const auto copy = Card::decode(card.encode());
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->port, card.port);
  EXPECT_EQ(copy->door, card.door);
  EXPECT_EQ(copy->sign, card.sign);
  EXPECT_EQ(copy->host, card.host);
  EXPECT_EQ(copy->node, "node2");
  EXPECT_EQ(copy->addresses, card.addresses);
  EXPECT_NE(card.door, card.sign);
}

TEST(TcpCard, StaysSmall) {
  Card card = sample();
  card.addresses.assign(500, at("2001:db8::2"));
  EXPECT_LE(card.encode().size(), 700u);
  EXPECT_EQ(Card::decode(card.encode())->addresses.size(), Card::kMaxAddresses);
}

TEST(TcpCard, GarbageIsNoCard) {
  const auto bytes = sample().encode();
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(Card::decode(std::span(bytes).first(cut))) << cut;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> noise(random() % 200);
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    if (!noise.empty()) noise[0] = bytes[0];
    (void)Card::decode(noise);
  }
}

TEST(TcpCard, HostIdIsStable) {
  EXPECT_EQ(this_host(), this_host());
}

// From now on the system call fails, as in a sandbox. False: filters cannot be installed here.
bool deny(long call) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// What a child process finds that may not use these system calls.
enum Found { secret = 0, none = 1, unfiltered = 2 };
int secret_without(std::initializer_list<long> calls) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (const long call : calls)
      if (!deny(call)) _exit(unfiltered);
    _exit(make_secret() ? secret : none);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(TcpCard, SecretsWhereGetrandomIsDenied) {
  const int found = secret_without({SYS_getrandom});
  if (found == unfiltered) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(found, secret);
  EXPECT_EQ(secret_without({SYS_getrandom, SYS_openat}), none);
}

TEST(TcpCard, LoopbackOnlyOnTheSameHost) {
  const std::vector<Interface> mine = {{"lo", at("127.0.0.1"), 8}, {"eth0", at("192.0.2.9"), 24}};
  const Card card = sample();
  EXPECT_EQ(order(card, card.host, mine), (std::vector<std::string>{"127.0.0.1", "192.0.2.2"}));
  EXPECT_EQ(order(card, HostId{}, mine), std::vector<std::string>{"192.0.2.2"});
  EXPECT_EQ(order(card, card.host, {mine[1]}), std::vector<std::string>{"192.0.2.2"});
}

TEST(TcpCard, EachLinkBeginsWithAnotherSubnet) {
  Card card;
  card.addresses = {at("10.1.0.7"), at("192.0.2.2"), at("10.2.0.7"), at("10.3.0.7")};
  const std::vector<Interface> mine = {{"eth0", at("10.1.0.9"), 24}, {"eth1", at("10.2.0.9"), 24}};
  const std::vector<std::string> first = {"10.1.0.7", "10.2.0.7", "10.3.0.7", "192.0.2.2"};
  const std::vector<std::string> second = {"10.2.0.7", "10.1.0.7", "10.3.0.7", "192.0.2.2"};
  EXPECT_EQ(order(card, HostId{}, mine, 0), first);
  EXPECT_EQ(order(card, HostId{}, mine, 1), second);
  EXPECT_EQ(order(card, HostId{}, mine, 2), first);
  EXPECT_TRUE(order(Card{}, HostId{}, mine, 1).empty());
}

TEST(TcpCard, SubnetThenKindThenTheRest) {
  Card card;
  card.addresses = {at("198.51.100.7"), at("172.16.9.9"), at("10.1.0.7"), at("2001:db8::7")};
  const std::vector<Interface> v4 = {{"ib0", at("10.1.200.1"), 16}};
  EXPECT_EQ(order(card, HostId{}, v4),
            (std::vector<std::string>{"10.1.0.7", "172.16.9.9", "198.51.100.7"}));
  const std::vector<Interface> v6 = {{"eth0", at("2001:db8::1"), 64}};
  EXPECT_EQ(order(card, HostId{}, v6), std::vector<std::string>{"2001:db8::7"});
}

}  // namespace
}  // namespace tessera::btl::tcp
