// SPDX-License-Identifier: BSD-3-Clause
// Published names: NameService, and look_up().
#pragma once
//
// Contract. A name belongs to the process that published it, and is known to all jobs of the same
// user on the same host (in the same network namespace). Publishing binds an abstract Unix address
// made of user and name: the kernel sees to it that a name exists once, and takes it back when the
// process ends, however it ends. A thread of the publisher answers those who look it up, so that
// they need not wait for the program to call MPI; it exists while a name is published.
//
#include <pthread.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera {

class NameService {
 public:
  NameService() = default;
  ~NameService();
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;

  // refused: the name is published already, here or elsewhere; system.
  Status publish(std::string_view name, std::string_view port) noexcept;
  // not_found: this process has not published it.
  Status withdraw(std::string_view name) noexcept;

 private:
  struct Entry {
    int socket;
    std::string port;
  };
  static void* serve(void* self) noexcept;
  void serve() noexcept;
  void answer(int listener) noexcept;
  Status start() noexcept;
  void stop() noexcept;

  std::mutex mutex_;                                   // guards entries_
  std::map<std::string, Entry, std::less<>> entries_;  // by name
  int bell_ = -1;                                      // an eventfd: the entries have changed
  bool ending_ = false;
  pthread_t thread_{};
};

// The port published under a name. not_found: nobody has published it.
Result<std::string> look_up(std::string_view name) noexcept;

}  // namespace tessera
