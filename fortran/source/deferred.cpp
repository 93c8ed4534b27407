// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/source/deferred.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace tessera::fortran {
namespace {

struct Entry {
  Deferred::Copies copies;
  bool persistent;
  bool active;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<Fint, Entry> entries;
};

Table& table() {
  static Table& only = *new Table;  // never destroyed: MPI may be used while the program ends
  return only;
}

template <class Action>
void each(Entry& entry, Action action) {
  for (auto& copy : entry.copies) {
    if (copy) action(*copy);
  }
}

}  // namespace

std::atomic<int> Deferred::number_{0};

void Deferred::add(Fint request, Copies copies, bool persistent) {
  const std::lock_guard lock(table().mutex);
  table().entries[request] = Entry{std::move(copies), persistent, !persistent};
  number_.store(static_cast<int>(table().entries.size()), std::memory_order_release);
}

void Deferred::start(Fint request) {
  const std::lock_guard lock(table().mutex);
  const auto entry = table().entries.find(request);
  if (entry == table().entries.end()) return;
  each(entry->second, [](Packed& copy) { copy.pack(); });
  entry->second.active = true;
}

void Deferred::complete(Fint request) {
  const std::lock_guard lock(table().mutex);
  const auto entry = table().entries.find(request);
  if (entry == table().entries.end() || !entry->second.active) return;
  each(entry->second, [](Packed& copy) { copy.unpack(); });
  entry->second.active = false;
  if (entry->second.persistent) return;
  table().entries.erase(entry);
  number_.store(static_cast<int>(table().entries.size()), std::memory_order_release);
}

// MPI may still use the memory of a request that is freed while it is active: it is kept for good.
void Deferred::forget(Fint request) {
  const std::lock_guard lock(table().mutex);
  const auto entry = table().entries.find(request);
  if (entry == table().entries.end()) return;
  if (entry->second.active) {
    static auto& kept = *new std::unordered_map<const void*, Entry>;
    const void* key = entry->second.copies[0].get();
    kept.emplace(key, std::move(entry->second));
  }
  table().entries.erase(entry);
  number_.store(static_cast<int>(table().entries.size()), std::memory_order_release);
}

}  // namespace tessera::fortran
