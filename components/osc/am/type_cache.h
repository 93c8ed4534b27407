// SPDX-License-Identifier: BSD-3-Clause
// Target datatypes travel once: numbers for those sent, and those received.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "flat_type.h"

namespace tessera::osc::am {

// The types of this process, by object. A type in here is held, so that no other can take its
// address; when there are many, all are forgotten, here and at the peers. Numbers are never used
// again.
class SentTypes {
 public:
  static constexpr std::size_t kMost = 256;
  struct Entry {
    std::uint32_t number;
    std::unique_ptr<FlatType> flat;
    std::set<std::uint32_t> known_to;  // peers, by id
  };
  ~SentTypes() { clear(); }
  Entry& find(const Datatype& type);
  bool full() const noexcept { return types_.size() >= kMost; }
  void clear() noexcept;

 private:
  std::unordered_map<const Datatype*, Entry> types_;
  std::uint32_t next_ = 1;
};

// Null: data that lies side by side. What still leaves keeps a type that was forgotten.
using KnownType = std::shared_ptr<const FlatType>;

// Those of other processes, by their owner's peer id and number.
class KnownTypes {
 public:
  FlatType& entry(std::uint32_t peer, std::uint32_t number) {
    auto& type = types_[{peer, number}];
    if (type == nullptr) type = std::make_shared<FlatType>();
    return *type;
  }
  KnownType find(std::uint32_t peer, std::uint32_t number) const noexcept {
    const auto found = types_.find({peer, number});
    return found != types_.end() ? found->second : nullptr;
  }
  void forget(std::uint32_t peer) noexcept {
    std::erase_if(types_, [peer](const auto& entry) { return entry.first.first == peer; });
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<FlatType>> types_;
};

}  // namespace tessera::osc::am
