// SPDX-License-Identifier: BSD-3-Clause
// Source of the figures: docs/decisions/0092-small-writes-go-through-a-mapping.md.
#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace tessera::io::posix {
namespace {

constexpr Offset kWindow = 4 << 20;  // of the file, mapped at a time
// A page that is made writable costs less than half of a call, a call to do it as much as one.
constexpr std::size_t kFewest = 16;
constexpr std::size_t kPiecesOfPage = 2;
constexpr std::size_t kPiecesOfRun = 8;

Offset page_size() noexcept {
  static const Offset bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

Offset end_of(const Extent& extent) noexcept {
  return extent.offset + static_cast<Offset>(extent.bytes);
}

// visit(range): the pages of the list, those next to each other at once; ends early where it says
// false.
template <class Visit>
bool each_run(std::span<const Extent> list, Visit&& visit) noexcept {
  const Offset page = page_size();
  Range run{0, 0};
  for (const Extent& extent : list) {
    const Offset first = extent.offset / page * page;
    const Offset end = (end_of(extent) + page - 1) / page * page;
    if (run.end != 0 && first > run.end) {
      if (!visit(run)) return false;
      run.end = 0;
    }
    run = {run.end == 0 ? first : run.first, end};
  }
  return visit(run);
}

bool ascends(std::span<const Extent> list) noexcept {
  const auto meets = [](const Extent& a, const Extent& b) { return end_of(a) > b.offset; };
  return list.front().offset >= 0 &&
         std::adjacent_find(list.begin(), list.end(), meets) == list.end();
}

// Whether the pages cost less than calls would.
bool pays(std::span<const Extent> list) noexcept {
  if (list.size() < kFewest || end_of(list.back()) - list.front().offset > kWindow / 2)
    return false;
  std::size_t pages = 0, runs = 0;
  each_run(list, [&](Range run) {
    pages += static_cast<std::size_t>((run.end - run.first) / page_size());
    return ++runs, true;
  });
  return pages * kPiecesOfPage <= list.size() && runs * kPiecesOfRun <= list.size();
}

// A mapping to write through asks for a descriptor that reads as well.
int readable_descriptor(const OpenFile& file) noexcept {
  char name[32];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file.descriptor);
  return open(name, O_RDWR | O_CLOEXEC);
}

}  // namespace

bool Mapping::write(const OpenFile& file, std::span<const Extent> list) noexcept {
  if (!allowed_ || list.size() < kFewest || !ascends(list) || !pays(list)) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn || !reach(file, {list.front().offset, end_of(list.back())})) return false;
  const Outcome last = write_list(file, list.last(1));
  if (!last.failure.ok() || !each_run(list, [&](Range run) { return populate(run); })) return false;
  for (const Extent& extent : list.first(list.size() - 1))
    std::memcpy(memory_ + (extent.offset - first_), extent.memory, extent.bytes);
  return true;
}

// The range lies in the mapping from now on.
bool Mapping::reach(const OpenFile& file, Range range) noexcept {
  if (memory_ != nullptr && range.first >= first_ && range.end <= first_ + kWindow) return true;
  release();
  first_ = range.first / page_size() * page_size();
  void* memory =
      mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, first_);
  if (memory == MAP_FAILED && errno == EACCES) {
    const int descriptor = readable_descriptor(file);
    if (descriptor >= 0) {
      memory = mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, first_);
      (void)close(descriptor);
    }
  }
  if (memory == MAP_FAILED) {
    allowed_ = false;
    return false;
  }
  memory_ = static_cast<std::byte*>(memory);
  return true;
}

// Linux before 5.14 cannot, and a page that cannot be written would be a signal.
bool Mapping::populate(Range range) noexcept {
  std::byte* from = memory_ + (range.first - first_);
  const auto bytes = static_cast<std::size_t>(range.end - range.first);
  while (madvise(from, bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL) allowed_ = false;
    return false;
  }
  return true;
}

void Mapping::release() noexcept {
  if (memory_ != nullptr) (void)munmap(memory_, kWindow);
  memory_ = nullptr;
}

}  // namespace tessera::io::posix
