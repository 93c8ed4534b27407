// SPDX-License-Identifier: BSD-3-Clause
// A star of TCP connections with one message of a fixed size.
#include "launcher/carrier/channel.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::launcher::carrier {
namespace {

constexpr std::string_view kKey = "hub";
constexpr std::size_t kSecretBytes = 16;
constexpr std::int64_t kPatienceMs = 30'000;

std::int64_t now_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

Status failed(const std::string& what) {
  return Status::failure(Errc::peer_failed, what + ": " + strerror(errno));
}

// In the card of the hub: the secret, then an address for each interface.
struct Address {
  sockaddr_storage socket;
  socklen_t bytes;
};

bool usable(const ifaddrs& one, bool loopback) noexcept {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return false;
  if (((one.ifa_flags & IFF_LOOPBACK) != 0) != loopback) return false;
  if (one.ifa_addr->sa_family == AF_INET) return true;
  return one.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<sockaddr_in6*>(one.ifa_addr)->sin6_addr);
}

std::vector<Address> own_addresses(std::uint16_t port, bool loopback = false) {
  std::vector<Address> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (!usable(*one, loopback)) continue;
    Address address{};
    const bool v4 = one->ifa_addr->sa_family == AF_INET;
    address.bytes = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.socket, one->ifa_addr, address.bytes);
    (v4 ? reinterpret_cast<sockaddr_in&>(address.socket).sin_port
        : reinterpret_cast<sockaddr_in6&>(address.socket).sin6_port) = htons(port);
    found.push_back(address);
  }
  freeifaddrs(list);
  // Where a machine has no network, all "hosts" are this one.
  return found.empty() && !loopback ? own_addresses(port, true) : found;
}

// One socket for both families where there are both.
int listen_anywhere(std::uint16_t& port) noexcept {
  for (const int family : {AF_INET6, AF_INET}) {
    const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) continue;
    const int off = 0;
    setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_storage any{};
    any.ss_family = static_cast<sa_family_t>(family);
    socklen_t bytes = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (bind(listener, reinterpret_cast<sockaddr*>(&any), bytes) == 0 &&
        listen(listener, SOMAXCONN) == 0 &&
        getsockname(listener, reinterpret_cast<sockaddr*>(&any), &bytes) == 0) {
      port = ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(any).sin6_port
                                      : reinterpret_cast<sockaddr_in&>(any).sin_port);
      return listener;
    }
    close(listener);
  }
  return -1;
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

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const auto& any = address.socket;
  if (any.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(any).sin_addr, text, sizeof text);
  else
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(any).sin6_addr, text, sizeof text);
  return text;
}

// All addresses at once; the first that takes the call has it.
int call_any(const std::vector<Address>& addresses) noexcept {
  std::vector<pollfd> calls;
  for (const Address& one : addresses) {
    const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    const int call = socket(one.socket.ss_family, type, 0);
    if (call < 0) continue;
    const auto* to = reinterpret_cast<const sockaddr*>(&one.socket);
    if (connect(call, to, one.bytes) == 0 || errno == EINPROGRESS)
      calls.push_back({call, POLLOUT, 0});
    else
      close(call);
  }
  int chosen = -1;
  const std::int64_t end = now_ms() + kPatienceMs;
  for (std::size_t open = calls.size(); open > 0 && chosen < 0 && now_ms() < end;) {
    if (poll(calls.data(), calls.size(), static_cast<int>(end - now_ms())) < 0) continue;
    for (pollfd& one : calls) {
      if (one.fd < 0 || one.revents == 0 || chosen >= 0) continue;
      int error = 0;
      socklen_t bytes = sizeof error;
      getsockopt(one.fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
      if (error == 0) {
        chosen = std::exchange(one.fd, -1);
      } else {
        close(std::exchange(one.fd, -1));
        --open;
      }
    }
  }
  for (const pollfd& one : calls)
    if (one.fd >= 0) close(one.fd);
  return chosen;
}

}  // namespace

struct Channel::Message {
  enum Kind : std::uint32_t { end, finished };
  Kind kind;
  std::int32_t status;
  std::uint32_t with_places;
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
  for (const std::int64_t end = now_ms() + kPatienceMs; missing() != lines_.end();) {
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
  const int line = call_any(addresses);
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
    Message message{};
    const int socket = lines_[from].socket;
    if (socket >= 0 && receive_all(socket, &message, sizeof message, 1'000))
      handle(from, message, handler);
    else
      drop(from, handler);
  }
}

void Channel::handle(std::uint32_t from, const Message& message, ChannelHandler& handler) {
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
  send_all({Message::end, status, with_places ? 1u : 0u});
}

void Channel::tell_finished(int status) noexcept {
  if (is_hub())
    take_status(status);
  else
    send_all({Message::finished, status, 0});
}

void Channel::tell_all_finished() noexcept {
  send_all({Message::finished, 0, 0});
}

bool Channel::all_finished() const noexcept {
  return std::all_of(lines_.begin() + (is_hub() ? 1 : 0), lines_.end(),
                     [](const Line& line) { return line.finished || line.socket < 0; });
}

}  // namespace tessera::launcher::carrier
