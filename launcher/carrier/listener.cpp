// SPDX-License-Identifier: BSD-3-Clause
// A listener, and those who have called but not yet said who they are.
#include "launcher/carrier/listener.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "launcher/carrier/addresses.h"

namespace tessera::launcher::carrier {
namespace {

constexpr std::int64_t kLongestPollMs = 60'000;

Status failed(const std::string& what) {
  return Status::failure(Errc::peer_failed, what + ": " + strerror(errno));
}

}  // namespace

Result<Listener> Listener::open() {
  Secret secret;
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    return failed("no random numbers");
  std::uint16_t port = 0;
  const int listener = listen_anywhere(port);
  if (listener < 0) return failed("no port for calls of other hosts");
  return Listener(listener, port, secret);
}

Listener::~Listener() {
  for (const Caller& caller : callers_) close(caller.socket);
  if (socket_ >= 0) close(socket_);
}

std::vector<std::byte> Listener::card() const {
  std::vector<std::byte> card(secret_.begin(), secret_.end());
  for (const Address& address : own_addresses(port_)) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&address);
    card.insert(card.end(), bytes, bytes + sizeof address);
  }
  return card;
}

Connection Listener::accept(std::int64_t limit_ms) {
  const std::int64_t end = limit_ms < INT64_MAX / 2 ? now_ms() + limit_ms : INT64_MAX;
  Connection accepted;
  for (std::int64_t left = limit_ms; accepted.socket < 0 && left > 0; left = end - now_ms()) {
    std::vector<pollfd> ready;
    for (const Caller& caller : callers_) ready.push_back({caller.socket, POLLIN, 0});
    ready.push_back({socket_, POLLIN, 0});
    if (poll(ready.data(), ready.size(), static_cast<int>(std::min(left, kLongestPollMs))) <= 0)
      continue;
    auto at = ready.begin();
    std::erase_if(callers_, [&](Caller& caller) {
      return at++->revents != 0 && accepted.socket < 0 && hear(caller, accepted);
    });
    if (at->revents != 0) take_calls();
  }
  return accepted;
}

void Listener::take_calls() {
  for (;;) {
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    if (callers_.size() == kMostCallers) {
      close(callers_.front().socket);
      callers_.erase(callers_.begin());
    }
    callers_.push_back({socket, {}, 0});
  }
}

// True: this is no caller any more, but accepted, or was a stranger.
bool Listener::hear(Caller& caller, Connection& accepted) const noexcept {
  auto* const at = reinterpret_cast<std::byte*>(&caller.hello) + caller.heard;
  const ssize_t got =
      recv(caller.socket, at, sizeof caller.hello - caller.heard, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got > 0) caller.heard += static_cast<std::size_t>(got);
  if (got > 0 && caller.heard < sizeof caller.hello) return false;
  unsigned differ = got > 0 ? 0 : 1;
  for (std::size_t i = 0; i < kSecretBytes; ++i)
    differ |= std::to_integer<unsigned>(caller.hello.secret[i] ^ secret_[i]);
  if (differ == 0)
    accepted = {caller.socket, caller.hello.number};
  else
    close(caller.socket);
  return true;
}

Result<int> Listener::connect(std::span<const std::byte> card, std::uint32_t number,
                              std::int64_t limit_ms) {
  if (card.size() < kSecretBytes || (card.size() - kSecretBytes) % sizeof(Address) != 0)
    return Status::failure(Errc::refused, "what it says of itself is of another build of Tessera");
  Hello hello{{}, number};
  std::memcpy(hello.secret.data(), card.data(), kSecretBytes);
  std::vector<Address> addresses((card.size() - kSecretBytes) / sizeof(Address));
  std::memcpy(addresses.data(), card.data() + kSecretBytes, addresses.size() * sizeof(Address));
  const int line = call_any(addresses, limit_ms);
  // An empty socket takes these few bytes at once.
  if (line >= 0 && fcntl(line, F_SETFL, 0) == 0 &&
      send(line, &hello, sizeof hello, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello))
    return line;
  if (line >= 0) close(line);
  std::string tried;
  for (const Address& one : addresses) tried += (tried.empty() ? "" : ", ") + text_of(one);
  return Status::failure(Errc::peer_failed, "it cannot be reached at " + tried +
                                                ": is a firewall between it and this host?");
}

}  // namespace tessera::launcher::carrier
