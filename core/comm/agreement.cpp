// SPDX-License-Identifier: BSD-3-Clause
// Exchanges while a communicator is being made. Dissemination: J. Bruck et al., IEEE TPDS 8(11),
// 1997.
#include "core/comm/agreement.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
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

std::span<Peer* const> needed(const PeerGroup& group) noexcept {
  return group.needed.empty() ? group.peers : group.needed;
}

Status send_bytes(const PeerGroup& group, int to, const void* data, std::size_t bytes) noexcept {
  auto sending = group.pml.isend(to_peer(group, to, data, bytes));
  if (!sending.ok()) return sending.status();
  return complete_or_give_up(group.progress, **sending, needed(group));
}

Status receive_bytes(const PeerGroup& group, int from, void* data, std::size_t bytes) noexcept {
  auto receiving = group.pml.irecv(from_peer(group, from, data, bytes));
  if (!receiving.ok()) return receiving.status();
  return complete_or_give_up(group.progress, **receiving, needed(group));
}

// Some peers of a group, known by their numbers in it.
class Part {
 public:
  Part(const PeerGroup& whole, std::span<const int> indices)
      : group_{whole.pml, whole.progress, {}, 0, whole.context, whole.tag} {
    for (const int index : indices) {
      if (index == whole.me) group_.me = static_cast<int>(peers_.size());
      peers_.push_back(whole.peers[static_cast<std::size_t>(index)]);
      numbers_.push_back(number_of(whole, index));
    }
    group_.peers = peers_;
    group_.numbers = numbers_;
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  const PeerGroup& group() const noexcept { return group_; }

 private:
  std::vector<Peer*> peers_;
  std::vector<int> numbers_;
  PeerGroup group_;
};

// The first of the group returns when all have called it: broadcast() backwards.
Status arrive(const PeerGroup& group) noexcept {
  const int n = static_cast<int>(group.peers.size());
  std::byte here{};
  for (int bit = 1; bit < n; bit <<= 1) {
    if ((group.me & bit) != 0) return send_bytes(group, group.me - bit, &here, 1);
    if (group.me + bit >= n) continue;
    if (Status s = receive_bytes(group, group.me + bit, &here, 1); !s) return s;
  }
  return {};
}

Status release(const PeerGroup& group) noexcept {
  std::byte go{};
  return broadcast(group, 0, &go, 1);
}

}  // namespace

Status meet(const PeerGroup& group, std::span<const int> near, std::span<const int> firsts) noexcept
    try {
  const Part node(group, near);
  if (Status s = arrive(node.group()); !s) return s;
  if (near.front() == group.me) {
    const Part nodes(group, firsts);
    if (Status s = arrive(nodes.group()); !s) return s;
    if (Status s = release(nodes.group()); !s) return s;
  }
  return release(node.group());
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status exchange(const PeerGroup& group, int to, const void* out, std::size_t bytes_out, int from,
                void* in, std::size_t bytes_in) noexcept {
  auto sending = group.pml.isend(to_peer(group, to, out, bytes_out));
  if (!sending.ok()) return sending.status();
  const Status received = receive_bytes(group, from, in, bytes_in);
  const Status sent = complete_or_give_up(group.progress, **sending, needed(group));
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
  std::array<std::byte, 256> few;
  std::vector<std::byte> many;
  const std::size_t whole = static_cast<std::size_t>(n) * bytes;
  if (whole > few.size()) many.resize(whole);
  std::byte* const gathered = many.empty() ? few.data() : many.data();
  std::memcpy(gathered, mine, bytes);
  for (int have = 1; have < n; have <<= 1) {
    const std::size_t more = static_cast<std::size_t>(std::min(have, n - have)) * bytes;
    const int to = (group.me - have + n) % n;
    const int from = (group.me + have) % n;
    std::byte* place = gathered + static_cast<std::size_t>(have) * bytes;
    if (Status s = exchange(group, to, gathered, more, from, place, more); !s) return s;
  }
  for (int k = 0; k < n; ++k) {
    const auto rank = static_cast<std::size_t>((group.me + k) % n);
    std::memcpy(static_cast<std::byte*>(all) + rank * bytes,
                gathered + static_cast<std::size_t>(k) * bytes, bytes);
  }
  return {};
}

SentStatus SentStatus::of(const Status& status) noexcept {
  SentStatus sent;
  sent.code = static_cast<std::uint32_t>(status.code());
  if (!status.ok()) std::strncpy(sent.text, status.text(), sizeof sent.text - 1);
  return sent;
}

Status SentStatus::status() const noexcept {
  if (code == 0) return {};
  return Status::failure(static_cast<Errc>(code), text);
}

Status agree(const PeerGroup& group, int root, const Status& of_root) noexcept {
  SentStatus sent = SentStatus::of(of_root);
  if (Status s = broadcast(group, root, &sent, sizeof sent); !s) return s;
  return sent.status();
}

Status agree_with(const PeerGroup& group, int other, const Status& mine) noexcept {
  const SentStatus ours = SentStatus::of(mine);
  SentStatus theirs;
  const Status told = exchange(group, other, &ours, sizeof ours, other, &theirs, sizeof theirs);
  if (!mine) return mine;
  return told ? theirs.status() : told;
}

Status all_alive(const PeerGroup& group) noexcept {
  group.progress.notice_failures();
  return all_alive(needed(group));
}

Status all_alive(std::span<Peer* const> peers) noexcept {
  for (const Peer* peer : peers) {
    if (peer->failed.load(std::memory_order_relaxed)) return died(*peer);
  }
  return {};
}

}  // namespace tessera
