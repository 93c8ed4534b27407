// SPDX-License-Identifier: BSD-3-Clause
#include "core/impi/host_acceptor.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tessera::impi {

HostAcceptor::~HostAcceptor() {
  for (const Unidentified& connection : unidentified_) ::close(connection.socket);
}

std::optional<HostAcceptor::Accepted> HostAcceptor::next(Clock::time_point until) {
  while (true) {
    if (auto accepted = take_accepted()) return accepted;
    if (!wait(until)) return {};
  }
}

// Forgets a caller that has closed its connection.
std::optional<HostAcceptor::Accepted> HostAcceptor::take_accepted() {
  std::erase_if(unidentified_, [](const Unidentified& connection) {
    if (connection.ended) ::close(connection.socket);
    return connection.ended;
  });
  const auto found = std::find_if(unidentified_.begin(), unidentified_.end(),
                                  [](const Unidentified& s) { return s.have == s.said.size(); });
  if (found == unidentified_.end()) return {};
  const Accepted accepted{found->socket, found->said};
  unidentified_.erase(found);
  return accepted;
}

// False: the time is over.
bool HostAcceptor::wait(Clock::time_point until) {
  std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
  for (const Unidentified& connection : unidentified_)
    waiting.push_back({connection.socket, POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  const int ready =
      ::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (ready == 0) return false;
  if (ready < 0) return true;  // interrupted
  for (std::size_t i = 1; i < waiting.size(); ++i) {
    if (waiting[i].revents != 0) read(unidentified_[i - 1]);
  }
  if (waiting[0].revents != 0) accept();
  return true;
}

void HostAcceptor::read(Unidentified& connection) noexcept {
  const ssize_t n = ::recv(connection.socket, connection.said.data() + connection.have,
                           connection.said.size() - connection.have, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  connection.ended = n <= 0;
  connection.have += n > 0 ? static_cast<std::size_t>(n) : 0;
}

void HostAcceptor::accept() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  if (unidentified_.size() == kMostUnidentified) {
    ::close(unidentified_.front().socket);
    unidentified_.erase(unidentified_.begin());
  }
  unidentified_.push_back({.socket = socket});
}

}  // namespace tessera::impi
