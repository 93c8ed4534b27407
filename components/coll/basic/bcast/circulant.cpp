// SPDX-License-Identifier: BSD-3-Clause
// Broadcast in blocks over a circulant graph: in round i, each process sends a block to the process
// skip[i mod q] further on and receives one from as far back, q = ceil(log2 p). Which block that
// is, every process works out for itself. Cost for n bytes in s blocks: (s - 1 + ceil(log2 p))
// (latency + n / s / bandwidth), the least number of rounds there can be; every process but the
// root receives each block once. O(log^2 p) operations to find the schedule. Source: Traeff,
// "(Poly)Logarithmic Time Construction of Round-optimal n-Block Broadcast Schedules for Broadcast
// and irregular Allgather in MPI", 2022.
#include <algorithm>
#include <array>
#include <vector>

#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

namespace {

constexpr int kMostRounds = 32;
using PerRound = std::array<int, kMostRounds + 1>;

// skip[q] = p; each smaller one is half of the next, rounded up; skip[0] = 1.
struct Skips {
  explicit Skips(int processes) noexcept : p(processes) {
    while (((processes - 1) >> q) > 0) ++q;
    skip[static_cast<std::size_t>(q)] = p;
    for (int k = q; k > 0; --k) skip[static_cast<std::size_t>(k) - 1] = (*this)[k] - (*this)[k] / 2;
  }
  int operator[](int k) const noexcept { return skip[static_cast<std::size_t>(k)]; }

  int p;
  int q = 0;  // rounds until a single block has reached everybody
  PerRound skip = {};
};

// The block that a process other than the root receives in round k of the first q rounds: one block
// that is new, and others, with negative numbers, that belong to q rounds before. Block b first
// goes from the root over skip[b]; whoever has it sends it on over the skips that follow. So a
// process gets as new the block of the smallest skip in the sum of skips, largest first, that leads
// to it; and in round k an old one whose sum ends nearest below the process skip[k] before it,
// counted on through the root, and whose number it does not get otherwise.
class Received {
 public:
  Received(const Skips& skips, int v) noexcept
      : skips_(skips), me_(v + skips.p), low_(2 * skips.p) {
    const int own = smallest_skip(v);
    taken_[at(own)] = true;
    search(0, skips.q);
    for (int k = 0; k < skips.q; ++k)
      block_[at(k)] = block_[at(k)] == skips.q ? own : block_[at(k)] - skips.q;
  }
  int operator[](int k) const noexcept { return block_[at(k)]; }

 private:
  static std::size_t at(int k) noexcept { return static_cast<std::size_t>(k); }
  int smallest_skip(int v) const noexcept {
    int k = skips_.q;
    while (v > 0) {
      while (skips_[k] > v) --k;
      v -= skips_[k];
    }
    return k;
  }
  bool fits(int from, int e) const noexcept {
    const int there = from + skips_[e];
    return !taken_[at(e)] && there <= me_ - skips_[round_] && there < low_;
  }
  // Goes as near to the process as sums that begin with `from` and go on with skip e or smaller
  // ones allow.
  void search(int from, int e) noexcept {
    for (; e >= 0 && round_ < skips_.q; --e) {
      if (!fits(from, e)) continue;
      search(from + skips_[e], e - 1);
      if (round_ == skips_.q || from > me_ - skips_[round_ + 1]) return;
      if (!fits(from, e)) continue;
      low_ = from + skips_[e];
      taken_[at(e)] = true;
      block_[at(round_++)] = e;
    }
  }

  const Skips& skips_;
  int me_;   // its number after one turn through the root
  int low_;  // sums decrease from round to round
  int round_ = 0;
  std::array<bool, kMostRounds + 1> taken_ = {};
  PerRound block_ = {};
};

// The blocks of a broadcast as process `v` receives them. The rounds are numbered so that the last
// one ends a turn of q. What would be beyond the last block is that one; with it, a process gets as
// many blocks as there are, and none twice.
class Timetable {
 public:
  Timetable(const Skips& skips, int blocks, int v) noexcept
      : skips_(skips), received_(skips, v), last_(blocks - 1), first_(first_round(skips, blocks)) {}
  static int first_round(const Skips& skips, int blocks) noexcept {
    return (skips.q - (blocks - 1) % skips.q) % skips.q;
  }
  // The block of this round; negative: none.
  int block(int round) const noexcept {
    const int turn = round / skips_.q * skips_.q;
    return std::min(received_[round % skips_.q] + turn - first_, last_);
  }

 private:
  const Skips& skips_;
  Received received_;
  int last_;
  int first_;
};

class Broadcast {
 public:
  Broadcast(const Call& call, Schedule& schedule, const Segments& segments)
      : call_(call),
        schedule_(schedule),
        segments_(segments),
        row_(schedule, result(call)),
        skips_(call.size),
        me_(number_of(call)),
        here_(static_cast<std::size_t>(segments.number()), kNoStep),
        sends_(schedule),
        recvs_(schedule) {
    targets_.reserve(static_cast<std::size_t>(skips_.q));
    for (int k = 0; k < skips_.q; ++k)
      targets_.emplace_back(skips_, segments.number(), modulo(me_ + skips_[k], call.size));
  }

  void run() noexcept {
    const Timetable mine(skips_, segments_.number(), me_);
    const int first = Timetable::first_round(skips_, segments_.number());
    const int end = first + segments_.number() - 1 + skips_.q;
    for (int round = first; round < end; ++round) {
      send(round);
      if (me_ != 0) receive(round, mine.block(round));
    }
    if (me_ != 0) row_.emptied(row_.size());
  }

 private:
  StepId& here(int block) noexcept { return here_[static_cast<std::size_t>(block)]; }
  Buffer bytes(int block) const noexcept {
    return row_.bytes(segments_.begin(block), segments_.end(block));
  }

  void send(int round) noexcept {
    const int k = round % skips_.q;
    const int to = modulo(me_ + skips_[k], call_.size);
    const int block = targets_[static_cast<std::size_t>(k)].block(round);
    if (to == 0 || block < 0) return;
    if (me_ == 0) here(block) = row_.filled(segments_.end(block));
    sends_(schedule_.send(rank_of(call_, to), bytes(block), {here(block)}));
  }
  void receive(int round, int block) noexcept {
    if (block < 0) return;
    const int from = modulo(me_ - skips_[round % skips_.q], call_.size);
    row_.arrives(here(block) = recvs_(schedule_.recv(rank_of(call_, from), bytes(block))));
  }

  const Call& call_;
  Schedule& schedule_;
  Segments segments_;
  ByteRow row_;
  Skips skips_;
  int me_;
  std::vector<StepId> here_;        // the step that receives each block
  std::vector<Timetable> targets_;  // of the process skip[k] further on
  OrderedChain sends_, recvs_;
};

}  // namespace

static void bcast_circulant(const Call& call, const Tuning& tuning, Schedule& schedule) {
  const Count bytes = result(call).bytes();
  if (call.size > 1) Broadcast(call, schedule, Segments(bytes, bytes, tuning.segment)).run();
}

const Algorithm registered_bcast_circulant{
    Operation::bcast, "circulant", bcast_circulant, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
