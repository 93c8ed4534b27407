// SPDX-License-Identifier: BSD-3-Clause
// Socket addresses, and calling a port.
#include "core/dynamic/port_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/dynamic/port.h"

namespace tessera {
namespace {

union IpAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

// False: no IP address.
bool read(const std::string& text, std::uint16_t port, IpAddress& address, socklen_t& bytes) {
  std::memset(&address, 0, sizeof address);
  if (inet_pton(AF_INET, text.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    bytes = sizeof address.v4;
    return true;
  }
  if (inet_pton(AF_INET6, text.c_str(), &address.v6.sin6_addr) != 1) return false;
  address.v6.sin6_family = AF_INET6;
  address.v6.sin6_port = htons(port);
  bytes = sizeof address.v6;
  return true;
}

int listen_at(const std::string& text, std::uint16_t port, std::uint16_t& number) {
  IpAddress address{};
  socklen_t bytes = 0;
  if (!read(text, port, address, bytes)) return errno = EINVAL, -1;
  const int made = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  const int on = 1, off = 0;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.any.sa_family == AF_INET6)
    setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(made, &address.any, bytes) != 0 || listen(made, SOMAXCONN) != 0 ||
      getsockname(made, &address.any, &bytes) != 0) {
    const int error = errno;
    close(made);
    return errno = error, -1;
  }
  number = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
  return made;
}

// The connection, when it is there.
Result<Line> reach(const PortAddress& at, const Deadline& deadline) {
  Line line(connecting_socket(at.address, at.port));
  int error = line.is_open() ? 0 : errno;
  const bool known = error != 0 || wait_beside(deadline, line.socket(), EPOLLOUT, [&] {
                       pollfd one{line.socket(), POLLOUT, 0};
                       return ::poll(&one, 1, 0) == 1;
                     });
  socklen_t bytes = sizeof error;
  if (known && error == 0) getsockopt(line.socket(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (!known) error = ETIMEDOUT;
  if (error == 0) return line;
  const Errc code = error == ECONNREFUSED ? Errc::not_found : Errc::peer_failed;
  return Status::failure(code,
                         at.address + ", port " + std::to_string(at.port) + ": " + strerror(error));
}

Result<Line> reach_here(const PortName& name) {
  const UnixAddress address("port", name.id);
  Line line(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!line.is_open())
    return Status::failure(Errc::system, std::string("socket: ") + strerror(errno));
  if (connect(line.socket(), address.get(), address.bytes) == 0) return line;
  return Status::failure(errno == ECONNREFUSED ? Errc::not_found : Errc::system,
                         "no process of this host has the port open");
}

Status connect_to(const PortName& name, const Deadline& deadline, Line& line) {
  if (name.host == this_network_stack()) {
    auto reached = reach_here(name);
    if (reached.ok()) line = std::move(*reached);
    return reached.status();
  }
  Status last = Status::failure(Errc::peer_failed, "the port has no address for other hosts");
  for (const PortAddress& address : name.addresses) {
    auto reached = reach(address, deadline);
    last = reached.status();
    if (!reached.ok()) continue;
    line = std::move(*reached);
    break;
  }
  return last;
}

}  // namespace

bool same_user(int socket) noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&v6)) inet_ntop(AF_INET6, &v6, text, sizeof text);
  }
  return text;
}

int listening_socket(const std::string& address, std::uint16_t port, std::uint16_t& number) {
  if (!address.empty()) return listen_at(address, port, number);
  const int both = listen_at("::", port, number);
  return both >= 0 ? both : listen_at("0.0.0.0", port, number);
}

int connecting_socket(const std::string& text, std::uint16_t port) {
  IpAddress address{};
  socklen_t bytes = 0;
  if (!read(text, port, address, bytes)) return errno = EINVAL, -1;
  const int made = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (connect(made, &address.any, bytes) == 0 || errno == EINPROGRESS) return made;
  const int error = errno;
  close(made);
  return errno = error, -1;
}

Result<Line> dial(const PortName& name, const Deadline& deadline) noexcept try {
  Line line;
  if (Status s = connect_to(name, deadline, line); !s) return s;
  const Greeting greeting{kGreeting, name.key};
  if (Status s = line.send_raw(&greeting, sizeof greeting, deadline); !s) return s;
  return line;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

}  // namespace tessera
