// SPDX-License-Identifier: BSD-3-Clause
// Source of the figures: docs/decisions/0092-small-writes-go-through-a-mapping.md and
// 0103-copies-out-of-a-mapping-are-guarded.md.
#include "mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "guarded_copy.h"
#include "tessera/copy.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace tessera::io::posix {
namespace {

constexpr Offset kWindow = 16 << 20;  // of the file, mapped at a time
// A page that is made writable costs less than half of a call, a call to do it as much as one.
constexpr std::size_t kFewest = 16;
constexpr std::size_t kPiecesOfPage = 2;
constexpr std::size_t kPiecesOfRun = 8;
// Of a place that is accessed again, pieces up to a page as well, and all pages at once, those
// between the pieces too: up to so many in all for a page with pieces.
constexpr std::size_t kPagesOfPiece = 2;
constexpr std::size_t kPagesOfPage = 4;
// The guard and the looks at the file cost as much as reading so many bytes by a call.
constexpr Offset kSmallestRead = 16 << 10;

Offset page_size() noexcept {
  static const Offset bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

Offset end_of(const Extent& extent) noexcept {
  return extent.offset + static_cast<Offset>(extent.bytes);
}

Range around(Range bytes) noexcept {
  const Offset within = page_size() - 1;
  return {bytes.first & ~within, (bytes.end + within) & ~within};
}

std::size_t pages_in(Range bytes) noexcept {
  const Range pages = around(bytes);
  return static_cast<std::size_t>((pages.end - pages.first) / page_size());
}

bool contains(Range outer, Range inner) noexcept {
  return inner.first >= outer.first && inner.end <= outer.end;
}

// The range and what is known already, as far as that is not too far away.
Range joined(Range known, Range range) noexcept {
  const Range both{std::min(range.first, known.first), std::max(range.end, known.end)};
  return known.end == 0 || both.end - both.first > kWindow ? range : both;
}

bool no_hole(const OpenFile& file, Range range) noexcept {
  return lseek(file.descriptor, range.first, SEEK_HOLE) >= range.end;
}

bool reaches(const OpenFile& file, Offset end) noexcept {
  struct stat about;
  return fstat(file.descriptor, &about) == 0 && about.st_size >= end;
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

Range hull_of(std::span<const Extent> list) noexcept {
  return {list.front().offset, end_of(list.back())};
}

bool ascends(std::span<const Extent> list) noexcept {
  const auto meets = [](const Extent& a, const Extent& b) { return end_of(a) > b.offset; };
  return list.front().offset >= 0 &&
         std::adjacent_find(list.begin(), list.end(), meets) == list.end();
}

bool fits(std::span<const Extent> list) noexcept {
  if (list.size() < kFewest || !ascends(list) || !guardable()) return false;
  const Range hull = hull_of(list);
  return hull.end - around(hull).first <= kWindow;
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

bool small(const Pages& own, std::span<const Extent> list) noexcept {
  return own.pages <= list.size() * kPagesOfPiece;
}

bool close_together(const Pages& own, Range hull) noexcept {
  return pages_in(hull) <= own.pages * kPagesOfPage;
}

// Small, and near each other.
bool worth_it(const Pieces& pieces, bool writing) noexcept {
  const Range hull = pieces.hull;
  const auto number = static_cast<std::size_t>(pieces.number);
  return number >= kFewest && pieces.bytes <= pieces.number * page_size() && hull.first >= 0 &&
         (writing || hull.end - hull.first >= kSmallestRead) &&
         pages_in(hull) <= number * kPagesOfPage;
}

// A mapping to write through asks for a descriptor that reads as well.
int readable_descriptor(const OpenFile& file) noexcept {
  char name[32];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file.descriptor);
  return open(name, O_RDWR | O_CLOEXEC);
}

}  // namespace

void Mapping::allow(bool reading, bool writing) noexcept {
  reads_ = reading;
  writes_ = writing;
}

bool Mapping::copies(const OpenFile& file, bool writing, const Pieces& pieces) noexcept {
  if (!(writing ? writes_ : reads_) || !worth_it(pieces, writing) || !guardable()) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  return turn && again(pieces.hull) && whole(file, pieces.hull);
}

bool Mapping::write(const OpenFile& file, std::span<const Extent> list) noexcept {
  if (!writes_ || !fits(list)) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn) return false;
  const Range hull = hull_of(list);
  const Pages own = pages_of(list);
  const bool dense =
      own.pages * kPiecesOfPage <= list.size() && own.runs * kPiecesOfRun <= list.size();
  const bool at_once =
      small(own, list) && again(hull) && close_together(own, hull) && whole(file, hull);
  if ((!at_once && !dense) || !reach(file, hull)) return false;
  const Outcome last = write_list(file, list.last(1));
  const auto ready = [&](Range run) { return populate(run, MADV_POPULATE_WRITE); };
  if (!last.failure.ok() || !(at_once ? ready(around(hull)) : each_run(list, ready))) return false;
  return guarded({memory_, kWindow}, [&] {
    for (const Extent& extent : list.first(list.size() - 1))
      copy_near(memory_ + (extent.offset - first_), extent.memory, extent.bytes);
  });
}

// A file that ends in the middle of a page has bytes in that page behind its end, and no fault says
// so: its size does.
bool Mapping::lend(const OpenFile& file, const Pieces& pieces, Look look, void* context) noexcept {
  const Range hull = pieces.hull;
  if (!reads_ || !worth_it(pieces, false) || !guardable()) return false;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn || !again(hull) || !whole(file, hull) || !reach(file, hull)) return false;
  if (!contains(present_, hull) && !present()) return false;
  const bool seen =
      guarded({memory_, kWindow}, [&] { look(memory_ + (hull.first - first_), context); });
  return seen && reaches(file, hull.end);
}

// Whether the range has been asked for before, and a mapping of all that was can stay.
bool Mapping::again(Range range) noexcept {
  if (contains(known_, range)) return true;
  known_ = joined(known_, range);
  if (range.end - range.first > kWindow) known_ = {0, 0};
  return false;
}

// Whether storage for all of the range is there already: no hole is in it, nor does the file end
// before. Looking for holes takes 0.2 us for each page of tmpfs, so what is known stays known until
// the file has less storage than before.
bool Mapping::whole(const OpenFile& file, Range range) noexcept {
  struct stat about;
  if (fstat(file.descriptor, &about) != 0) return false;
  if (about.st_blocks < blocks_) whole_ = present_ = {0, 0};
  blocks_ = about.st_blocks;
  if (about.st_size < range.end) return false;
  if (contains(whole_, range)) return true;
  const Range both = joined(whole_, range);
  if (no_hole(file, both)) return whole_ = both, true;
  if (!no_hole(file, range)) return false;
  whole_ = range;
  return true;
}

// The range lies in the mapping from now on.
bool Mapping::reach(const OpenFile& file, Range range) noexcept {
  if (memory_ != nullptr && contains({first_, first_ + kWindow}, range)) return true;
  release();
  first_ = around(range).first;
  if (range.end - first_ > kWindow) return false;
  const int access = PROT_READ | (writes_ ? PROT_WRITE : 0);
  void* memory = mmap(nullptr, kWindow, access, MAP_SHARED, file.descriptor, first_);
  if (memory == MAP_FAILED && errno == EACCES && writes_) {
    const int descriptor = readable_descriptor(file);
    if (descriptor >= 0) {
      memory = mmap(nullptr, kWindow, access, MAP_SHARED, descriptor, first_);
      (void)close(descriptor);
    }
  }
  if (memory == MAP_FAILED) {
    allow(false, false);
    return false;
  }
  memory_ = static_cast<std::byte*>(memory);
  return true;
}

// Linux before 5.14 cannot, a sandbox may not; pages that fault one by one cost more than calls.
bool Mapping::populate(Range range, int advice) noexcept {
  const auto bytes = static_cast<std::size_t>(range.end - range.first);
  while (madvise(memory_ + (range.first - first_), bytes, advice) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == EPERM || errno == ENOSYS) allow(false, false);
    return false;
  }
  return true;
}

// What is known to have no hole can be read through the mapping without a fault.
bool Mapping::present() noexcept {
  const Range range{std::max(whole_.first, first_), std::min(whole_.end, first_ + kWindow)};
  if (!populate(around(range), MADV_POPULATE_READ)) return false;
  present_ = range;
  return true;
}

void Mapping::release() noexcept {
  if (memory_ != nullptr) (void)munmap(memory_, kWindow);
  memory_ = nullptr;
  present_ = {0, 0};
}

}  // namespace tessera::io::posix
