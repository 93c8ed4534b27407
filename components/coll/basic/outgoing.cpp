// SPDX-License-Identifier: BSD-3-Clause
// What a process sends in an alltoall.
#include "outgoing.h"

namespace tessera::coll::basic {

std::vector<Outgoing> outgoing_blocks(const Call& call, Schedule& schedule) {
  std::vector<Outgoing> blocks(static_cast<std::size_t>(call.remote_size));
  for (int i = 0; i < call.remote_size; ++i) {
    Outgoing& each = blocks[static_cast<std::size_t>(i)];
    each.data = block(call, call.in_place ? Space::receive : Space::send, i);
    if (!call.in_place || i == call.rank || each.data.bytes() == 0) continue;
    const Buffer copy = schedule.scratch(each.data.bytes(), nullptr);
    each.saved = schedule.copy(each.data, copy);
    each.data = copy;
  }
  return blocks;
}

}  // namespace tessera::coll::basic
