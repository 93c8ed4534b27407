// SPDX-License-Identifier: BSD-3-Clause
// Agent: connections between hosts, the thread, and what it waits for.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/impi/agent.h"
#include "core/impi/host_acceptor.h"
#include "impi/wire/address.h"

namespace tessera::impi {
namespace {

constexpr int kTickMs = 2;
constexpr int kSilenceS = 20;

Status failed(const char* call) {
  return Status::failure(Errc::system, std::string(call) + ": " + std::strerror(errno));
}

void set_option(int socket, int level, int name, int value) noexcept {
  ::setsockopt(socket, level, name, &value, sizeof value);
}

bool within_one_machine(int socket) noexcept {
  SocketAddress mine;
  SocketAddress theirs;
  mine.size = theirs.size = sizeof mine.storage;
  return ::getsockname(socket, mine.get(), &mine.size) == 0 &&
         ::getpeername(socket, theirs.get(), &theirs.size) == 0 &&
         host_id_of(mine) == host_id_of(theirs);
}

// A machine that is dead is noticed where nothing is under way to it. Within one machine there is
// no path to measure: algorithms that pace what they send make bandwidth a matter of luck there.
void tune(int socket) noexcept {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSilenceS / 2);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kSilenceS / 6);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  static constexpr std::string_view plain = "reno";
  if (within_one_machine(socket))
    ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, plain.data(), plain.size());
}

bool readable(int descriptor, int ms) noexcept {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, ms) > 0;
}

}  // namespace

Status Agent::connect(int listener, int patience_s) {
  if (epoll_ < 0 || doorbell_ < 0 || stop_ < 0) return failed("epoll_create1, eventfd");
  const std::uint32_t mine = roster_.processes[me_].host;
  const std::uint32_t client = roster_.processes[me_].client;
  std::size_t expected = 0;
  for (std::uint32_t host = 0; host < roster_.hosts.size(); ++host) {
    if (roster_.hosts[host].client == client) continue;
    if (host > mine) {
      ++expected;
    } else if (Status s = connect_lower(host, patience_s); !s) {
      return s;
    }
  }
  HostAcceptor acceptor(listener);
  for (; expected > 0; --expected) {
    if (Status s = accept_higher(acceptor, patience_s); !s) return s;
  }
  return {};
}

// One file for all processes of a system: the one that speaks with the server has made it.
Status Agent::trace(const std::string& path) {
  if (path.empty()) return {};
  const Checked joined = trace_.join(path, "host " + std::to_string(roster_.processes[me_].host));
  return joined.ok() ? Status() : Status::failure(Errc::argument, joined.text());
}

// From the address that was announced: there are systems that know their peers by it.
Status Agent::connect_lower(std::uint32_t host, int patience_s) {
  const HostEntry& entry = roster_.hosts[host];
  const SocketAddress to = address_of(entry.address, entry.port);
  const int fd = ::socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed("socket");
  const SocketAddress from = address_of(roster_.hosts[roster_.processes[me_].host].address, 0);
  if (from.storage.ss_family == to.storage.ss_family)
    static_cast<void>(::bind(fd, from.get(), from.size));
  const timeval limit{patience_s, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  std::byte rank[kHostRankBytes];
  store(rank, roster_.processes[me_].host);
  if (::connect(fd, to.get(), to.size) != 0 ||
      ::send(fd, rank, sizeof rank, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof rank)) {
    const int error = errno;
    ::close(fd);
    return Status::failure(Errc::peer_failed, "cannot connect to " + roster_.name_of(entry.client) +
                                                  " at " + text_of(to) + ": " +
                                                  std::strerror(error));
  }
  if (Status s = adopt(fd, host); !s) return s;
  trace_.record(FrameKind::host_rank, Direction::sent, streams_[host]->name(), rank);
  return {};
}

// Sends away a caller that does not say the rank of an expected host.
Status Agent::accept_higher(HostAcceptor& acceptor, int patience_s) {
  const std::uint32_t mine = roster_.processes[me_].host;
  const auto until = HostAcceptor::Clock::now() + std::chrono::seconds(patience_s);
  while (const auto accepted = acceptor.next(until)) {
    const std::uint32_t host = accepted->host();
    const bool right = host > mine && host < roster_.hosts.size() &&
                       roster_.hosts[host].client != roster_.hosts[mine].client &&
                       streams_[host] == nullptr;
    if (!right) {
      ::close(accepted->socket);
      continue;
    }
    if (Status s = adopt(accepted->socket, host); !s) return s;
    trace_.record(FrameKind::host_rank, Direction::received, streams_[host]->name(),
                  accepted->said);
    return {};
  }
  return Status::failure(Errc::peer_failed,
                         "not all processes of the other systems have connected within " +
                             std::to_string(patience_s) + " seconds");
}

Status Agent::adopt(int socket, std::uint32_t host) {
  tune(socket);
  const timeval none{0, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  streams_[host] =
      std::make_unique<Stream>(socket, host, roster_.hosts[host].client, roster_.terms.most_data,
                               static_cast<DataPlaces*>(this));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = host;
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0 ? Status() : failed("epoll_ctl");
}

Status Agent::watch_server(int descriptor, std::function<void()> on_ready) {
  on_server_ = std::move(on_ready);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = ~0ull;
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0 ? Status()
                                                                     : failed("epoll_ctl");
}

bool Agent::lost_one_within(int milliseconds) {
  std::vector<pollfd> ends;
  std::vector<Stream*> streams;
  for (const auto& stream : streams_) {
    if (stream == nullptr || !stream->open() || stream->fini_received) continue;
    ends.push_back({stream->socket(), POLLRDHUP, 0});
    streams.push_back(stream.get());
  }
  if (::poll(ends.data(), ends.size(), milliseconds) <= 0) return false;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].revents != 0)
      return lost(*streams[i], "it has closed its connection without FINI"), true;
  }
  return false;
}

// The program's signals are for its own threads.
Status Agent::start() try {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
} catch (const std::system_error& error) {
  return Status::failure(Errc::system, std::string("cannot start a thread: ") + error.what());
}

// False: the end.
bool Agent::wait_for_streams() const noexcept {
  pollfd waiting[2] = {{stop_, POLLIN, 0}, {epoll_, POLLIN, 0}};
  while (::poll(waiting, 2, -1) < 0 && errno == EINTR) {
  }
  return waiting[0].revents == 0;
}

bool Agent::wait_a_while() const noexcept {
  return !readable(stop_, kTickMs);
}

}  // namespace tessera::impi
