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

constexpr Offset kWindow = 16 << 20;  // of the file, mapped at a time
// A page that is made writable costs less than half of a call, a call to do it as much as one.
constexpr std::size_t kFewest = 16;
constexpr std::size_t kPiecesOfPage = 2;
constexpr std::size_t kPiecesOfRun = 8;
// Of a place that is written again, pieces up to a page as well, and all pages at once, those
// between the pieces too: up to so many in all for a page with pieces.
constexpr std::size_t kPagesOfPiece = 2;
constexpr std::size_t kPagesOfPage = 4;

Offset page_size() noexcept {
  static const Offset bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

Offset end_of(const Extent& extent) noexcept {
  return extent.offset + static_cast<Offset>(extent.bytes);
}

Range around(Range bytes) noexcept {
  const Offset page = page_size();
  return {bytes.first / page * page, (bytes.end + page - 1) / page * page};
}

std::size_t pages_in(Range bytes) noexcept {
  const Range pages = around(bytes);
  return static_cast<std::size_t>((pages.end - pages.first) / page_size());
}

// Whether storage for all of the range is there already: no hole is in it, nor does the file end
// before.
bool whole(const OpenFile& file, Range range) noexcept {
  return lseek(file.descriptor, range.first, SEEK_HOLE) >= range.end;
}

// visit(range): the pages of the list, those next to each other at once; ends early where it says
// false.
template <class Visit>
bool each_run(std::span<const Extent> list, Visit&& visit) noexcept {
  Range run{0, 0};
  for (const Extent& extent : list) {
    const Range pages = around({extent.offset, end_of(extent)});
    if (run.end != 0 && pages.first > run.end) {
      if (!visit(run)) return false;
      run.end = 0;
    }
    run = {run.end == 0 ? pages.first : run.first, pages.end};
  }
  return visit(run);
}

bool ascends(std::span<const Extent> list) noexcept {
  const auto meets = [](const Extent& a, const Extent& b) { return end_of(a) > b.offset; };
  return list.front().offset >= 0 &&
         std::adjacent_find(list.begin(), list.end(), meets) == list.end();
}

struct Pages {
  std::size_t pages = 0, runs = 0;
};

Pages pages_of(std::span<const Extent> list) noexcept {
  Pages sum;
  each_run(list, [&](Range run) {
    sum.pages += pages_in(run);
    return ++sum.runs, true;
  });
  return sum;
}

// A mapping to write through asks for a descriptor that reads as well.
int readable_descriptor(const OpenFile& file) noexcept {
  char name[32];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file.descriptor);
  return open(name, O_RDWR | O_CLOEXEC);
}

}  // namespace

bool Mapping::stores(const OpenFile& file, Range hull, Offset bytes, Offset pieces) noexcept {
  if (!allowed_ || pieces < static_cast<Offset>(kFewest) || bytes > pieces * page_size())
    return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  return turn && again(hull) && whole(file, hull);
}

bool Mapping::write(const OpenFile& file, std::span<const Extent> list) noexcept {
  if (!allowed_ || list.size() < kFewest || !ascends(list)) return false;
  const Range hull{list.front().offset, end_of(list.back())};
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn || hull.end - hull.first > kWindow / 2) return false;
  const Pages own = pages_of(list);
  const bool dense =
      own.pages * kPiecesOfPage <= list.size() && own.runs * kPiecesOfRun <= list.size();
  const bool small = own.pages <= list.size() * kPagesOfPiece;
  const bool at_once =
      small && again(hull) && pages_in(hull) <= own.pages * kPagesOfPage && whole(file, hull);
  if ((!at_once && !dense) || !reach(file, hull)) return false;
  const Outcome last = write_list(file, list.last(1));
  const auto ready = [&](Range run) { return populate(run); };
  if (!last.failure.ok() || !(at_once ? ready(around(hull)) : each_run(list, ready))) return false;
  for (const Extent& extent : list.first(list.size() - 1))
    std::memcpy(memory_ + (extent.offset - first_), extent.memory, extent.bytes);
  return true;
}

// Whether the range has been asked for before, and a mapping of all that was can stay.
bool Mapping::again(Range range) noexcept {
  if (range.first >= known_.first && range.end <= known_.end) return true;
  const Range both{std::min(range.first, known_.first), std::max(range.end, known_.end)};
  const bool apart = known_.end == 0 || both.end - both.first > kWindow;
  known_ = apart ? range : both;
  if (range.end - range.first > kWindow) known_ = {0, 0};
  return false;
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
