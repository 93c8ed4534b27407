// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts in which each process passes on what it gets, segment by segment.
#include "streams.h"

namespace tessera::coll::basic {

// Data that is no row of bytes is packed and unpacked segment by segment if there is one stream,
// else as a whole.
void move_streams(Schedule& schedule, ByteRow& row, std::span<const Stream> streams,
                  int segments) noexcept {
  OrderedChain recvs(schedule), sends(schedule);
  const bool in_order = streams.size() == 1;
  for (int i = 0; i < segments; ++i) {
    for (const Stream& stream : streams) {
      const Count length = stream.end - stream.begin;
      const Count end = stream.begin + cut(length, segments, i + 1);
      const Buffer segment = row.bytes(stream.begin + cut(length, segments, i), end);
      const bool arrives = stream.from != kProcNull;
      const StepId here = arrives ? recvs(schedule.recv(stream.from, segment))
                                  : row.filled(in_order ? end : row.size());
      if (arrives) row.arrives(here);
      for (const int rank : stream.to) sends(schedule.send(rank, segment, {here}));
      if (arrives && in_order) row.emptied(end);
    }
  }
  if (!in_order) row.emptied(row.size());
}

void bcast_along(const Call& call, Schedule& schedule, const TreeNode& node, Count segment) {
  const Buffer data = result(call);
  const Segments segments(data.bytes(), data.bytes(), segment);
  if (segments.number() == 1) {
    const StepId here = node.is_root() ? kNoStep : schedule.recv(rank_of(call, node.parent), data);
    for (const TreeNode::Child& child : node.children)
      schedule.send(rank_of(call, child.number), data, {here});
    return;
  }
  ByteRow row(schedule, data);
  Stream all{0, row.size(), node.is_root() ? kProcNull : rank_of(call, node.parent), {}};
  for (const TreeNode::Child& child : node.children) all.to.push_back(rank_of(call, child.number));
  move_streams(schedule, row, {&all, 1}, segments.number());
}

void bcast_along_split(const Call& call, Schedule& schedule, int top, int below, Count segment) {
  bcast_along(call, schedule, split_node(number_of(call), call.size, top, below), segment);
}

}  // namespace tessera::coll::basic
