// SPDX-License-Identifier: BSD-3-Clause
// Listening, accepting, and keeping strangers harmless.
#include "listener.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace tessera::btl::tcp {
namespace {

bool is_descriptor_shortage(int error) noexcept {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

std::uint16_t bound_port(const Socket& socket) noexcept {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  if (name.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
}

// 0, or errno.
int bind_to(const Socket& socket, const Address& address, std::uint16_t port) noexcept {
  const int on = 1, off = 0;
  (void)setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!address.is_v4()) (void)setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const SocketAddress name(address, port);
  return bind(socket.get(), name.get(), name.size()) == 0 ? 0 : errno;
}

Socket fresh_socket(const Address& address) noexcept {
  const int family = address.is_v4() ? AF_INET : AF_INET6;
  return Socket(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Address any_address(int family) {
  static constexpr std::byte zero[16] = {};
  return family == AF_INET ? Address::v4(zero) : Address::v6(zero);
}

// Where processes of this machine call first; null: there is no loopback interface.
const Interface* loopback(const std::vector<Interface>& interfaces) noexcept {
  const Interface* found = nullptr;
  for (const Interface& one : interfaces) {
    if (one.address.is_loopback() && (found == nullptr || !found->address.is_v4())) found = &one;
  }
  return found;
}

// The kernel's choice of a port may be one that another process is about to take.
constexpr std::uint32_t kTriesOfAnyPort = 32;

}  // namespace

Status Listener::open() noexcept try {
  const bool local = station_.settings.if_include.empty() && station_.all_here();
  const Interface* const here = local ? loopback(station_.interfaces) : nullptr;
  std::vector<Address> addresses = published();
  if (here != nullptr) addresses.assign(1, here->address);
  if (Status s = bind_any_port(addresses, here != nullptr); !s) return s;
  return watch_from(0);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

// Those on the card.
std::vector<Address> Listener::published() const {
  std::vector<Address> addresses;
  for (const Interface& one : station_.interfaces) {
    if (addresses.size() < Card::kMaxAddresses) addresses.push_back(one.address);
  }
  return addresses;
}

Status Listener::watch_from(std::size_t first) {
  for (std::size_t i = first; i < sockets_.size(); ++i) {
    if (Status s = station_.reactor.add(sockets_[i], EPOLLIN, *this); !s) return s;
  }
  return {};
}

// 0, or errno. The port is nobody else's at any address then, yet not open.
int Listener::reserve(std::uint16_t port) noexcept {
  int error = EAFNOSUPPORT;
  for (const int family : {AF_INET6, AF_INET}) {
    const Address any = any_address(family);
    reserved_ = fresh_socket(any);
    error = reserved_.valid() ? bind_to(reserved_, any, port) : errno;
    if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL) break;
  }
  port_ = bound_port(reserved_);
  return error;
}

// 0, or errno. A fresh socket each time: one whose listen() failed stays bound.
int Listener::listen_at(const Address& address, std::uint16_t port) {
  Socket socket = fresh_socket(address);
  if (!socket.valid()) return errno;
  set_buffers(socket, station_.settings);
  if (const int error = bind_to(socket, address, port); error != 0) return error;
  if (listen(socket.get(), SOMAXCONN) != 0) return errno;
  port_ = bound_port(socket);
  sockets_.push_back(std::move(socket));
  return 0;
}

// 0, or errno of the last address that could not be had: it may be gone, or not be ready yet.
int Listener::listen_at_all(const std::vector<Address>& addresses, std::uint16_t port) {
  int error = 0;
  for (const Address& address : addresses) {
    const int here = listen_at(address, port);
    if (here == EADDRINUSE) return here;
    if (here != 0) error = here;
  }
  return error;
}

// 0, or errno. At some of the addresses is enough, but nobody else may have the port at another.
int Listener::try_port(const std::vector<Address>& addresses, std::uint16_t port, bool near) {
  const bool reserves = near || addresses.size() > 1;
  int error = reserves ? reserve(port) : 0;
  if (error == 0) error = listen_at_all(addresses, reserves ? port_ : port);
  if (error == EADDRINUSE) sockets_.clear();
  return sockets_.empty() ? error : 0;
}

Status Listener::bind_any_port(const std::vector<Address>& addresses, bool near) {
  const PortRange& ports = station_.settings.ports;
  const std::uint32_t span = static_cast<std::uint32_t>(ports.high - ports.low) + 1;
  const std::uint32_t tries = ports.any() ? kTriesOfAnyPort : span;
  int error = 0;
  for (std::uint32_t i = 0; i < tries; ++i) {
    // Neighbours start at different ports, so that a range is not walked by all from its low end.
    const auto port = static_cast<std::uint16_t>(ports.low + (station_.my_id() + i) % span);
    error = try_port(addresses, port, near);
    if (error == 0 && !near) reserved_.close();
    if (error == 0) return {};
    if (error == EAFNOSUPPORT) return Errc::unsupported;
    if (is_descriptor_shortage(error)) return system_failure("socket", error);
    if (error != EADDRINUSE && error != EACCES) break;
  }
  reserved_.close();
  return Status::failure(
      Errc::no_space, system_text("bind", error) + " for every port of btl_tcp_ports = " +
                          ports.text() + "; give a range with a free port for each process, or 0");
}

Status Listener::widen() noexcept try {
  if (!near()) return {};
  const std::size_t before = sockets_.size();
  std::vector<Address> others = published();
  std::erase_if(others, [](const Address& one) { return one.is_loopback(); });
  const int error = listen_at_all(others, port_);
  if (sockets_.size() == before) return system_failure("bind", error);
  reserved_.close();
  return watch_from(before);
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void Listener::look_for(std::uint32_t events) noexcept {
  for (const Socket& one : sockets_) station_.reactor.change(one, events, *this);
}

void Listener::resume() noexcept {
  if (std::exchange(paused_, false)) look_for(EPOLLIN);
}

bool Listener::tick(std::int64_t now_us) noexcept {
  const std::int64_t limit = station_.settings.connect_timeout_s * std::int64_t{1'000'000};
  while (!strangers_.empty() && now_us - strangers_.front()->since_us() > limit)
    gone(*strangers_.front());
  return !strangers_.empty();
}

void Listener::close() noexcept {
  sockets_.clear();
  reserved_.close();
  strangers_.clear();
}

int Listener::ready(std::uint32_t) noexcept {
  int events = 0;
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    for (int calls = 0; calls < 16 && i < sockets_.size() && accept_from(sockets_[i]); ++calls)
      ++events;
  }
  return events;
}

// Whether a call was there.
bool Listener::accept_from(const Socket& socket) noexcept {
  Socket caller(accept4(socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (caller.valid()) {
    let_in(std::move(caller));
    return true;
  }
  const int error = errno;
  if (is_descriptor_shortage(error)) {
    // Readiness stays on while nothing can be accepted: look away until the next tick.
    paused_ = true;
    look_for(0);
    station_.reactor.tick_within(Reactor::kTickMs);
    return false;
  }
  return error != EAGAIN;
}

// The address by which the caller came, if the user wants it used.
std::optional<Address> Listener::chosen_address(const Socket& socket) const noexcept {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0)
    return std::nullopt;
  const auto local = Address::of(reinterpret_cast<const sockaddr*>(&name));
  const bool chosen =
      local && std::any_of(station_.interfaces.begin(), station_.interfaces.end(),
                           [&](const Interface& one) { return one.address == *local; });
  return chosen ? local : std::nullopt;
}

void Listener::let_in(Socket socket) noexcept {
  const auto local = chosen_address(socket);
  if (!local) return;
  tune(socket, station_.settings, local->is_loopback());
  auto arrival = std::make_unique<Arrival>(station_, std::move(socket), *this);
  if (!arrival->challenge()) return;
  if (strangers_.size() >= kMaxStrangers) gone(*strangers_.front());
  strangers_.push_back(std::move(arrival));
  station_.reactor.tick_within(Reactor::kSlowTickMs);
}

std::unique_ptr<Arrival> Listener::release(Arrival& arrival) noexcept {
  const auto at = std::find_if(strangers_.begin(), strangers_.end(),
                               [&](const auto& one) { return one.get() == &arrival; });
  std::unique_ptr<Arrival> owned = std::move(*at);
  strangers_.erase(at);
  return owned;
}

void Listener::greeted(Arrival& arrival, const Hello& hello) noexcept {
  reception_.receive(release(arrival), hello);
}

void Listener::gone(Arrival& arrival) noexcept {
  arrival.close();
  station_.reactor.bury(release(arrival));
}

}  // namespace tessera::btl::tcp
