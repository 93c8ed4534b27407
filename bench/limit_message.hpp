// SPDX-License-Identifier: BSD-3-Clause
// The least time of one message between two processes, without MPI: through shared memory, or read
// by the receiver.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "options.hpp"

namespace tessera::bench {

/// Two processes, each with a buffer to send from and one to receive into. Payloads walk through a
/// ring of 128 KiB, as they do in a library that has several under way.
class MessageLimit {
 public:
  explicit MessageLimit(const std::vector<int>& processors) : processors_(processors) {
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = memory == MAP_FAILED ? nullptr : new (memory) Shared;
  }
  ~MessageLimit() {
    if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
  }
  MessageLimit(const MessageLimit&) = delete;
  MessageLimit& operator=(const MessageLimit&) = delete;

  /// Microseconds one way, the least of all ways and of `rounds` rounds; negative when it cannot be
  /// measured.
  double one_way_us(std::size_t bytes, int rounds) {
    if (shared_ == nullptr || bytes > kRing) return -1;
    double least = -1;
    for (int round = 0; round < rounds; ++round) {
      for (const Way way : {Way{bytes, false}, Way{std::max<std::size_t>(bytes / 2, 64), false},
                            Way{2048, false}, Way{bytes, true}}) {
        const double us = ping_pong(bytes, way);
        if (us > 0 && (least < 0 || us < least)) least = us;
      }
    }
    return least;
  }

 private:
  static constexpr std::size_t kRing = 128 << 10;
  static constexpr int kIterations = 300;

  /// Copied in and out in pieces of this size, or read from the sender's memory.
  struct Way {
    std::size_t piece;
    bool read;
  };
  struct alignas(128) Flag {
    std::atomic<std::uint64_t> value{0};
  };
  struct Side {
    Flag written;  // turn << 32 | bytes of its message that are there
    std::atomic<const char*> address{nullptr};
    std::atomic<pid_t> process{0};
    std::atomic<bool> failed{false};
    alignas(4096) char ring[kRing];
  };
  struct Shared {
    Side side[2];
  };

  double ping_pong(std::size_t bytes, Way way) {
    for (Side& side : shared_->side) {
      side.written.value = 0;
      side.process = 0;
      side.failed = false;
    }
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
      play(1, bytes, way);
      _exit(0);
    }
    const double us = play(0, bytes, way);
    waitpid(child, nullptr, 0);
    return shared_->side[0].failed || shared_->side[1].failed ? -1 : us;
  }

  double play(int me, std::size_t bytes, Way way) {
    pin_to(processors_[static_cast<std::size_t>(me)]);
    std::vector<char> outgoing(bytes, 'x'), incoming(bytes, 'y');
    Side& mine = shared_->side[me];
    const Side& other = shared_->side[1 - me];
#ifdef PR_SET_PTRACER
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
    mine.address = outgoing.data();
    mine.process = getpid();
    while (other.process == 0) {
    }
    constexpr std::uint64_t kWarm = 40, kEnd = 2 * kIterations + kWarm;
    auto start = std::chrono::steady_clock::now();
    for (std::uint64_t turn = 1; turn <= kEnd; ++turn) {
      if (turn == kWarm + 1) start = std::chrono::steady_clock::now();
      if (turn % 2 == static_cast<std::uint64_t>(me))
        send(mine, outgoing, turn, way);
      else
        receive(other, mine, incoming, turn, way);
    }
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    return taken.count() / (2 * kIterations);
  }

  static std::size_t offset(std::uint64_t turn, std::size_t bytes) {
    return turn / 2 % (kRing / bytes) * bytes;
  }

  static void send(Side& mine, const std::vector<char>& from, std::uint64_t turn, Way way) {
    char* ring = mine.ring + offset(turn, from.size());
    for (std::size_t done = 0; done < from.size();) {
      const std::size_t bytes = std::min(way.piece, from.size() - done);
      if (!way.read) std::memcpy(ring + done, from.data() + done, bytes);
      done += bytes;
      mine.written.value.store(turn << 32 | done, std::memory_order_release);
    }
  }

  static void receive(const Side& other, Side& mine, std::vector<char>& to, std::uint64_t turn,
                      Way way) {
    const char* ring = other.ring + offset(turn, to.size());
    for (std::size_t done = 0; done < to.size();) {
      std::uint64_t written;
      while ((written = other.written.value.load(std::memory_order_acquire)) <=
             (turn << 32 | done)) {
      }
      const std::size_t there = written & 0xffffffff;
      if (way.read)
        mine.failed = !read(other, to) || mine.failed;
      else
        std::memcpy(to.data() + done, ring + done, there - done);
      done = there;
    }
  }

  static bool read(const Side& other, std::vector<char>& to) {
    const iovec here{to.data(), to.size()};
    const iovec there{const_cast<char*>(other.address.load()), to.size()};
    return process_vm_readv(other.process, &here, 1, &there, 1, 0) ==
           static_cast<ssize_t>(to.size());
  }

  const std::vector<int>& processors_;
  Shared* shared_;
};

}  // namespace tessera::bench
