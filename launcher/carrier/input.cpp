// SPDX-License-Identifier: BSD-3-Clause
// From a connection to a pipe: a program may open /dev/stdin, which it cannot where that is a
// socket.
#include "launcher/carrier/input.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include "launcher/carrier/listener.h"
#include "launcher/hosts.h"
#include "launcher/prepare.h"

namespace tessera::launcher::carrier {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void warn(const std::string& why) {
  complain(
      (host_name() + ": rank 0 has no standard input: mpiexec passes it on, but " + why).c_str(),
      0);
}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void fill(const std::vector<std::byte>& card, int pipe) {
  auto line = Listener::connect(card, 0, Listener::kPatienceMs);
  if (!line.ok()) warn(line.status().text());
  static char bytes[64 * 1024];
  for (ssize_t got = 0; line.ok() && (got = recv(*line, bytes, sizeof bytes, 0)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || !write_all(pipe, {bytes, static_cast<std::size_t>(got)})) break;
  }
  if (line.ok()) close(*line);
  close(pipe);
}

}  // namespace

std::string text_of(std::span<const std::byte> card) {
  std::string text;
  for (const std::byte each : card) {
    text += kDigits[std::to_integer<unsigned>(each) >> 4];
    text += kDigits[std::to_integer<unsigned>(each) & 15];
  }
  return text;
}

std::vector<std::byte> card_of(std::string_view text) {
  if (text.size() % 2 != 0 || text.find_first_not_of(kDigits) != text.npos) return {};
  std::vector<std::byte> card;
  for (std::size_t i = 0; i < text.size(); i += 2)
    card.push_back(static_cast<std::byte>(kDigits.find(text[i]) << 4 | kDigits.find(text[i + 1])));
  return card;
}

void take_input(bool reads) {
  const char* const said = getenv(kInputVariable);
  if (said == nullptr) return;
  std::vector<std::byte> card = card_of(said);
  unsetenv(kInputVariable);
  if (!reads) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return warn(strerror(errno));
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::thread(fill, std::move(card), ends[1]).detach();
}

}  // namespace tessera::launcher::carrier
