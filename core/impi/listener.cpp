// SPDX-License-Identifier: BSD-3-Clause
#include "core/impi/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "impi/wire/address.h"

namespace tessera::impi {
namespace {

class Socket {
 public:
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const noexcept { return descriptor_; }
  int take() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// The kernel chooses it when a datagram socket is connected; nothing is sent.
Result<SocketAddress> address_towards(const SocketAddress& server) {
  const Socket probe(::socket(server.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  SocketAddress mine;
  mine.size = sizeof mine.storage;
  if (probe.get() < 0 || ::connect(probe.get(), server.get(), server.size) != 0 ||
      ::getsockname(probe.get(), mine.get(), &mine.size) != 0) {
    return Status::failure(Errc::system,
                           "the server at " + text_of(server) +
                               " cannot be reached from here: " + std::strerror(errno));
  }
  return mine;
}

}  // namespace

Result<Listener> listen_at(const std::string& address, const std::string& server) {
  const auto to = resolve(address.empty() ? server : address + ":1");
  if (!to.ok()) return Status::failure(Errc::argument, to.text());
  SocketAddress mine = to.value();
  if (address.empty()) {
    auto found = address_towards(to.value());
    if (!found.ok()) return found.status();
    mine = *found;
  }
  Listener listener;
  listener.address = host_id_of(mine);
  mine = address_of(listener.address, 0);
  Socket socket(::socket(mine.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0 || ::bind(socket.get(), mine.get(), mine.size) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(socket.get(), mine.get(), &mine.size) != 0) {
    return Status::failure(Errc::argument, "cannot listen at " + text_of(listener.address) + ": " +
                                               std::strerror(errno) +
                                               "; impi_address must be an address of this machine");
  }
  listener.port = port_of(mine);
  listener.descriptor = socket.take();
  return listener;
}

}  // namespace tessera::impi
