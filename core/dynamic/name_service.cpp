// SPDX-License-Identifier: BSD-3-Clause
// Names as abstract addresses, and the thread that answers for them.
#include "core/dynamic/name_service.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "core/dynamic/line.h"
#include "core/dynamic/port_address.h"
#include "core/dynamic/port_name.h"

namespace tessera {
namespace {

constexpr int kAnswerMs = 2'000;

// User and name; the name itself may be longer than an address.
UnixAddress address_of(std::string_view name) noexcept {
  std::uint64_t first = 0xcbf29ce484222325, second = 0x9ae16a3b2f90404f;
  for (const char c : name) {
    first = (first ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    second = (second + static_cast<unsigned char>(c)) * 0x9fb21c651e98df25;
    second ^= second >> 28;
  }
  char what[64];
  std::snprintf(what, sizeof what, "name/%u/%llx", static_cast<unsigned>(geteuid()),
                static_cast<unsigned long long>(second));
  return UnixAddress(what, first);
}

Status cannot_publish(const char* call, int error) noexcept {
  return Status::failure(Errc::system,
                         std::string("cannot publish a name: ") + call + ": " + strerror(error));
}

Status unknown(std::string_view name) noexcept {
  return Status::failure(Errc::not_found, "no job of this user on this host has published '" +
                                              std::string(name) + "'");
}

}  // namespace

NameService::~NameService() {
  stop();
  for (const auto& [name, entry] : entries_) close(entry.socket);
}

Status NameService::publish(std::string_view name, std::string_view port) noexcept try {
  const UnixAddress address = address_of(name);
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return cannot_publish("socket", errno);
  if (bind(made, address.get(), address.bytes) != 0 || listen(made, SOMAXCONN) != 0) {
    const int error = errno;
    close(made);
    if (error != EADDRINUSE) return cannot_publish("bind", error);
    return Status::failure(Errc::refused, "'" + std::string(name) +
                                              "' is published already; MPI_Unpublish_name by its "
                                              "publisher frees the name");
  }
  {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(std::string(name), Entry{made, std::string(port)});
  }
  return start();
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status NameService::withdraw(std::string_view name) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) {
      return Status::failure(Errc::not_found, "this process has not published '" +
                                                  std::string(name) +
                                                  "'; its publisher withdraws a name");
    }
    close(found->second.socket);
    entries_.erase(found);
    if (!entries_.empty()) {
      const std::uint64_t one = 1;
      (void)!write(bell_, &one, sizeof one);
      return {};
    }
  }
  stop();
  return {};
}

// The thread takes no signals of the program.
Status NameService::start() noexcept {
  const std::uint64_t one = 1;
  if (bell_ >= 0) return (void)!write(bell_, &one, sizeof one), Status();
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell_ < 0) return cannot_publish("eventfd", errno);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pthread_attr_t kind;
  pthread_attr_init(&kind);
  pthread_attr_setstacksize(&kind, 128 * 1024);
  ending_ = false;
  const int error = pthread_create(&thread_, &kind, &NameService::serve, this);
  pthread_attr_destroy(&kind);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) return {};
  close(std::exchange(bell_, -1));
  return cannot_publish("pthread_create", error);
}

void NameService::stop() noexcept {
  if (bell_ < 0) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    const std::uint64_t one = 1;
    (void)!write(bell_, &one, sizeof one);
  }
  pthread_join(thread_, nullptr);
  close(std::exchange(bell_, -1));
}

void* NameService::serve(void* self) noexcept {
  static_cast<NameService*>(self)->serve();
  return nullptr;
}

void NameService::serve() noexcept {
  std::vector<pollfd> watched;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      watched.assign(1, {bell_, POLLIN, 0});
      for (const auto& [name, entry] : entries_) watched.push_back({entry.socket, POLLIN, 0});
    }
    if (::poll(watched.data(), watched.size(), -1) <= 0) continue;
    std::uint64_t rings = 0;
    (void)!read(bell_, &rings, sizeof rings);
    for (std::size_t i = 1; i < watched.size(); ++i) {
      if (watched[i].revents != 0) answer(watched[i].fd);
    }
  }
}

// All goes into the buffer of a fresh socket at once: nobody can hold the thread up.
void NameService::answer(int listener) noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, entry] : entries_) {
    if (entry.socket != listener) continue;
    const int caller = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller < 0) return;
    if (same_user(caller))
      (void)send(caller, entry.port.data(), entry.port.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    close(caller);
    return;
  }
}

Result<std::string> look_up(std::string_view name) noexcept try {
  const UnixAddress address = address_of(name);
  const Line line(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!line.is_open())
    return Status::failure(Errc::system, std::string("socket: ") + strerror(errno));
  if (connect(line.socket(), address.get(), address.bytes) != 0 || !same_user(line.socket()))
    return unknown(name);
  std::string port;
  char bytes[kMostPortName + 1];
  const std::int64_t end = steady_ms() + kAnswerMs;
  while (port.size() <= kMostPortName) {
    pollfd one{line.socket(), POLLIN, 0};
    const auto left = static_cast<int>(end - steady_ms());
    if (left <= 0 || ::poll(&one, 1, left) == 0) break;
    const ssize_t count = recv(line.socket(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) port.append(bytes, static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  if (port.empty() || port.size() > kMostPortName) return unknown(name);
  return port;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

}  // namespace tessera
