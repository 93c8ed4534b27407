// SPDX-License-Identifier: BSD-3-Clause
// Frames of clients, as they come in.
#include "launcher/spawn_server.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/dynamic/packing.h"
#include "core/dynamic/port_address.h"

namespace tessera::launcher {
namespace {

constexpr std::size_t kLongestFrame = std::size_t{64} << 20;
constexpr int kAtOnce = 16;

void watch(int poller, int socket, std::uint64_t number) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

}  // namespace

SpawnServer::SpawnServer() noexcept : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

SpawnServer::~SpawnServer() {
  for (const auto& [number, client] : clients_) close(client.socket);
  if (listener_ >= 0) close(listener_);
  close(epoll_);
}

bool SpawnServer::open(std::uint64_t number) noexcept {
  const UnixAddress address("spawn", number);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0 || bind(listener_, address.get(), address.bytes) != 0 ||
      listen(listener_, SOMAXCONN) != 0)
    return false;
  watch(epoll_, listener_, 0);
  return true;
}

std::uint64_t SpawnServer::add(int socket) noexcept {
  const std::uint64_t number = next_++;
  clients_[number].socket = socket;
  watch(epoll_, socket, number);
  return number;
}

void SpawnServer::serve_owner(int socket) noexcept {
  owner_ = add(socket);
}

void SpawnServer::let_in() noexcept {
  int socket = -1;
  while ((socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0) {
    if (same_user(socket))
      add(socket);
    else
      close(socket);
  }
}

void SpawnServer::ready(SpawnHandler& handler) {
  epoll_event events[kAtOnce];
  const int count = epoll_wait(epoll_, events, kAtOnce, 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t number = events[i].data.u64;
    if (number == 0) {
      let_in();
      continue;
    }
    const auto found = clients_.find(number);
    if (found != clients_.end() && !listen_to(number, found->second, handler))
      gone(number, handler);
  }
}

// False: the connection has ended.
bool SpawnServer::read(Client& client) {
  std::byte part[4096];
  while (true) {
    const ssize_t count = recv(client.socket, part, sizeof part, MSG_DONTWAIT);
    if (count > 0) client.bytes.insert(client.bytes.end(), part, part + count);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
  }
}

bool SpawnServer::listen_to(std::uint64_t number, Client& client, SpawnHandler& handler) {
  const bool open = read(client);
  std::uint64_t size = 0;
  while (client.bytes.size() >= sizeof size) {
    std::memcpy(&size, client.bytes.data(), sizeof size);
    if (size > kLongestFrame) return false;
    if (client.bytes.size() < sizeof size + size) break;
    const std::vector<std::byte> frame(
        client.bytes.begin() + sizeof size,
        client.bytes.begin() + static_cast<std::ptrdiff_t>(sizeof size + size));
    client.bytes.erase(client.bytes.begin(),
                       client.bytes.begin() + static_cast<std::ptrdiff_t>(sizeof size + size));
    act(number, client, frame, handler);
  }
  return open;
}

void SpawnServer::act(std::uint64_t number, Client& client, std::span<const std::byte> frame,
                      SpawnHandler& handler) {
  Unpacker unpacker(frame);
  switch (static_cast<SpawnWord>(unpacker.number())) {
    case SpawnWord::order:
      if (auto order = SpawnOrder::unpack(frame.subspan(sizeof(std::uint64_t))))
        handler.ordered(number, std::move(*order));
      else
        tell(number, SpawnWord::failed, "the order is damaged");
      return;
    case SpawnWord::done:
      return handler.settled(number, true);
    case SpawnWord::leave:
      client.left = true;
      return;
    default:
      return;
  }
}

void SpawnServer::gone(std::uint64_t number, SpawnHandler& handler) {
  const auto found = clients_.find(number);
  const bool left = found->second.left;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, found->second.socket, nullptr);  // see OutputMux::forget()
  close(found->second.socket);
  clients_.erase(found);
  handler.settled(number, false);
  if (number != owner_) return;
  owner_ = 0;
  handler.owner_gone(left);
}

void SpawnServer::tell(std::uint64_t number, SpawnWord word, std::string_view text) noexcept {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;
  Packer inner;
  inner.number(static_cast<std::uint64_t>(word));
  inner.text(text);
  Packer frame;
  frame.bytes(inner.take());
  const std::vector<std::byte> bytes = frame.take();
  (void)send(found->second.socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace tessera::launcher
