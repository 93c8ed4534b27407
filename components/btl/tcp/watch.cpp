// SPDX-License-Identifier: BSD-3-Clause
// Judging a connection by TCP_INFO, and asking the peer's kernel where that leaves a doubt.
#include "watch.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace tessera::btl::tcp {
namespace {

// One lost packet, or two, is the weather.
constexpr std::uint32_t kRetransmits = 3;

void set_port(sockaddr_storage& address, std::uint16_t port) noexcept {
  if (address.ss_family == AF_INET)
    reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  else
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
}

}  // namespace

LinkState look_at(const Socket& socket) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (getsockopt(socket.get(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return {};
  return {info.tcpi_notsent_bytes, info.tcpi_unacked,       info.tcpi_retransmits,
          info.tcpi_probes,        info.tcpi_last_ack_recv, info.tcpi_total_retrans};
}

LinkVerdict judge(const LinkState& state, int silence_s) noexcept {
  if (state.unsent == 0 && state.unacked == 0) return LinkVerdict::settled;
  if (state.heard_ms <= silence_s * std::int64_t{1000}) return LinkVerdict::waiting;
  if (state.unacked > 0)
    return state.retransmits >= kRetransmits ? LinkVerdict::lost : LinkVerdict::waiting;
  return state.probes > 0 ? LinkVerdict::doubtful : LinkVerdict::waiting;
}

LinkVerdict Watch::look(const Socket& socket, int silence_s, std::int64_t now_us) noexcept {
  const LinkVerdict verdict = judge(look_at(socket), silence_s);
  if (verdict != LinkVerdict::doubtful) {
    inquiry_.close();
    doubts_ = 0;
    return verdict;
  }
  if (inquiry_.valid()) return unanswered(now_us) ? LinkVerdict::lost : LinkVerdict::waiting;
  const bool due = ++doubts_ >= kDoubts && now_us >= trusted_until_us_;
  return due ? LinkVerdict::doubtful : LinkVerdict::waiting;
}

// An error at once is no answer of the peer's machine, but nor is it its silence: we may have run
// out of descriptors. The next look tries again.
void Watch::call(const Socket& socket, std::uint16_t port, std::int64_t now_us) noexcept {
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  auto* const address = reinterpret_cast<sockaddr*>(&peer);
  if (getpeername(socket.get(), address, &bytes) != 0) return;
  set_port(peer, port);
  inquiry_ = Socket(::socket(peer.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  called_us_ = now_us;
  if (connect(inquiry_.get(), address, bytes) != 0 && errno != EINPROGRESS) inquiry_.close();
}

bool Watch::unanswered(std::int64_t now_us) noexcept {
  pollfd one{inquiry_.get(), POLLOUT, 0};
  if (::poll(&one, 1, 0) <= 0) return now_us - called_us_ > kAnswerUs;
  int error = 0;
  socklen_t bytes = sizeof error;
  (void)getsockopt(inquiry_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  inquiry_.close();
  doubts_ = 0;
  trusted_until_us_ = now_us + kTrustUs;
  return error != 0;
}

}  // namespace tessera::btl::tcp
