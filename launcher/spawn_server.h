// SPDX-License-Identifier: BSD-3-Clause
// Where processes order others: SpawnServer, mpiexec's side of core/dynamic/spawn_service.h.
#pragma once
//
// Contract. One epoll descriptor behind which the listening socket and all clients lie; the event
// loop calls ready() when it is readable. Customers of other users are turned away before they have
// said anything. Nothing here waits for a client.
//
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "core/dynamic/spawn_service.h"

namespace tessera::launcher {

class SpawnHandler {
 public:
  virtual void ordered(std::uint64_t client, SpawnOrder order) = 0;
  // The parents have met their children, or the client has gone without.
  virtual void settled(std::uint64_t client, bool met) = 0;
  // The process that started this mpiexec for itself has gone.
  virtual void owner_gone(bool finalized) = 0;

 protected:
  ~SpawnHandler() = default;
};

class SpawnServer {
 public:
  SpawnServer() noexcept;
  ~SpawnServer();
  SpawnServer(const SpawnServer&) = delete;
  SpawnServer& operator=(const SpawnServer&) = delete;

  // False: it cannot be reached under this number; nobody can order then.
  bool open(std::uint64_t number) noexcept;
  // A socket to the process for which this mpiexec runs.
  void serve_owner(int socket) noexcept;
  bool has_owner() const noexcept { return owner_ != 0; }
  int descriptor() const noexcept { return epoll_; }

  void ready(SpawnHandler& handler);
  void tell(std::uint64_t client, SpawnWord word, std::string_view text = {}) noexcept;

 private:
  struct Client {
    int socket = -1;
    bool left = false;  // has said so
    std::vector<std::byte> bytes;
  };
  std::uint64_t add(int socket) noexcept;
  void let_in() noexcept;
  bool listen_to(std::uint64_t number, Client& client, SpawnHandler& handler);
  bool read(Client& client);
  void act(std::uint64_t number, Client& client, std::span<const std::byte> frame,
           SpawnHandler& handler);
  void gone(std::uint64_t number, SpawnHandler& handler);

  int epoll_;
  int listener_ = -1;
  std::uint64_t next_ = 1;  // 0 is the listener
  std::uint64_t owner_ = 0;
  std::map<std::uint64_t, Client> clients_;
};

}  // namespace tessera::launcher
