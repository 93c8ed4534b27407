// SPDX-License-Identifier: BSD-3-Clause
// Exchanges within one group.
#include "core/dynamic/gathering.h"

#include <algorithm>

#include "core/engine/instance.h"

namespace tessera {

PeerGroup Gathering::peers() noexcept {
  return {comm_.pml(),
          comm_.progress(),
          {comm_.group()->members(), static_cast<std::size_t>(comm_.size())},
          comm_.rank(),
          comm_.collective_context(),
          comm_.next_collective_tag(),
          {}};
}

Status Gathering::agree(const Status& of_root) noexcept {
  return tessera::agree(peers(), root_, of_root);
}

Status Gathering::spread(std::vector<std::byte>& bytes) noexcept {
  std::uint64_t size = bytes.size();
  if (Status s = broadcast(peers(), root_, &size, sizeof size); !s) return s;
  bytes.resize(size);
  return broadcast(peers(), root_, bytes.data(), size);
}

Result<std::vector<std::vector<std::byte>>> Gathering::collect(std::span<const std::byte> mine) {
  const auto n = static_cast<std::size_t>(comm_.size());
  std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(n);
  if (Status s = allgather(peers(), &size, sizeof size, sizes.data()); !s) return s;
  const std::size_t longest = *std::max_element(sizes.begin(), sizes.end());
  std::vector<std::byte> padded(longest);
  std::copy(mine.begin(), mine.end(), padded.begin());
  std::vector<std::byte> all(n * longest);
  if (Status s = allgather(peers(), padded.data(), longest, all.data()); !s) return s;
  std::vector<std::vector<std::byte>> parts(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * longest);
    parts[i].assign(begin, begin + static_cast<std::ptrdiff_t>(sizes[i]));
  }
  return parts;
}

Status Gathering::all_well(const Status& mine) noexcept {
  if (comm_.size() == 1) return mine;
  const SentStatus said = SentStatus::of(mine);
  std::vector<SentStatus> all(static_cast<std::size_t>(comm_.size()));
  if (Status s = allgather(peers(), &said, sizeof said, all.data()); !s) return s;
  for (const SentStatus& one : all) {
    if (one.code != 0) return one.status();
  }
  return {};
}

}  // namespace tessera
