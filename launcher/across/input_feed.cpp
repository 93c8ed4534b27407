// SPDX-License-Identifier: BSD-3-Clause
// A thread that reads and sends.
#include "launcher/across/input_feed.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <thread>
#include <utility>

#include "launcher/carrier/input.h"

namespace tessera::launcher::across {
namespace {

constexpr unsigned kLookAgain_us = 200'000;

// A process in the background that reads its terminal is stopped, and the job would be with it.
void await_foreground() noexcept {
  while (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp()) usleep(kLookAgain_us);
}

bool send_all(int socket, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void feed(carrier::Listener listener) noexcept {
  const int socket = listener.accept(INT64_MAX).socket;
  static char bytes[64 * 1024];
  for (;;) {
    await_foreground();
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || !send_all(socket, {bytes, static_cast<std::size_t>(got)})) break;
  }
  close(socket);
}

}  // namespace

Result<std::unique_ptr<InputFeed>> InputFeed::open() {
  auto listener = carrier::Listener::open();
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<InputFeed>(new InputFeed(std::move(*listener)));
}

std::string InputFeed::variable() const {
  return std::string(carrier::kInputVariable) + "=" + carrier::text_of(listener_.card());
}

// The process ends while it may still wait for a key.
void InputFeed::start() {
  std::thread(feed, std::move(listener_)).detach();
}

}  // namespace tessera::launcher::across
