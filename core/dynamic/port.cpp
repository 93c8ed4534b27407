// SPDX-License-Identifier: BSD-3-Clause
// Listening, and telling callers from strangers.
#include "core/dynamic/port.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "core/dynamic/port_address.h"
#include "core/job/segment.h"

namespace tessera {
namespace {

Status failed(const std::string& what) {
  return Status::failure(Errc::system, "cannot open a port: " + what + ": " + strerror(errno));
}

// Addresses of interfaces that are up; loopback is of use on this host only.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    const bool usable = one->ifa_addr != nullptr && (one->ifa_flags & IFF_UP) != 0 &&
                        (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (!usable) continue;
    if (std::string text = text_of(*one->ifa_addr); !text.empty())
      addresses.push_back(std::move(text));
  }
  freeifaddrs(list);
  return addresses;
}

}  // namespace

Result<std::unique_ptr<Port>> Port::open(const PortWishes& wishes) noexcept try {
  std::unique_ptr<Port> port(new Port());
  port->name_.id = JobSegment::random_id();
  port->name_.key = {JobSegment::random_id(), JobSegment::random_id()};
  port->name_.host = this_network_stack();
  port->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (port->epoll_ < 0) return failed("epoll_create1");
  if (Status s = port->listen_here(); !s) return s;
  if (!wishes.other_hosts) return port;
  const Status everywhere = port->listen_everywhere(wishes);
  const bool demanded = !wishes.address.empty() || wishes.port != 0;
  if (!everywhere.ok() && demanded) return everywhere;
  return port;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Port::~Port() {
  for (const Stranger& stranger : strangers_) close(stranger.socket);
  for (const int socket : {here_, everywhere_, epoll_}) {
    if (socket >= 0) close(socket);
  }
}

Status Port::listen_here() noexcept {
  const UnixAddress address("port", name_.id);
  here_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (here_ < 0) return failed("socket");
  if (bind(here_, address.get(), address.bytes) != 0) return failed("bind");
  if (listen(here_, SOMAXCONN) != 0) return failed("listen");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = here_;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, here_, &event);
  return {};
}

Status Port::listen_everywhere(const PortWishes& wishes) {
  std::uint16_t number = 0;
  everywhere_ = listening_socket(wishes.address, wishes.port, number);
  if (everywhere_ < 0) {
    return failed("ip_address " + (wishes.address.empty() ? "any" : wishes.address) + ", ip_port " +
                  std::to_string(wishes.port));
  }
  const std::vector<std::string> addresses =
      wishes.address.empty() ? own_addresses() : std::vector<std::string>{wishes.address};
  for (const std::string& address : addresses) name_.addresses.push_back({address, number});
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = everywhere_;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, everywhere_, &event);
  return {};
}

void Port::watch(Progress& progress, bool on) noexcept {
  if (on) (void)progress.watch(epoll_, EPOLLIN);
  if (!on) progress.unwatch(epoll_);
}

void Port::let_in(int listener) noexcept {
  while (true) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    if (strangers_.size() >= kStrangers) {
      close(strangers_.front().socket);
      strangers_.erase(strangers_.begin());
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
    strangers_.push_back({socket, steady_ms()});
  }
}

// False: it is to be dropped, or has become the known one.
bool Port::listens(Stranger& stranger, int& known) noexcept {
  const ssize_t count = recv(stranger.socket, stranger.bytes + stranger.got,
                             sizeof stranger.bytes - stranger.got, MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN && steady_ms() - stranger.since_ms < kPatienceMs;
  stranger.got += static_cast<std::size_t>(count);
  if (count == 0) return false;
  if (stranger.got < sizeof stranger.bytes) return true;
  const Greeting right{kGreeting, name_.key};
  if (std::memcmp(stranger.bytes, &right, sizeof right) == 0) known = stranger.socket;
  return false;
}

int Port::next() noexcept {
  let_in(here_);
  if (everywhere_ >= 0) let_in(everywhere_);
  for (std::size_t i = 0; i < strangers_.size();) {
    int known = -1;
    if (listens(strangers_[i], known)) {
      ++i;
      continue;
    }
    const int socket = strangers_[i].socket;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    strangers_.erase(strangers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (known >= 0) return known;
    close(socket);
  }
  return -1;
}

}  // namespace tessera
