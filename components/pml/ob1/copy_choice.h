// SPDX-License-Identifier: BSD-3-Clause
// CopyChoice: which way the large messages of one peer are copied, from what trials have shown on
// this machine.
#pragma once
//
// Contract. No way is the best everywhere: reading another process's memory costs a system call and
// the pinning of pages, copying through a ring moves everything twice but stays in a cache that
// cores may share, a split needs both processes at hand. So there is one sampler for each size (a
// power of two). It has an incumbent, the way in use, at first the one that the parameters name.
// Now and then a trial times a few messages of the incumbent and then a few of a candidate, one
// after the other, so that both meet the same machine. A candidate that has been faster by a tenth
// in two trials running becomes the incumbent. A lost trial doubles the distance to the next one, a
// hopeless one takes it times eight, up to a bound; a change of incumbent starts anew: a machine
// that changes is noticed, one that does not is left alone.
//
// A receiver sees its own time alone. To leave half of a message to the sender is a gain only where
// the sender has nothing else to do: messages of collective operations, and those that go both ways
// at once, have samplers of their own, which compare reading with streaming, and halves only where
// the parameters name them. There a streamed message counts as the work of both processes, and two
// processes that send to each other choose alike (docs/decisions/0164). A sender that has something
// else to do lets a streamed message wait, and that the receiver sees.
//
// A sender has samplers as well, for messages of collective operations that are too short to be
// read in any case: it compares sending them eagerly with announcing them (docs/decisions/0141).
//
// Nothing here reads a clock: next() says which messages are to be timed, took() is told how long
// they took. Which way is taken changes the time of a message and nothing else.
//
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

namespace tessera::ob1 {

enum class Way : std::uint8_t {
  read,    // the receiver reads the sender's memory
  split,   // the receiver reads one half while the sender writes the other
  stream,  // the sender sends fragments through the btl
  eager,   // the sender sends the message at once, without a handshake
};
inline constexpr std::size_t kWays = 4;
const char* name_of(Way way) noexcept;

class WaySet {
 public:
  WaySet& add(Way way) noexcept {
    bits_ |= 1u << static_cast<unsigned>(way);
    return *this;
  }
  bool has(Way way) const noexcept { return (bits_ >> static_cast<unsigned>(way) & 1) != 0; }

 private:
  unsigned bits_ = 0;
};

// What one message does. With a trial its duration is asked for.
struct Turn {
  Way way = Way::read;
  std::uint8_t sampler = 0;
  std::uint32_t trial = 0;  // 0: not timed
};

// Durations of one way in one trial. The first does not count, it overlaps with what was done
// before; nor does the longest, during which something else may have happened.
struct Sample {
  static constexpr std::uint32_t kTurns = 6;

  std::uint64_t sum = 0;
  std::uint64_t longest = 0;
  std::uint32_t count = 0;

  void add(std::uint64_t ns) noexcept {
    if (count++ == 0) return;
    sum += ns;
    longest = std::max(longest, ns);
  }
  bool complete() const noexcept { return count == kTurns; }
  std::uint64_t total() const noexcept { return sum - longest; }
  std::uint64_t mean() const noexcept { return count > 2 ? total() / (count - 2) : 0; }
};

class CopySampler {
 public:
  static constexpr std::uint32_t kLongestFactor = 32;  // of the first interval

  // `interval`: messages before the first trial.
  Turn next(Way usual, WaySet permitted, std::uint32_t interval) noexcept;
  void took(const Turn& turn, std::uint64_t ns) noexcept;

  bool used() const noexcept { return first_interval_ != 0; }
  bool trying() const noexcept { return stage_ != Stage::quiet; }
  Way incumbent() const noexcept { return incumbent_; }
  std::uint32_t trials() const noexcept { return trials_; }
  std::uint64_t messages(Way way) const noexcept {
    return messages_[static_cast<std::size_t>(way)];
  }
  // Nanoseconds per message in the last trial of the way; 0: not tried.
  std::uint64_t ns(Way way) const noexcept { return ns_[static_cast<std::size_t>(way)]; }

 private:
  enum class Stage : std::uint8_t { quiet, incumbent, candidate };

  void open(Way usual, std::uint32_t interval) noexcept;
  void begin_trial(WaySet permitted) noexcept;
  bool find_candidate(WaySet permitted) noexcept;
  void begin_stage(Stage stage) noexcept;
  void end_trial() noexcept;
  void lose(std::uint32_t factor) noexcept;
  void pause(std::uint32_t messages) noexcept;

  Way incumbent_ = Way::read;
  Way candidate_ = Way::read;
  Stage stage_ = Stage::quiet;
  std::uint8_t wins_ = 0;    // of this candidate, running
  std::uint32_t given_ = 0;  // turns of this stage
  std::uint32_t trial_ =
      0;  // number of the stage: what comes late from an earlier one is not counted
  std::uint32_t trials_ = 0;
  std::uint32_t first_interval_ = 0;
  std::uint32_t interval_ = 0;
  std::uint32_t until_trial_ = 0;
  Sample incumbent_time_;
  Sample candidate_time_;
  std::array<std::uint64_t, kWays> messages_{};
  std::array<std::uint64_t, kWays> ns_{};
};

class CopyChoice {
 public:
  explicit CopyChoice(std::uint32_t interval) noexcept : interval_(interval) {}

  // `usual`: the way that the parameters name; one of those permitted.
  Turn next(std::uint64_t bytes, Way usual, WaySet permitted) noexcept {
    const std::size_t at = latest_ = place(bytes);
    Turn turn = samplers_[at].next(usual, permitted, interval_);
    turn.sampler = static_cast<std::uint8_t>(at);
    return turn;
  }
  // A timed message, accepted and done at these times (ns). Where messages queue up, the time since
  // the one before counts; no message counts as less than `least` ns.
  void took(const Turn& turn, std::uint64_t accepted, std::uint64_t done,
            std::uint64_t least = 0) noexcept {
    samplers_[turn.sampler].took(turn, std::max(done - std::max(accepted, last_done_), least));
    last_done_ = done;
  }
  // Whether messages like the last one are being timed. Then those that are not say when they are
  // done.
  bool trying() const noexcept { return samplers_[latest_].trying(); }
  void passed(std::uint64_t done) noexcept { last_done_ = done; }

  // The same where the process's own time counts, from one message of the trial to the next.
  void finished(const Turn& turn, std::uint64_t now) noexcept { took(turn, 0, now); }

  const CopySampler& sampler(std::uint64_t bytes) const noexcept { return samplers_[place(bytes)]; }
  // One line for each size that occurred.
  void describe(std::string& text) const;

 private:
  static constexpr unsigned kSmallest = 12;  // sizes below 2^13, from 2^13, ... from 2^24 on
  static constexpr unsigned kSizes = 13;

  static std::size_t place(std::uint64_t bytes) noexcept {
    const auto power = static_cast<unsigned>(std::bit_width(bytes | 1)) - 1;
    return std::clamp(power, kSmallest, kSmallest + kSizes - 1) - kSmallest;
  }

  std::uint32_t interval_;
  std::uint64_t last_done_ = 0;
  std::size_t latest_ = 0;  // sampler of the last turn
  std::array<CopySampler, kSizes> samplers_;
};

// Made at the first need; null without memory.
CopyChoice* made(std::unique_ptr<CopyChoice>& choice, std::uint32_t interval) noexcept;

}  // namespace tessera::ob1
