// SPDX-License-Identifier: BSD-3-Clause
// Frames of customers, as they come in.
#include "launcher/order_desk.h"

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
constexpr int kEvents = 16;

void watch(int poller, int socket, std::uint64_t number) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

}  // namespace

OrderDesk::OrderDesk() noexcept : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

OrderDesk::~OrderDesk() {
  for (const auto& [number, customer] : customers_) close(customer.socket);
  if (listener_ >= 0) close(listener_);
  close(epoll_);
}

bool OrderDesk::open(std::uint64_t number) noexcept {
  const UnixAddress address("desk", number);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0 || bind(listener_, address.get(), address.bytes) != 0 ||
      listen(listener_, SOMAXCONN) != 0)
    return false;
  watch(epoll_, listener_, 0);
  return true;
}

std::uint64_t OrderDesk::add(int socket) noexcept {
  const std::uint64_t number = next_++;
  customers_[number].socket = socket;
  watch(epoll_, socket, number);
  return number;
}

void OrderDesk::serve_owner(int socket) noexcept {
  owner_ = add(socket);
}

void OrderDesk::let_in() noexcept {
  int socket = -1;
  while ((socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0) {
    if (same_user(socket))
      add(socket);
    else
      close(socket);
  }
}

void OrderDesk::ready(OrderTaker& taker) {
  epoll_event events[kEvents];
  const int count = epoll_wait(epoll_, events, kEvents, 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t number = events[i].data.u64;
    if (number == 0) {
      let_in();
      continue;
    }
    const auto found = customers_.find(number);
    if (found != customers_.end() && !listen_to(number, found->second, taker)) gone(number, taker);
  }
}

// False: the connection has ended.
bool OrderDesk::read(Customer& customer) {
  std::byte part[4096];
  while (true) {
    const ssize_t count = recv(customer.socket, part, sizeof part, MSG_DONTWAIT);
    if (count > 0) customer.bytes.insert(customer.bytes.end(), part, part + count);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
  }
}

bool OrderDesk::listen_to(std::uint64_t number, Customer& customer, OrderTaker& taker) {
  const bool open = read(customer);
  std::uint64_t size = 0;
  while (customer.bytes.size() >= sizeof size) {
    std::memcpy(&size, customer.bytes.data(), sizeof size);
    if (size > kLongestFrame) return false;
    if (customer.bytes.size() < sizeof size + size) break;
    const std::vector<std::byte> frame(
        customer.bytes.begin() + sizeof size,
        customer.bytes.begin() + static_cast<std::ptrdiff_t>(sizeof size + size));
    customer.bytes.erase(customer.bytes.begin(),
                         customer.bytes.begin() + static_cast<std::ptrdiff_t>(sizeof size + size));
    act(number, customer, frame, taker);
  }
  return open;
}

void OrderDesk::act(std::uint64_t number, Customer& customer, std::span<const std::byte> frame,
                    OrderTaker& taker) {
  Unpacker unpacker(frame);
  switch (static_cast<DeskWord>(unpacker.number())) {
    case DeskWord::order:
      if (auto order = SpawnOrder::unpack(frame.subspan(sizeof(std::uint64_t))))
        taker.ordered(number, std::move(*order));
      else
        tell(number, DeskWord::failed, "the order is damaged");
      return;
    case DeskWord::done:
      return taker.settled(number, true);
    case DeskWord::leave:
      customer.left = true;
      return;
    default:
      return;
  }
}

void OrderDesk::gone(std::uint64_t number, OrderTaker& taker) {
  const auto found = customers_.find(number);
  const bool left = found->second.left;
  close(found->second.socket);
  customers_.erase(found);
  taker.settled(number, false);
  if (number != owner_) return;
  owner_ = 0;
  taker.owner_gone(left);
}

void OrderDesk::tell(std::uint64_t number, DeskWord word, std::string_view text) noexcept {
  const auto found = customers_.find(number);
  if (found == customers_.end()) return;
  Packer inner;
  inner.number(static_cast<std::uint64_t>(word));
  inner.text(text);
  Packer frame;
  frame.bytes(inner.take());
  const std::vector<std::byte> bytes = frame.take();
  (void)send(found->second.socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace tessera::launcher
