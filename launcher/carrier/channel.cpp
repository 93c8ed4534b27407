// SPDX-License-Identifier: BSD-3-Clause
// A star of TCP connections. Messages have a fixed size; that of waits has more behind it.
#include "launcher/carrier/channel.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/carrier/addresses.h"
#include "launcher/carrier/listener.h"

namespace tessera::launcher::carrier {
namespace {

constexpr std::string_view kKey = "hub";
constexpr std::size_t kMostWaits = std::size_t{64} << 20;  // bytes

bool send_all(int socket, const void* data, std::size_t bytes) noexcept {
  const auto* at = static_cast<const char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    const ssize_t sent = ::send(socket, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    left -= static_cast<std::size_t>(sent);
  }
  return true;
}

// A peer that is cut off is noticed within `silence_s`, also while nothing is sent.
void keep_alive(int socket, int silence_s) noexcept {
  const int on = 1, idle = std::max(silence_s / 2, 1), between = std::max(silence_s / 6, 1),
            count = 3;
  const unsigned limit_ms = static_cast<unsigned>(silence_s) * 1000;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof limit_ms);
}

}  // namespace

struct Channel::Message {
  enum Kind : std::uint32_t { end, finished, ask_waits, waits };
  Kind kind;
  std::int32_t status;  // of waits: the number of the question
  std::uint32_t with_places;
  std::uint32_t more;  // bytes that follow
};

Channel::Channel(std::uint32_t node, std::uint32_t nodes)
    : node_(node), lines_(node == 0 ? nodes : 1), poller_(epoll_create1(EPOLL_CLOEXEC)) {}

Channel::~Channel() {
  for (const Line& line : lines_)
    if (line.socket >= 0) close(line.socket);
  if (poller_ >= 0) close(poller_);
}

Result<std::unique_ptr<Channel>> Channel::open(boot::Session& session, int silence_s) {
  const boot::Place& place = session.place();
  std::unique_ptr<Channel> channel(new Channel(place.rank, place.size));
  channel->silence_s_ = silence_s;
  const Status done = channel->is_hub() ? channel->serve(session) : channel->call(session);
  if (!done) return done;
  return channel;
}

Status Channel::serve(boot::Session& session) {
  auto listener = Listener::open();
  if (!listener.ok()) return listener.status();
  if (Status s = session.put(kKey, listener->card()); !s) return s;
  if (Status s = session.fence(); !s) return s;
  return accept_all(*listener);
}

Status Channel::accept_all(Listener& listener) {
  const auto missing = [this] {
    return std::find_if(lines_.begin() + 1, lines_.end(),
                        [](const Line& line) { return line.socket < 0; });
  };
  for (const std::int64_t end = now_ms() + Listener::kPatienceMs; missing() != lines_.end();) {
    const Connection accepted = listener.accept(end - now_ms());
    if (accepted.socket < 0)
      return Status::failure(Errc::peer_failed,
                             "the carrier of host number " +
                                 std::to_string(missing() - lines_.begin()) +
                                 " does not reach this one: is a firewall between them?");
    const std::uint32_t node = accepted.number;
    if (node > 0 && node < lines_.size() && lines_[node].socket < 0)
      watch(node, accepted.socket);
    else
      close(accepted.socket);
  }
  return {};
}

Status Channel::call(boot::Session& session) {
  if (Status s = session.put(kKey, {}); !s) return s;
  if (Status s = session.fence(); !s) return s;
  auto card = session.get(0, kKey);
  if (!card.ok()) return card.status();
  auto line = Listener::connect(*card, node_, Listener::kPatienceMs);
  if (!line.ok())
    return Status::failure(line.status().code(),
                           "the first host of the job: " + std::string(line.status().text()));
  watch(0, *line);
  return {};
}

void Channel::watch(std::uint32_t node, int socket) {
  keep_alive(socket, silence_s_);
  lines_[node].socket = socket;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = node;
  epoll_ctl(poller_, EPOLL_CTL_ADD, socket, &event);
}

void Channel::ready(ChannelHandler& handler) {
  epoll_event events[16];
  const int count = epoll_wait(poller_, events, 16, 0);
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(events[i].data.u64);
    const bool open = receive(lines_[from]);
    take_messages(from, handler);
    if (!open) drop(from, handler);
  }
}

// What is there. False: the connection has ended.
bool Channel::receive(Line& line) {
  char bytes[16 * 1024];
  for (;;) {
    const ssize_t got = line.socket < 0 ? 0 : recv(line.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 && errno == EAGAIN;
    line.arrived.append(bytes, static_cast<std::size_t>(got));
  }
}

void Channel::take_messages(std::uint32_t from, ChannelHandler& handler) {
  const std::string all = std::move(lines_[from].arrived);
  std::string_view rest = all;
  Message message{};
  while (rest.size() >= sizeof message) {
    std::memcpy(&message, rest.data(), sizeof message);
    if (rest.size() - sizeof message < message.more) break;
    rest.remove_prefix(sizeof message);
    handle(from, message, rest.substr(0, message.more), handler);
    rest.remove_prefix(message.more);
  }
  lines_[from].arrived = rest;
}

void Channel::handle(std::uint32_t from, const Message& message, std::string_view more,
                     ChannelHandler& handler) {
  const auto question = static_cast<std::uint32_t>(message.status);
  if (message.kind == Message::ask_waits) return handler.asked_for_waits(question);
  if (message.kind == Message::waits) return handler.told_waits(from, question, more);
  if (message.kind == Message::finished) {
    lines_[from].finished = true;
    take_status(message.status);
    return;
  }
  if (is_hub() && !ended_) tell_end(message.status, message.with_places != 0);
  ended_ = true;
  handler.told_to_end(message.with_places != 0);
}

void Channel::drop(std::uint32_t from, ChannelHandler& handler) {
  Line& line = lines_[from];
  if (line.socket < 0) return;
  close(std::exchange(line.socket, -1));
  if (std::exchange(line.finished, true)) return;
  lost_ = true;
  handler.lost(from);
}

void Channel::send(Line& line, const Message& message) noexcept {
  if (line.socket >= 0) (void)carrier::send_all(line.socket, &message, sizeof message);
}

void Channel::send_all(const Message& message) noexcept {
  for (Line& line : lines_) send(line, message);
}

void Channel::take_status(int status) noexcept {
  if (status_ == 0) status_ = status;
}

// What a carrier asks for after all were told comes too late to count.
void Channel::tell_end(int status, bool with_places) noexcept {
  if (std::exchange(ended_, true)) return;
  if (is_hub()) take_status(status);
  send_all({Message::end, status, with_places ? 1u : 0u, 0});
}

void Channel::tell_finished(int status) noexcept {
  if (is_hub())
    take_status(status);
  else
    send_all({Message::finished, status, 0, 0});
}

void Channel::tell_all_finished() noexcept {
  send_all({Message::finished, 0, 0, 0});
}

void Channel::ask_for_waits(std::uint32_t node, std::uint32_t question) noexcept {
  send(lines_[node], {Message::ask_waits, static_cast<std::int32_t>(question), 0, 0});
}

// What the kernel cannot take at once would hold up the ranks of this host while a link is cut.
bool Channel::tell_waits(std::uint32_t question, std::string_view waits) noexcept {
  const int socket = lines_.front().socket;
  int queued = 0;
  if (socket < 0 || ioctl(socket, SIOCOUTQ, &queued) != 0 || queued != 0) return false;
  if (waits.size() > kMostWaits) return false;
  const Message message{Message::waits, static_cast<std::int32_t>(question), 0,
                        static_cast<std::uint32_t>(waits.size())};
  send(lines_.front(), message);
  (void)carrier::send_all(socket, waits.data(), waits.size());
  return true;
}

bool Channel::all_finished() const noexcept {
  return std::all_of(lines_.begin() + (is_hub() ? 1 : 0), lines_.end(),
                     [](const Line& line) { return line.finished || line.socket < 0; });
}

}  // namespace tessera::launcher::carrier
