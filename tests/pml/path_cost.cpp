// SPDX-License-Identifier: BSD-3-Clause
// Sends 8-byte messages between two modules over a wire that costs nothing, so that a profiler sees
// the pml alone.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fake_network.h"

namespace tessera::test {
namespace {

// Holds up to 64 packets; handed out by poll() of the receiving side.
class BareWire final : public btl::Endpoint {
 public:
  explicit BareWire(Peer& peer) noexcept : Endpoint(peer) {}
  Status send(const btl::Packet& packet) noexcept override {
    if (end_ - begin_ == 64) return Errc::again;
    Cell& cell = cells_[end_++ % 64];
    std::memcpy(cell.header, packet.header, sizeof cell.header);
    std::memcpy(cell.payload, packet.payload, sizeof cell.payload);
    return {};
  }
  int hand_out(btl::Sink& sink, btl::Endpoint& back) noexcept {
    int events = 0;
    for (; begin_ != end_; ++events) {
      const Cell& cell = cells_[begin_++ % 64];
      sink.deliver(back, cell.header, cell.payload);
    }
    return events;
  }

 private:
  struct Cell {
    std::byte header[24];
    std::byte payload[8];
  };
  Cell cells_[64] = {};
  unsigned begin_ = 0;
  unsigned end_ = 0;
};

class End final : public Poller, public Job, public pml::Router {
 public:
  explicit End(World& world)
      : progress(world), wire(other), module(ob1::Settings{}, progress, *this) {
    attributes.eager_limit = 1024;
    attributes.max_packet = 4096;
    route = {&wire, &attributes};
    module.attach(*this);
    progress.add(*this);
  }
  int poll() noexcept override { return peer_end->wire.hand_out(module.sink(), wire); }
  std::uint32_t my_id() const noexcept override { return 0; }
  std::uint32_t size() const noexcept override { return 2; }
  std::uint32_t local_size() const noexcept override { return 2; }
  std::uint32_t usable_cpus() const noexcept override { return 2; }
  Peer& peer(std::uint32_t) const noexcept override { return *other_pointer; }
  Result<SharedRegion> shared(std::string_view, std::size_t) const noexcept override {
    return Errc::unsupported;
  }
  Result<std::span<const pml::Route>> routes(Peer&) noexcept override {
    return std::span<const pml::Route>(&route, 1);
  }

  pml::SendArgs sending(std::uint64_t& value) noexcept {
    return {&value, 8, &bytes(), &other, 0, 7, 2, pml::Mode::standard};
  }
  pml::RecvArgs receiving(std::uint64_t& value) noexcept {
    return {&value, 8, &bytes(), &other, 0, 7, 2};
  }

  Peer other;
  Peer* other_pointer = &other;
  End* peer_end = nullptr;
  btl::Attributes attributes;
  pml::Route route;
  StepProgress progress;
  BareWire wire;
  ob1::Ob1Module module;
};

void blocking(End& a, End& b, long messages) {
  std::uint64_t out = 1, in = 0;
  MessageStatus status;
  for (long i = 0; i < messages; ++i) {
    if (!a.module.send(a.sending(out)).ok() || !b.module.recv(b.receiving(in), status).ok())
      std::abort();
  }
}

void unexpected(End& a, End& b, long messages) {
  std::uint64_t out = 1, in = 0;
  MessageStatus status;
  for (long i = 0; i < messages; ++i) {
    if (!a.module.send(a.sending(out)).ok()) std::abort();
    b.progress.poll();
    if (!b.module.recv(b.receiving(in), status).ok()) std::abort();
  }
}

void nonblocking(End& a, End& b, long messages) {
  constexpr int kWindow = 32;
  std::uint64_t out = 1, in = 0;
  for (long i = 0; i < messages; i += kWindow) {
    Request* requests[2 * kWindow];
    for (int k = 0; k < kWindow; ++k) requests[k] = b.module.irecv(b.receiving(in)).value();
    for (int k = 0; k < kWindow; ++k)
      requests[kWindow + k] = a.module.isend(a.sending(out)).value();
    b.progress.poll();
    for (Request* request : requests) request->free();
  }
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  using namespace tessera::test;
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s blocking|unexpected|nonblocking MESSAGES\n", argv[0]);
    return 2;
  }
  World world(1);
  End a(world), b(world);
  a.peer_end = &b;
  b.peer_end = &a;
  const long messages = std::atol(argv[2]);
  if (std::strcmp(argv[1], "blocking") == 0) blocking(a, b, messages);
  if (std::strcmp(argv[1], "unexpected") == 0) unexpected(a, b, messages);
  if (std::strcmp(argv[1], "nonblocking") == 0) nonblocking(a, b, messages);
  return 0;
}
