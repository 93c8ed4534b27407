// SPDX-License-Identifier: BSD-3-Clause
// At which addresses a process can be called, as the kernel tells.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

// The addresses at which somebody listens on `port`, as /proc/net/tcp and tcp6 write them.
std::set<std::string> listening(std::uint16_t port) {
  std::set<std::string> found;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string number, local, remote, state;
      words >> number >> local >> remote >> state;
      const auto colon = local.find(':');
      if (state == "0A" && std::stoul(local.substr(colon + 1), nullptr, 16) == port)
        found.insert(local.substr(0, colon));
    }
  }
  return found;
}

// As the kernel writes it there.
std::string in_hexadecimal(const Address& address) {
  std::string text;
  char digits[9];
  for (std::size_t at = 0; at < address.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, address.bytes() + at, sizeof word);
    std::snprintf(digits, sizeof digits, "%08X", word);
    text += digits;
  }
  return text;
}

std::string loopback_here() {
  return in_hexadecimal(*Address::parse("127.0.0.1"));
}

std::vector<Address> all_addresses() {
  std::vector<Address> found;
  const auto all = list_interfaces();
  EXPECT_TRUE(all.ok());
  for (const Interface& one : all.value()) found.push_back(one.address);
  return found;
}

// Addresses of this machine that other machines could call.
std::vector<Address> outer_addresses() {
  std::vector<Address> outer = all_addresses();
  std::erase_if(outer, [](const Address& one) { return one.is_loopback(); });
  return outer;
}

std::string text(const std::set<std::string>& addresses) {
  std::string all;
  for (const std::string& one : addresses) all += one + " ";
  return all;
}

std::uint16_t port_of(Process& process) {
  return process.card(process.job.my_id()).port;
}

TEST(TcpListener, AJobOnOneMachineListensOnLoopbackAlone) {
  JobOf job(3);
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    const auto where = listening(port_of(job[id]));
    EXPECT_EQ(where, std::set<std::string>{loopback_here()}) << text(where);
  }
  for (const Address& address : outer_addresses()) {
    const SocketAddress name(address, port_of(job[0]));
    const Socket caller(::socket(address.is_v4() ? AF_INET : AF_INET6, SOCK_STREAM, 0));
    EXPECT_NE(connect(caller.get(), name.get(), name.size()), 0) << address.text();
    EXPECT_EQ(errno, ECONNREFUSED) << address.text();
  }
  job.send(0, 1, 5000);
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 1; }));
}

TEST(TcpListener, TheDescriptionNamesWhereItListens) {
  JobOf job(2);
  const std::string said = job[0].module->describe();
  EXPECT_NE(said.find("127.0.0.1"), std::string::npos) << said;
  for (const Address& address : outer_addresses())
    EXPECT_EQ(said.find(" " + address.text() + " "), std::string::npos) << said;
}

TEST(TcpListener, ChosenInterfacesAreListenedOnThough) {
  TestParams params;
  const auto outer = outer_addresses();
  if (outer.empty()) GTEST_SKIP() << "this machine has loopback alone";
  params.set("if_include",
             "127.0.0.0/8," + outer.front().text() + "/" + std::to_string(outer.front().bits()));
  JobOf job(2, params);
  const auto where = listening(port_of(job[0]));
  const std::set<std::string> wanted{loopback_here(), in_hexadecimal(outer.front())};
  EXPECT_EQ(where, wanted) << text(where);
}

// A process with a peer on another machine, which never calls.
class Across {
 public:
  Across() : segment_(2), progress_(), bootstrap_(segment_, 0), job_(segment_, 0) {}
  contract::FakeJob& job() { return job_; }
  std::unique_ptr<TcpModule> open() {
    const Settings settings = read_settings(params_).value();
    auto module =
        std::make_unique<TcpModule>(Host{params_, job_, progress_, bootstrap_}, sinks_, settings);
    const Status opened = module->open();
    EXPECT_TRUE(opened.ok()) << opened.text();
    return module;
  }
  std::uint16_t port() {
    return Card::decode(bootstrap_.lookup(job_.peer(0), "btl.tcp").value())->port;
  }

 private:
  contract::Segment segment_;
  TestParams params_;
  TestProgress progress_;
  TestBootstrap bootstrap_;
  contract::FakeJob job_;
  Sinks sinks_;
};

// Not at the address that stands for all: one that comes up later is nobody's to call.
TEST(TcpListener, AJobOverMachinesListensAtTheAddressesOfItsCard) {
  Across across;
  across.job().peer(1).locality = Locality::remote;
  const auto module = across.open();
  std::set<std::string> wanted;
  for (const Address& one : all_addresses()) wanted.insert(in_hexadecimal(one));
  const auto where = listening(across.port());
  EXPECT_EQ(where, wanted) << text(where);
  module->close();
}

// The job was on one machine; then a process of another one becomes known.
TEST(TcpListener, OtherMachinesWidenIt) {
  const auto outer = outer_addresses();
  if (outer.empty()) GTEST_SKIP() << "this machine has loopback alone";
  Across across;
  const auto module = across.open();
  EXPECT_EQ(listening(across.port()), std::set<std::string>{loopback_here()});
  across.job().peer(1).locality = Locality::remote;
  ASSERT_TRUE(module->connect(across.job().peer(1)).ok());
  std::set<std::string> wanted{loopback_here()};
  for (const Address& one : outer) wanted.insert(in_hexadecimal(one));
  EXPECT_EQ(listening(across.port()), wanted);
  const auto descriptors = open_descriptors();
  ASSERT_TRUE(module->connect(across.job().peer(1)).ok());
  EXPECT_EQ(open_descriptors(), descriptors);
  for (const Address& address : outer) {
    const SocketAddress name(address, across.port());
    const Socket caller(::socket(address.is_v4() ? AF_INET : AF_INET6, SOCK_STREAM, 0));
    ASSERT_EQ(connect(caller.get(), name.get(), name.size()), 0) << address.text();
    Secret challenge{};
    while (receive_some(caller.get(), challenge.data(), challenge.size()) == -EAGAIN)
      (void)module->poll();
    EXPECT_NE(challenge, Secret{}) << address.text();
  }
  module->close();
}

// Ranges are kept to, and what another program has is left to it.
TEST(TcpListener, RangesHoldWithLoopbackAlone) {
  JobOf any(1);
  const std::uint16_t taken = port_of(any[0]);
  if (taken > 65000) GTEST_SKIP() << "no range above this port";
  TestParams params;
  params.set("ports", std::to_string(taken) + ".." + std::to_string(taken + 8));
  JobOf job(4, params);
  std::set<std::uint16_t> ports{taken};
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    EXPECT_GT(port_of(job[id]), taken);
    EXPECT_LE(port_of(job[id]), taken + 8);
    EXPECT_TRUE(ports.insert(port_of(job[id])).second);
  }
}

}  // namespace
}  // namespace tessera::btl::tcp
