// SPDX-License-Identifier: BSD-3-Clause
// Showing and reading tables of regions.
#include "regions.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace tessera::osc::sm {

Regions::Regions(Window& window, Control& control, const Memory& memory) noexcept
    : window_(window), control_(control), memory_(memory) {
  if (window.flavor() == Flavor::dynamic) tables_.resize(static_cast<std::size_t>(window.size()));
}

// The old table stays where readers may look for it until the version tells them of the new one.
template <class Change>
Status Regions::change(Change act) noexcept {
  Table& own = tables_[static_cast<std::size_t>(window_.rank())];
  Slot& slot = control_.slot(window_.rank());
  std::vector<Region> next;
  try {
    next = own.regions;
    act(next);
  } catch (const std::bad_alloc&) {
    return Status::failure(Errc::no_memory, "no memory for the table of attached regions");
  }
  const std::uint32_t version = slot.regions_version.load(std::memory_order_relaxed);
  slot.regions_version.store(version + 1, std::memory_order_seq_cst);
  own.regions.swap(next);
  slot.regions_address.store(reinterpret_cast<std::uintptr_t>(own.regions.data()),
                             std::memory_order_relaxed);
  slot.regions_count.store(own.regions.size(), std::memory_order_relaxed);
  slot.regions_version.store(version + 2, std::memory_order_seq_cst);
  own.version = version + 2;
  return {};
}

Status Regions::attach(const void* base, Aint bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const Region added{begin, begin + static_cast<std::uintptr_t>(bytes)};
  return change([&](std::vector<Region>& regions) {
    const auto behind = std::find_if(regions.begin(), regions.end(),
                                     [&](const Region& r) { return r.begin > begin; });
    regions.insert(behind, added);
  });
}

Status Regions::detach(const void* base) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  return change([&](std::vector<Region>& regions) {
    std::erase_if(regions, [&](const Region& r) { return r.begin == begin; });
  });
}

Status Regions::refresh(int rank) noexcept try {
  Slot& slot = control_.slot(rank);
  Table& table = tables_[static_cast<std::size_t>(rank)];
  for (;;) {
    const std::uint32_t version = slot.regions_version.load(std::memory_order_acquire);
    if (version == table.version) return {};
    if (version % 2 != 0) {
      if (Status s = control_.wait(
              [&] { return slot.regions_version.load(std::memory_order_acquire) % 2 == 0; },
              Waiting::What::answer, rank);
          !s)
        return s;
      continue;
    }
    const std::uint64_t address = slot.regions_address.load(std::memory_order_relaxed);
    table.regions.resize(slot.regions_count.load(std::memory_order_relaxed));
    Status read;
    if (!table.regions.empty()) {
      read = read_memory(memory_.pid(rank), table.regions.data(), address,
                         table.regions.size() * sizeof(Region));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.regions_version.load(std::memory_order_relaxed) != version) continue;
    if (!read.ok()) return read;
    table.version = version;
    return {};
  }
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status Regions::check(int rank, std::uintptr_t begin, std::uintptr_t end) noexcept {
  if (rank != window_.rank()) {
    if (Status s = refresh(rank); !s) return s;
  }
  const auto& regions = tables_[static_cast<std::size_t>(rank)].regions;
  const auto behind = std::upper_bound(
      regions.begin(), regions.end(), begin,
      [](std::uintptr_t address, const Region& region) { return address < region.begin; });
  if (behind != regions.begin() && end <= std::prev(behind)->end) return {};
  char text[200];
  std::snprintf(text, sizeof text,
                "the access of bytes 0x%zx to 0x%zx of rank %d does not lie in a region that this "
                "rank has attached to the window (it has %zu)",
                begin, end - 1, rank, regions.size());
  return Status::failure(Errc::argument, text);
}

}  // namespace tessera::osc::sm
