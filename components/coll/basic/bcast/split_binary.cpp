// SPDX-License-Identifier: BSD-3-Clause
// Broadcast along a binary tree, one half of the data in segments down each side of it; every
// process passes its half on to its counterpart on the other side, which does the same. Cost for n
// bytes in s segments per half: about (2 log2 p + 3 s) (latency + n / (2 s) / bandwidth); a process
// sends at most 3 n / 2 bytes, where a plain binary tree asks for 2 n.
#include <array>

#include "algorithms.h"
#include "streams.h"

namespace tessera::coll::basic {

namespace {

// Sides 0 and 1 of the tree are the numbers [1, half_) and [half_, size); side 0 may have one
// process more.
class SplitBinary {
 public:
  SplitBinary(const Call& call, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        row_(schedule, result(call)),
        half_(1 + static_cast<int>(cut(call.size - 1, 2, 1))),
        middle_(row_.size() / 2),
        node_(split_node(number_of(call), call.size, 2, 2)) {}

  void run(Count segment) {
    const Segments segments(middle_, middle_, segment);
    std::array<Stream, 2> streams{stream(0), stream(1)};
    move_streams(schedule_, row_, streams, segments.number());
  }

 private:
  int side() const noexcept { return node_.number < half_ ? 0 : 1; }
  // The counterpart of the last of side 0 may be missing; the root stands in for it.
  int counterpart() const noexcept {
    if (side() == 1) return node_.number - half_ + 1;
    const int other = node_.number - 1 + half_;
    return other < call_.size ? other : 0;
  }

  Stream stream(int half) const {
    Stream stream{half == 0 ? 0 : middle_, half == 0 ? middle_ : row_.size(), kProcNull, {}};
    if (node_.is_root()) {
      from_root(half, stream);
    } else if (half == side()) {
      stream.from = rank_of(call_, node_.parent);
      for (const TreeNode::Child& child : node_.children)
        stream.to.push_back(rank_of(call_, child.number));
      if (counterpart() != 0) stream.to.push_back(rank_of(call_, counterpart()));
    } else {
      stream.from = rank_of(call_, counterpart());
    }
    return stream;
  }
  void from_root(int half, Stream& stream) const {
    for (const TreeNode::Child& child : node_.children) {
      if ((child.number < half_ ? 0 : 1) == half) stream.to.push_back(rank_of(call_, child.number));
    }
    const bool odd = call_.size % 2 == 0;  // without the root
    if (half == 1 && odd) stream.to.push_back(rank_of(call_, half_ - 1));
  }

  const Call& call_;
  Schedule& schedule_;
  ByteRow row_;
  int half_;
  Count middle_;
  TreeNode node_;
};

}  // namespace

static void bcast_split_binary(const Call& call, const Tuning& tuning, Schedule& schedule) {
  SplitBinary(call, schedule).run(tuning.segment);
}

const Algorithm registered_bcast_split_binary{
    Operation::bcast, "split_binary", bcast_split_binary, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
