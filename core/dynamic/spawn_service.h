// SPDX-License-Identifier: BSD-3-Clause
// Where mpiexec takes orders from the processes it started, and the process's side of it:
// SpawnService.
#pragma once
//
// Contract. mpiexec listens at an abstract Unix address made of a random number, which its ranks
// find in the job segment; it serves processes of its own user only. A process that is alone starts
// an mpiexec for itself and talks to it over a pair of sockets. Frames are those of a Line, each
// begins with a SpawnWord:
//   order    a SpawnOrder; answered by `started` or `failed`
//   started  the processes exist; until `done`, `failed` may follow: one has ended before MPI_Init
//   failed   a text; nothing of the order runs
//   done     the parents have met their children
//   leave    this process needs no answer any more, or finalizes; an end of the connection without
//            it is its death
//
#include <cstdint>
#include <memory>
#include <string>

#include "core/dynamic/line.h"
#include "core/dynamic/spawn_order.h"

namespace tessera {

enum class SpawnWord : std::uint64_t { order = 1, started, failed, done, leave };

class SpawnService {
 public:
  // That of the mpiexec that listens under this number. peer_failed: there is none.
  static Result<std::unique_ptr<SpawnService>> find(std::uint64_t number) noexcept;
  // That of one that is started now, to be reached under this number; its life ends with this
  // object's. not_found: there is no mpiexec beside the library.
  static Result<std::unique_ptr<SpawnService>> start(std::uint64_t number) noexcept;
  ~SpawnService();
  SpawnService(const SpawnService&) = delete;
  SpawnService& operator=(const SpawnService&) = delete;

  // Returns when the processes exist. refused: they could not be started, with mpiexec's text.
  Status order(const SpawnOrder& order, const Deadline& deadline);
  // Whether mpiexec has had to say something about the order since.
  bool has_news() const noexcept;
  Status news(const Deadline& deadline);  // what it is
  void done(const Deadline& deadline);
  int socket() const noexcept { return line_.socket(); }

 private:
  explicit SpawnService(Line line) noexcept : line_(std::move(line)) {}
  Status say(SpawnWord word, const Deadline& deadline);
  Line line_;
};

}  // namespace tessera
