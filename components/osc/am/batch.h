// SPDX-License-Identifier: BSD-3-Clause
// Small puts and accumulates that leave for a target together: Batch.
#pragma once
//
// Contract. An operation is small when its data are at most kMostData contiguous bytes at the
// target. The origin copies them, so that its buffer is free at once, and sends what has gathered
// when it waits for the target, sends it something else, or has no room for one more. In the
// payload of a batch each operation is an Entry, its data, and zeros up to the next Entry.
//
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "wire.h"

namespace tessera::osc::am {

class Batch {
 public:
  static constexpr std::size_t kMostData = 1024;
  static constexpr std::size_t kMostBytes = 8192;  // a system call costs as much as copying these

  bool empty() const noexcept { return bytes_.empty(); }
  // Whether so many bytes of data are small. `packet`: bytes that one can carry.
  static bool takes(std::size_t data, std::size_t packet) noexcept {
    return data <= kMostData && room_of(data) <= packet;
  }
  bool has_room(std::size_t data, std::size_t packet) const noexcept {
    return bytes_.size() + room_of(data) <= std::min(packet, kMostBytes);
  }
  // Memory for the data of the operation.
  std::byte* add(const Header& operation) {
    const Entry entry{operation.kind,
                      0,
                      operation.op,
                      operation.element,
                      static_cast<std::uint16_t>(operation.total),
                      operation.displacement};
    const std::size_t at = bytes_.size();
    bytes_.resize(at + room_of(operation.total));
    std::memcpy(bytes_.data() + at, &entry, sizeof entry);
    return bytes_.data() + at + sizeof entry;
  }
  // What has gathered leaves; the memory may come back.
  std::vector<std::byte> take() noexcept { return std::exchange(bytes_, {}); }
  void reuse(std::vector<std::byte> memory) noexcept {
    if (!bytes_.empty()) return;
    bytes_ = std::move(memory);
    bytes_.clear();
  }

  // visit(header, data) for each operation of a batch that has come.
  template <class Visit>
  static void each(const Header& batch, std::span<const std::byte> payload, Visit&& visit) {
    Entry entry;
    while (payload.size() >= sizeof entry) {
      std::memcpy(&entry, payload.data(), sizeof entry);
      const std::size_t used = room_of(entry.bytes);
      if (used > payload.size()) return;
      Header operation = batch;
      operation.kind = entry.kind;
      operation.op = entry.op;
      operation.element = entry.element;
      operation.displacement = entry.displacement;
      operation.total = entry.bytes;
      visit(operation, payload.subspan(sizeof entry, entry.bytes));
      payload = payload.subspan(used);
    }
  }

 private:
  struct Entry {
    Kind kind;
    std::uint8_t unused;
    std::uint16_t op;
    std::uint16_t element;
    std::uint16_t bytes;  // of data
    std::int64_t displacement;
  };
  static constexpr std::size_t room_of(std::size_t data) noexcept {
    return sizeof(Entry) + (data + alignof(Entry) - 1) / alignof(Entry) * alignof(Entry);
  }
  std::vector<std::byte> bytes_;
};

}  // namespace tessera::osc::am
