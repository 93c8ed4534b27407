// SPDX-License-Identifier: BSD-3-Clause
// The harness of the btl/tcp tests.
#include "harness.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

namespace tessera::btl::tcp {
namespace {

std::byte pattern(std::uint32_t from, std::uint32_t number, std::size_t at) {
  return static_cast<std::byte>(from * 31 + number * 7 + at + (at >> 8));
}

}  // namespace

TestParams::TestParams()
    : values_{{"if_include", ""},
              {"if_exclude", ""},
              {"ports", "0"},
              {"connect_timeout", "30"},
              {"silence", "20"},
              {"linger", "2000"},
              {"sndbuf", "0"},
              {"rcvbuf", "0"},
              {"queue_limit", "1048576"},
              {"zero_copy", "32768"},
              {"eager_limit", "65536"},
              {"max_packet", "1049600"},
              {"latency", "15000"},
              {"bandwidth", "1000"},
              {"exclusivity", "10"},
              {"links", "1"}} {}

void TestParams::set(const std::string& name, const std::string& value) {
  values_.at(name) = value;
  chosen_[name] = true;
}

std::int64_t TestParams::integer(std::string_view name) const noexcept {
  return std::stoll(values_.find(name)->second);
}
std::uint64_t TestParams::size(std::string_view name) const noexcept {
  return std::stoull(values_.find(name)->second);
}
std::string_view TestParams::text(std::string_view name) const noexcept {
  return values_.find(name)->second;
}
bool TestParams::chosen(std::string_view name) const noexcept {
  return chosen_.find(name) != chosen_.end();
}

void Collector::deliver(Endpoint& endpoint, std::span<const std::byte> header,
                        std::span<const std::byte> payload) noexcept {
  const std::uint32_t from = endpoint.peer().id;
  std::uint32_t number = 0;
  if (header.size() != sizeof number) {
    error = "header of wrong size";
    return;
  }
  std::memcpy(&number, header.data(), sizeof number);
  if (number != received_[from]++) error = "packet out of order";
  for (std::size_t i = 0; i < payload.size() && error.empty(); ++i) {
    if (payload[i] != pattern(from, number, i)) error = "wrong byte " + std::to_string(i);
  }
}

std::byte* Collector::landing(Endpoint& from, std::span<const std::byte>,
                              std::size_t bytes) noexcept {
  if (!land) return nullptr;
  places_[from.peer().id].assign(bytes, std::byte{0});
  return places_[from.peer().id].data();
}

void Collector::landed(Endpoint& from, std::span<const std::byte> header,
                       std::size_t bytes) noexcept {
  ++landings;
  if (places_[from.peer().id].size() != bytes) error = "landed with another size";
  deliver(from, header, places_[from.peer().id]);
}

void Collector::lost(Peer& peer, Status why) noexcept {
  if (why.code() != Errc::peer_failed) error = "lost with another code";
  losses[peer.id].push_back(why.text());
}

std::uint32_t Collector::from(std::uint32_t id) const {
  const auto at = received_.find(id);
  return at == received_.end() ? 0 : at->second;
}

Status TestBootstrap::publish(std::string_view key, std::span<const std::byte> value) noexcept {
  segment_.publish(me_, key, value);
  segment_.publishing_done(me_);
  return {};
}

Result<std::span<const std::byte>> TestBootstrap::lookup(const Peer& peer,
                                                         std::string_view key) noexcept {
  if (const auto at = believed.find(peer.id); at != believed.end())
    return std::span<const std::byte>(at->second);
  return segment_.card(peer.id, key);
}

Process::Process(contract::Segment& segment, std::uint32_t id, const TestParams& wanted)
    : params(wanted), job(segment, id), bootstrap(segment, id) {
  auto settings = read_settings(params);
  opened = settings.status();
  if (!opened) return;
  module = std::make_unique<TcpModule>(Host{params, job, progress, bootstrap}, sinks, *settings);
  opened = module->open();
}

Process::~Process() {
  leave();
  EXPECT_TRUE(progress.empty());
  EXPECT_EQ(progress.descriptor, -1);
}

Status Process::send(std::uint32_t to, std::size_t payload) {
  auto endpoint = module->connect(job.peer(to));
  if (!endpoint) return endpoint.status();
  const std::uint32_t number = sent_[to];
  std::vector<std::byte> bytes(payload);
  for (std::size_t i = 0; i < payload; ++i) bytes[i] = pattern(job.my_id(), number, i);
  const Status status =
      (*endpoint)->send({Channel::pml, sizeof number, &number, bytes.data(), payload, false, lend});
  if (status) ++sent_[to];
  if (lend) lent_.push_back(std::move(bytes));
  return status;
}

void Process::leave() {
  if (module) module->close();
  module.reset();
}

void Process::die() {
  module.reset();
}

Card Process::card(std::uint32_t id) {
  return *Card::decode(bootstrap.lookup(job.peer(id), "btl.tcp").value());
}

JobOf::JobOf(std::uint32_t size, const TestParams& params) : segment_(size) {
  for (std::uint32_t id = 0; id < size; ++id) {
    processes_.push_back(std::make_unique<Process>(segment_, id, params));
    EXPECT_TRUE(processes_.back()->opened.ok()) << processes_.back()->opened.text();
  }
}

bool JobOf::run_until(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    for (auto& one : processes_) one->poll();
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

void JobOf::send(std::uint32_t from, std::uint32_t to, std::size_t payload) {
  Status status = Errc::again;
  EXPECT_TRUE(run_until([&] {
    status = (*this)[from].send(to, payload);
    return status != Errc::again;
  }));
  EXPECT_TRUE(status.ok()) << status.text();
}

std::size_t open_descriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  std::size_t count = 0;
  while (readdir(folder.get()) != nullptr) ++count;
  return count;
}

Socket call_port(std::uint16_t port) {
  const SocketAddress name(*Address::parse("127.0.0.1"), port);
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(connect(socket.get(), name.get(), name.size()), 0);
  return socket;
}

}  // namespace tessera::btl::tcp
