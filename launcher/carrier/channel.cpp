// SPDX-License-Identifier: BSD-3-Clause
// A star of TCP connections. Messages have a fixed size; that of waits has more behind it.
#include "launcher/carrier/channel.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/carrier/addresses.h"

namespace tessera::launcher::carrier {
namespace {

constexpr std::string_view kKey = "hub";
constexpr std::size_t kSecretBytes = 16;
constexpr std::int64_t kCallMs = 30'000;
constexpr std::size_t kMostWaits = std::size_t{64} << 20;  // bytes

Status failed(const std::string& what) {
  return Status::failure(Errc::peer_failed, what + ": " + strerror(errno));
}

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

bool receive_all(int socket, void* data, std::size_t bytes, std::int64_t limit_ms) noexcept {
  auto* at = static_cast<char*>(data);
  const std::int64_t end = now_ms() + limit_ms;
  for (std::size_t left = bytes; left > 0;) {
    pollfd ready{socket, POLLIN, 0};
    const std::int64_t wait = end - now_ms();
    if (wait <= 0 || (poll(&ready, 1, static_cast<int>(wait)) <= 0 && errno != EINTR)) return false;
    const ssize_t got = recv(socket, at, left, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return false;
    at += got;
    left -= static_cast<std::size_t>(got);
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

struct Hello {
  std::byte secret[kSecretBytes];
  std::uint32_t node;
};

bool same(const std::byte* a, const std::byte* b) noexcept {
  unsigned differ = 0;
  for (std::size_t i = 0; i < kSecretBytes; ++i) differ |= std::to_integer<unsigned>(a[i] ^ b[i]);
  return differ == 0;
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
  std::uint16_t port = 0;
  const int listener = listen_anywhere(port);
  if (listener < 0) return failed("no port for the carriers of other hosts");
  std::vector<std::byte> secret(kSecretBytes);
  if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    close(listener);
    return failed("no random numbers");
  }
  // The secret, then an address for each interface.
  std::vector<std::byte> card = secret;
  for (const Address& address : own_addresses(port)) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&address);
    card.insert(card.end(), bytes, bytes + sizeof address);
  }
  Status done = session.put(kKey, card);
  if (done) done = session.fence();
  if (done) done = accept_all(listener, secret);
  close(listener);
  return done;
}

Status Channel::accept_all(int listener, const std::vector<std::byte>& secret) {
  const auto missing = [this] {
    return std::find_if(lines_.begin() + 1, lines_.end(),
                        [](const Line& line) { return line.socket < 0; });
  };
  for (const std::int64_t end = now_ms() + kCallMs; missing() != lines_.end();) {
    pollfd ready{listener, POLLIN, 0};
    const std::int64_t left = end - now_ms();
    if (left <= 0)
      return Status::failure(Errc::peer_failed,
                             "the carrier of host number " +
                                 std::to_string(missing() - lines_.begin()) +
                                 " does not reach this one: is a firewall between them?");
    if (poll(&ready, 1, static_cast<int>(left)) > 0) admit(listener, secret);
  }
  return {};
}

// A stranger is sent away.
void Channel::admit(int listener, const std::vector<std::byte>& secret) {
  const int caller = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (caller < 0) return;
  Hello hello{};
  const bool known = receive_all(caller, &hello, sizeof hello, 2'000) &&
                     same(hello.secret, secret.data()) && hello.node > 0 &&
                     hello.node < lines_.size() && lines_[hello.node].socket < 0;
  if (known)
    watch(hello.node, caller);
  else
    close(caller);
}

Status Channel::call(boot::Session& session) {
  if (Status s = session.put(kKey, {}); !s) return s;
  if (Status s = session.fence(); !s) return s;
  auto card = session.get(0, kKey);
  if (!card.ok()) return card.status();
  Hello hello{};
  hello.node = node_;
  if (card->size() < kSecretBytes || (card->size() - kSecretBytes) % sizeof(Address) != 0)
    return Status::failure(Errc::refused, "the first carrier is of another build of Tessera");
  std::memcpy(hello.secret, card->data(), kSecretBytes);
  std::vector<Address> addresses((card->size() - kSecretBytes) / sizeof(Address));
  std::memcpy(addresses.data(), card->data() + kSecretBytes, addresses.size() * sizeof(Address));
  const int line = call_any(addresses, kCallMs);
  if (line >= 0 && fcntl(line, F_SETFL, 0) == 0 && carrier::send_all(line, &hello, sizeof hello)) {
    watch(0, line);
    return {};
  }
  std::string tried;
  for (const Address& one : addresses) tried += (tried.empty() ? "" : ", ") + text_of(one);
  return Status::failure(Errc::peer_failed, "the first host of the job cannot be reached at " +
                                                tried + ": is a firewall between it and this one?");
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
