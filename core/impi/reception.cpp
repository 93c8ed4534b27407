// SPDX-License-Identifier: BSD-3-Clause
#include "core/impi/reception.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tessera::impi {

Reception::~Reception() {
  for (const Stranger& stranger : strangers_) ::close(stranger.socket);
}

std::optional<Reception::Guest> Reception::next(Clock::time_point until) {
  while (true) {
    if (auto guest = take_guest()) return guest;
    if (!wait(until)) return {};
  }
}

// Whoever has closed its connection is forgotten.
std::optional<Reception::Guest> Reception::take_guest() {
  std::erase_if(strangers_, [](const Stranger& stranger) {
    if (stranger.ended) ::close(stranger.socket);
    return stranger.ended;
  });
  const auto found = std::find_if(strangers_.begin(), strangers_.end(),
                                  [](const Stranger& s) { return s.have == s.said.size(); });
  if (found == strangers_.end()) return {};
  const Guest guest{found->socket, found->said};
  strangers_.erase(found);
  return guest;
}

// False: the time is over.
bool Reception::wait(Clock::time_point until) {
  std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
  for (const Stranger& stranger : strangers_) waiting.push_back({stranger.socket, POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  const int ready =
      ::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  if (ready == 0) return false;
  if (ready < 0) return true;  // interrupted
  for (std::size_t i = 1; i < waiting.size(); ++i) {
    if (waiting[i].revents != 0) read(strangers_[i - 1]);
  }
  if (waiting[0].revents != 0) accept();
  return true;
}

void Reception::read(Stranger& stranger) noexcept {
  const ssize_t n = ::recv(stranger.socket, stranger.said.data() + stranger.have,
                           stranger.said.size() - stranger.have, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  stranger.ended = n <= 0;
  stranger.have += n > 0 ? static_cast<std::size_t>(n) : 0;
}

void Reception::accept() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  if (strangers_.size() == kMostStrangers) {
    ::close(strangers_.front().socket);
    strangers_.erase(strangers_.begin());
  }
  strangers_.push_back({.socket = socket});
}

}  // namespace tessera::impi
