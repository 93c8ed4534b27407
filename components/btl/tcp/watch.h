// SPDX-License-Identifier: BSD-3-Clause
// Whether the machine at the other end of an open connection still answers.
#pragma once
//
// Contract. An idle connection is watched by the kernel (keep-alive, tune() in socket.h). The
// kernel sends no keep-alive while data wait, and its own limit for them (TCP_USER_TIMEOUT) counts
// a receiver that computes behind a full window as silent. So a connection with data on their way
// is looked at here, once a second, through TCP_INFO. A process that computes or is stopped is
// never taken for dead: its kernel answers for it.
//
#include <cstdint>

#include "address.h"
#include "socket.h"

namespace tessera::btl::tcp {

// What the kernel knows of a connection.
struct LinkState {
  std::uint32_t unsent = 0;         // bytes the kernel holds back
  std::uint32_t unacked = 0;        // segments on their way
  std::uint32_t retransmits = 0;    // of the oldest of them, in a row
  std::uint32_t probes = 0;         // of a full window, in a row, without an answer
  std::int64_t heard_ms = 0;        // since the last acknowledgement
  std::uint64_t retransmitted = 0;  // segments, ever
};
LinkState look_at(const Socket& socket) noexcept;

enum class LinkVerdict : std::uint8_t {
  settled,   // nothing is on its way
  waiting,   // for an answer that is not due yet, or for room in the window
  doubtful,  // the window is full and a probe of it went unanswered: the network loses some
  lost
};
LinkVerdict judge(const LinkState& state, int silence_s) noexcept;

// The watch over one connection, looked at once a second while data wait.
class Watch {
 public:
  // doubtful: call() is due.
  LinkVerdict look(const Socket& socket, int silence_s, std::int64_t now_us) noexcept;
  // A call to the port where the peer's process listens: its kernel answers whatever the process
  // does. The next looks see to the answer.
  void call(const Socket& socket, std::uint16_t port, std::int64_t now_us) noexcept;

 private:
  static constexpr int kDoubts = 3;  // looks in a row before a call is made
  static constexpr std::int64_t kAnswerUs = 3'000'000;
  static constexpr std::int64_t kTrustUs = 60'000'000;  // after an answer

  bool unanswered(std::int64_t now_us) noexcept;

  Socket inquiry_;
  std::int64_t called_us_ = 0;
  std::int64_t trusted_until_us_ = 0;
  int doubts_ = 0;
};

}  // namespace tessera::btl::tcp
