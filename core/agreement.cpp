// SPDX-License-Identifier: BSD-3-Clause
// Exchanges while a communicator is being made. Dissemination: J. Bruck et al., IEEE TPDS 8(11),
// 1997.
#include "core/agreement.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/datatype/predefined.h"
#include "core/failures.h"

namespace tessera {
namespace {

int number_of(const Circle& circle, int index) noexcept {
  return circle.numbers.empty() ? index : circle.numbers[static_cast<std::size_t>(index)];
}

pml::SendArgs to_peer(const Circle& circle, int to, const void* data, std::size_t bytes) noexcept {
  return {data,
          static_cast<Count>(bytes),
          &byte_type(),
          circle.peers[static_cast<std::size_t>(to)],
          number_of(circle, circle.me),
          circle.tag,
          circle.context,
          pml::Mode::standard};
}

pml::RecvArgs from_peer(const Circle& circle, int from, void* data, std::size_t bytes) noexcept {
  return {data,
          static_cast<Count>(bytes),
          &byte_type(),
          circle.peers[static_cast<std::size_t>(from)],
          number_of(circle, from),
          circle.tag,
          circle.context};
}

Status send_bytes(const Circle& circle, int to, const void* data, std::size_t bytes) noexcept {
  return circle.pml.send(to_peer(circle, to, data, bytes));
}

Status receive_bytes(const Circle& circle, int from, void* data, std::size_t bytes) noexcept {
  auto receiving = circle.pml.irecv(from_peer(circle, from, data, bytes));
  if (!receiving.ok()) return receiving.status();
  return complete_or_give_up(circle.progress, **receiving, circle.peers);
}

}  // namespace

Status exchange(const Circle& circle, int to, const void* out, std::size_t bytes_out, int from,
                void* in, std::size_t bytes_in) noexcept {
  auto sending = circle.pml.isend(to_peer(circle, to, out, bytes_out));
  if (!sending.ok()) return sending.status();
  const Status received = receive_bytes(circle, from, in, bytes_in);
  const Status sent = complete_or_give_up(circle.progress, **sending, circle.peers);
  return received ? sent : received;
}

Status broadcast(const Circle& circle, int root, void* data, std::size_t bytes) noexcept {
  const int n = static_cast<int>(circle.peers.size());
  const int relative = (circle.me - root + n) % n;
  int bit = 1;
  for (; bit < n; bit <<= 1) {
    if ((relative & bit) == 0) continue;
    if (Status s = receive_bytes(circle, (relative - bit + root) % n, data, bytes); !s) return s;
    break;
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (relative + bit >= n) continue;
    if (Status s = send_bytes(circle, (relative + bit + root) % n, data, bytes); !s) return s;
  }
  return {};
}

Status allgather(const Circle& circle, const void* mine, std::size_t bytes, void* all) noexcept {
  const int n = static_cast<int>(circle.peers.size());
  // gathered[k] is the contribution of process me + k; the rotation is undone at the end.
  std::vector<std::byte> gathered(static_cast<std::size_t>(n) * bytes);
  std::memcpy(gathered.data(), mine, bytes);
  for (int have = 1; have < n; have <<= 1) {
    const std::size_t more = static_cast<std::size_t>(std::min(have, n - have)) * bytes;
    const int to = (circle.me - have + n) % n;
    const int from = (circle.me + have) % n;
    std::byte* place = gathered.data() + static_cast<std::size_t>(have) * bytes;
    if (Status s = exchange(circle, to, gathered.data(), more, from, place, more); !s) return s;
  }
  for (int k = 0; k < n; ++k) {
    const auto rank = static_cast<std::size_t>((circle.me + k) % n);
    std::memcpy(static_cast<std::byte*>(all) + rank * bytes,
                gathered.data() + static_cast<std::size_t>(k) * bytes, bytes);
  }
  return {};
}

}  // namespace tessera
