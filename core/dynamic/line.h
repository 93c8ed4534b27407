// SPDX-License-Identifier: BSD-3-Clause
// A connection between two processes that do not know each other yet: Line, and its clock.
#pragma once
//
// Contract. A stream socket on which the roots of two groups introduce them to each other. Every
// wait makes progress for the rest of the engine, and ends at a deadline, when the other side
// closes, or when it says something that is no frame. The flags of the socket are never changed, so
// that a Line may also be made over a socket of the program (MPI_Comm_join).
//
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/peer.h"

namespace tessera {

std::int64_t steady_ms() noexcept;

// A point in time at which waiting ends, and what wakes a sleeper then.
class Deadline {
 public:
  // `seconds` from now; none: 0 or less.
  Deadline(Progress& progress, double seconds) noexcept;
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  bool over() const noexcept { return at_ms_ != 0 && steady_ms() >= at_ms_; }
  Progress& progress() const noexcept { return progress_; }

 private:
  Progress& progress_;
  std::int64_t at_ms_ = 0;  // 0: never
  int alarm_ = -1;
};

class Line {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of one frame

  Line() noexcept = default;
  // Takes the socket; with `lent` it stays open at the end.
  explicit Line(int socket, bool lent = false) noexcept : socket_(socket), lent_(lent) {}
  Line(Line&& other) noexcept : socket_(std::exchange(other.socket_, -1)), lent_(other.lent_) {}
  Line& operator=(Line&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(lent_, other.lent_);
    return *this;
  }
  ~Line();
  bool is_open() const noexcept { return socket_ >= 0; }
  int socket() const noexcept { return socket_; }

  // peer_failed: the other side has gone; cancelled: the deadline has passed; refused: what came is
  // no frame.
  Status send(std::span<const std::byte> frame, const Deadline& deadline) noexcept;
  Result<std::vector<std::byte>> receive(const Deadline& deadline) noexcept;
  // The same without a length in front.
  Status send_raw(const void* data, std::size_t bytes, const Deadline& deadline) noexcept;
  Status receive_raw(void* data, std::size_t bytes, const Deadline& deadline) noexcept;
  // Whether the other side has closed, without reading anything.
  bool ended() const noexcept;

 private:
  int socket_ = -1;
  bool lent_ = false;
};

// Waits until `ready` holds, one of the descriptors is ready, again and again; false: the deadline
// has passed.
template <class Ready>
bool wait_beside(const Deadline& deadline, int descriptor, std::uint32_t events,
                 Ready&& ready) noexcept {
  Progress& progress = deadline.progress();
  if (ready()) return true;
  (void)progress.watch(descriptor, events);
  bool holds = false;
  progress.wait_trying([&] { return (holds = ready()) || deadline.over(); });
  progress.unwatch(descriptor);
  return holds;
}

}  // namespace tessera
