// SPDX-License-Identifier: BSD-3-Clause
// Listening, accepting, and keeping strangers harmless.
#include "listener.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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
int try_port(const Socket& socket, const Address& address, std::uint16_t port) noexcept {
  const SocketAddress name(address, port);
  if (bind(socket.get(), name.get(), name.size()) != 0) return errno;
  return listen(socket.get(), SOMAXCONN) == 0 ? 0 : errno;
}

Address any_address(int family) {
  static constexpr std::byte zero[16] = {};
  return family == AF_INET ? Address::v4(zero) : Address::v6(zero);
}

}  // namespace

Status Listener::open() noexcept {
  Status status = Errc::unsupported;
  if (station_.interfaces.size() == 1) {
    status = listen_on(station_.interfaces.front().address.is_v4() ? AF_INET : AF_INET6);
  } else {
    status = listen_on(AF_INET6);
    if (status == Errc::unsupported) status = listen_on(AF_INET);
  }
  if (!status) return status;
  return station_.reactor.add(socket_, EPOLLIN, *this);
}

Status Listener::listen_on(int family) {
  const bool single = station_.interfaces.size() == 1;
  return bind_any_port(single ? station_.interfaces.front().address : any_address(family));
}

Status Listener::bind_any_port(const Address& address) {
  const PortRange& ports = station_.settings.ports;
  const int family = address.is_v4() ? AF_INET : AF_INET6;
  const std::uint32_t span = static_cast<std::uint32_t>(ports.high - ports.low) + 1;
  int error = 0;
  for (std::uint32_t i = 0; i < span; ++i) {
    // A fresh socket each time: one whose listen() failed stays bound.
    socket_ = Socket(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_.valid())
      return errno == EAFNOSUPPORT ? Status(Errc::unsupported) : system_failure("socket", errno);
    const int on = 1, off = 0;
    (void)setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (family == AF_INET6)
      (void)setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    set_buffers(socket_, station_.settings);
    // Neighbours start at different ports, so that a range is not walked by all from its low end.
    error = try_port(socket_, address,
                     static_cast<std::uint16_t>(ports.low + (station_.my_id() + i) % span));
    port_ = bound_port(socket_);
    if (error == 0) return {};
    if (error == EADDRNOTAVAIL && family == AF_INET6) return Errc::unsupported;
    if (error != EADDRINUSE && error != EACCES) break;
  }
  socket_.close();
  return Status::failure(
      Errc::no_space, system_text("bind", error) + " for every port of btl_tcp_ports = " +
                          ports.text() + "; give a range with a free port for each process, or 0");
}

void Listener::resume() noexcept {
  if (std::exchange(paused_, false)) station_.reactor.change(socket_, EPOLLIN, *this);
}

bool Listener::tick(std::int64_t now_us) noexcept {
  const std::int64_t limit = station_.settings.connect_timeout_s * std::int64_t{1'000'000};
  while (!strangers_.empty() && now_us - strangers_.front()->since_us() > limit)
    gone(*strangers_.front());
  return !strangers_.empty();
}

void Listener::close() noexcept {
  socket_.close();
  strangers_.clear();
}

int Listener::ready(std::uint32_t) noexcept {
  int events = 0;
  for (; events < 16 && socket_.valid(); ++events) {
    Socket caller(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (caller.valid()) {
      let_in(std::move(caller));
    } else if (is_descriptor_shortage(errno)) {
      // Readiness stays on while nothing can be accepted: look away until the next tick.
      paused_ = true;
      station_.reactor.change(socket_, 0, *this);
      station_.reactor.tick_within(Reactor::kTickMs);
      break;
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return events;
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
