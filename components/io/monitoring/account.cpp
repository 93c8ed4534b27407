// SPDX-License-Identifier: BSD-3-Clause
// How much of a file was read and written, and where.
#include "account.h"

#include <algorithm>
#include <cstdio>

namespace tessera::io::monitoring {
namespace {

std::string row(std::uint32_t process, const char* direction, const Traffic& traffic,
                const std::string& path) {
  if (traffic.calls() == 0) return {};
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "%7u  %-5s  %10llu  %10llu  %14llu  %12lld  |", process,
                direction, static_cast<unsigned long long>(traffic.calls()),
                static_cast<unsigned long long>(traffic.extents()),
                static_cast<unsigned long long>(traffic.bytes()),
                static_cast<long long>(traffic.part()));
  return numbers + traffic.picture() + "|  " + path + "\n";
}

}  // namespace

void Traffic::add(std::span<const Extent> list, Offset bytes) noexcept {
  ++calls_;
  extents_ += list.size();
  bytes_ += static_cast<std::uint64_t>(bytes);
  for (const Extent& extent : list) {
    const Offset done = std::min(bytes, static_cast<Offset>(extent.bytes));
    if (done <= 0) return;
    note({extent.offset, extent.offset + done}, done);
    bytes -= done;
  }
}

void Traffic::add(const Pieces& pieces) noexcept {
  ++calls_;
  extents_ += static_cast<std::uint64_t>(pieces.number);
  bytes_ += static_cast<std::uint64_t>(pieces.bytes);
  note(pieces.hull, pieces.bytes);
}

void Traffic::double_parts() noexcept {
  for (std::size_t i = 0; i < kParts / 2; ++i) map_[i] = map_[2 * i] + map_[2 * i + 1];
  std::fill(map_.begin() + kParts / 2, map_.end(), 0);
  part_ *= 2;
}

void Traffic::note(Range range, Offset bytes) noexcept {
  while ((range.end - 1) / part_ >= static_cast<Offset>(kParts)) double_parts();
  const double share = static_cast<double>(bytes) / static_cast<double>(range.end - range.first);
  while (range.first < range.end) {
    const Offset here = std::min(range.end - range.first, part_ - range.first % part_);
    map_[static_cast<std::size_t>(range.first / part_)] +=
        static_cast<std::uint64_t>(static_cast<double>(here) * share);
    range.first += here;
  }
}

std::string Traffic::picture() const {
  static constexpr char kLetters[] = ".:-=+*#%@";
  const std::uint64_t most =
      std::max<std::uint64_t>(1, *std::max_element(map_.begin(), map_.end()));
  std::string text;
  for (const std::uint64_t bytes : map_)
    text += bytes == 0 ? ' ' : kLetters[std::min<std::uint64_t>(8, bytes * 9 / (most + 1))];
  return text;
}

std::string Account::report(std::uint32_t process, const std::string& path) const {
  return row(process, "read", read_, path) + row(process, "write", written_, path);
}

}  // namespace tessera::io::monitoring
