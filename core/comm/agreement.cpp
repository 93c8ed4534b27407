// SPDX-License-Identifier: BSD-3-Clause
// Exchanges while a communicator is being made. Dissemination: J. Bruck et al., IEEE TPDS 8(11),
// 1997.
#include "core/comm/agreement.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/datatype/predefined.h"
#include "core/job/failures.h"

namespace tessera {
namespace {

int number_of(const PeerGroup& group, int index) noexcept {
  return group.numbers.empty() ? index : group.numbers[static_cast<std::size_t>(index)];
}

pml::SendArgs to_peer(const PeerGroup& group, int to, const void* data,
                      std::size_t bytes) noexcept {
  return {data,
          static_cast<Count>(bytes),
          &byte_type(),
          group.peers[static_cast<std::size_t>(to)],
          number_of(group, group.me),
          group.tag,
          group.context,
          pml::Mode::standard};
}

pml::RecvArgs from_peer(const PeerGroup& group, int from, void* data, std::size_t bytes) noexcept {
  return {data,
          static_cast<Count>(bytes),
          &byte_type(),
          group.peers[static_cast<std::size_t>(from)],
          number_of(group, from),
          group.tag,
          group.context};
}

Status send_bytes(const PeerGroup& group, int to, const void* data, std::size_t bytes) noexcept {
  return group.pml.send(to_peer(group, to, data, bytes));
}

Status receive_bytes(const PeerGroup& group, int from, void* data, std::size_t bytes) noexcept {
  auto receiving = group.pml.irecv(from_peer(group, from, data, bytes));
  if (!receiving.ok()) return receiving.status();
  return complete_or_give_up(group.progress, **receiving, group.peers);
}

}  // namespace

Status exchange(const PeerGroup& group, int to, const void* out, std::size_t bytes_out, int from,
                void* in, std::size_t bytes_in) noexcept {
  auto sending = group.pml.isend(to_peer(group, to, out, bytes_out));
  if (!sending.ok()) return sending.status();
  const Status received = receive_bytes(group, from, in, bytes_in);
  const Status sent = complete_or_give_up(group.progress, **sending, group.peers);
  return received ? sent : received;
}

Status broadcast(const PeerGroup& group, int root, void* data, std::size_t bytes) noexcept {
  const int n = static_cast<int>(group.peers.size());
  const int relative = (group.me - root + n) % n;
  int bit = 1;
  for (; bit < n; bit <<= 1) {
    if ((relative & bit) == 0) continue;
    if (Status s = receive_bytes(group, (relative - bit + root) % n, data, bytes); !s) return s;
    break;
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (relative + bit >= n) continue;
    if (Status s = send_bytes(group, (relative + bit + root) % n, data, bytes); !s) return s;
  }
  return {};
}

Status allgather(const PeerGroup& group, const void* mine, std::size_t bytes, void* all) noexcept {
  const int n = static_cast<int>(group.peers.size());
  // gathered[k] is the contribution of process me + k; the rotation is undone at the end.
  std::vector<std::byte> gathered(static_cast<std::size_t>(n) * bytes);
  std::memcpy(gathered.data(), mine, bytes);
  for (int have = 1; have < n; have <<= 1) {
    const std::size_t more = static_cast<std::size_t>(std::min(have, n - have)) * bytes;
    const int to = (group.me - have + n) % n;
    const int from = (group.me + have) % n;
    std::byte* place = gathered.data() + static_cast<std::size_t>(have) * bytes;
    if (Status s = exchange(group, to, gathered.data(), more, from, place, more); !s) return s;
  }
  for (int k = 0; k < n; ++k) {
    const auto rank = static_cast<std::size_t>((group.me + k) % n);
    std::memcpy(static_cast<std::byte*>(all) + rank * bytes,
                gathered.data() + static_cast<std::size_t>(k) * bytes, bytes);
  }
  return {};
}

}  // namespace tessera
