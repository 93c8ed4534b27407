// SPDX-License-Identifier: BSD-3-Clause
// Memory in which operands arrive that are then combined with the window: Landings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tessera::osc::am {

// At most one packet of each peer is on its way in; few are at a time.
class Landings {
 public:
  // Room for one packet of `peer`; null if there is no memory.
  std::byte* take(std::uint32_t peer, std::size_t bytes) noexcept try {
    Memory& memory = under_way_[peer];
    if (memory.bytes < bytes && !spare_.empty()) {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
    if (memory.bytes < bytes) memory = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
    return memory.at.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  const std::byte* of(std::uint32_t peer) const noexcept {
    const auto found = under_way_.find(peer);
    return found != under_way_.end() ? found->second.at.get() : nullptr;
  }
  void give_back(std::uint32_t peer) noexcept try {
    const auto found = under_way_.find(peer);
    if (found == under_way_.end()) return;
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(found->second));
    under_way_.erase(found);
  } catch (const std::bad_alloc&) {
    under_way_.erase(peer);
  }

 private:
  static constexpr std::size_t kMostSpare = 2;
  struct Memory {
    std::unique_ptr<std::byte[]> at;
    std::size_t bytes = 0;
  };
  std::map<std::uint32_t, Memory> under_way_;  // by peer id
  std::vector<Memory> spare_;
};

}  // namespace tessera::osc::am
