// SPDX-License-Identifier: BSD-3-Clause
// Talking to mpiexec.
#include "core/dynamic/spawn_service.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/dynamic/packing.h"
#include "core/dynamic/port_address.h"
#include "framework/install_paths.h"

namespace tessera {
namespace {

Status lost(const char* what) {
  return Status::failure(Errc::peer_failed, std::string("mpiexec cannot be reached: ") + what +
                                                ": " + strerror(errno));
}

std::vector<std::byte> frame(SpawnWord word, std::span<const std::byte> rest = {}) {
  Packer packer;
  packer.number(static_cast<std::uint64_t>(word));
  std::vector<std::byte> bytes = packer.take();
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

// In the child, which shares the memory of its parent: system calls only.
[[noreturn]] void become(const char* path, char* const* words, int socket, const sigset_t& none) {
  (void)fcntl(socket, F_SETFD, 0);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(path, words, environ);
  _exit(127);
}

}  // namespace

Result<std::unique_ptr<SpawnService>> SpawnService::find(std::uint64_t number) noexcept {
  const UnixAddress address("spawn", number);
  Line line(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!line.is_open()) return lost("socket");
  if (connect(line.socket(), address.get(), address.bytes) != 0) return lost("connect");
  if (!same_user(line.socket())) return lost("it belongs to another user");
  return std::unique_ptr<SpawnService>(new SpawnService(std::move(line)));
}

// The process started here ends at once, when it has put itself into the background.
Result<std::unique_ptr<SpawnService>> SpawnService::start(std::uint64_t number) noexcept {
  const std::string path =
      InstallPaths::detect(getenv("HOME")).prefix + "/" + TESSERA_BINDIR + "/mpiexec";
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return lost("socketpair");
  Line line(ends[0]);
  std::string name = "mpiexec", option = "--tessera-spawn-server",
              descriptor = std::to_string(ends[1]);
  char address[20];
  std::snprintf(address, sizeof address, "%llx", static_cast<unsigned long long>(number));
  char* const words[] = {name.data(), option.data(), descriptor.data(), address, nullptr};
  sigset_t none;
  sigemptyset(&none);
  const pid_t child = vfork();
  if (child == 0) become(path.c_str(), words, ends[1], none);
  close(ends[1]);
  if (child < 0) return lost("vfork");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Status::failure(Errc::not_found, "cannot start '" + path +
                                                "', which starts processes for a program that was "
                                                "not started by mpiexec");
  }
  return std::unique_ptr<SpawnService>(new SpawnService(std::move(line)));
}

SpawnService::~SpawnService() {
  const auto bytes = frame(SpawnWord::leave);
  const std::uint64_t size = bytes.size();
  (void)::send(line_.socket(), &size, sizeof size, MSG_DONTWAIT | MSG_NOSIGNAL);
  (void)::send(line_.socket(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

Status SpawnService::say(SpawnWord word, const Deadline& deadline) {
  return line_.send(frame(word), deadline);
}

Status SpawnService::order(const SpawnOrder& order, const Deadline& deadline) {
  if (Status s = line_.send(frame(SpawnWord::order, order.pack()), deadline); !s) return s;
  return news(deadline);
}

bool SpawnService::has_news() const noexcept {
  pollfd one{line_.socket(), POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

Status SpawnService::news(const Deadline& deadline) {
  auto bytes = line_.receive(deadline);
  if (!bytes.ok()) return bytes.status();
  Unpacker unpacker(*bytes);
  const auto word = static_cast<SpawnWord>(unpacker.number());
  if (word == SpawnWord::started) return {};
  return Status::failure(Errc::refused, unpacker.text());
}

void SpawnService::done(const Deadline& deadline) {
  (void)say(SpawnWord::done, deadline);
}

}  // namespace tessera
