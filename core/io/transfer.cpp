// SPDX-License-Identifier: BSD-3-Clause
// Independent access: lists of extents, staging of scattered memory, reading between small pieces.
#include "core/io/transfer.h"

#include <array>
#include <cstring>
#include <new>

#include "core/io/strips.h"
#include "tessera/data.h"

namespace tessera::io {
namespace {

constexpr Offset kStage = 1 << 20;      // bytes of scattered memory gathered at a time
constexpr std::size_t kExtents = 1024;  // handed to a driver at a time
// A system call costs about as much as copying so many bytes out of the page cache: 256 pieces of 4
// KiB with as much between them took 175 us by calls and 265 us through a buffer (tmpfs), of 1 KiB
// 457 and 283 us.
constexpr Offset kCallAsCopy = 4 << 10;
// At least one byte of so many that are read between pieces is wanted.
constexpr Offset kSparsestHull = 8;

Status no_memory(Offset bytes) noexcept {
  (void)bytes;
  return Status::failure(Errc::no_memory, "there is no memory for a buffer to transfer through");
}

// Extents on their way to a driver.
class List {
 public:
  List(Driver& driver, bool writing) noexcept : driver_(driver), writing_(writing) {}

  // False: the driver has stopped.
  bool add(Offset offset, std::byte* memory, Offset bytes) noexcept {
    const auto n = static_cast<std::size_t>(bytes);
    if (used_ > 0) {
      Extent& last = extents_[used_ - 1];
      if (last.offset + static_cast<Offset>(last.bytes) == offset &&
          last.memory + last.bytes == memory)
        return last.bytes += n, true;
    }
    if (used_ == kExtents && !flush()) return false;
    extents_[used_++] = {offset, memory, n};
    return true;
  }
  bool flush() noexcept {
    Offset wanted = 0;
    for (std::size_t i = 0; i < used_; ++i) wanted += static_cast<Offset>(extents_[i].bytes);
    const std::span<const Extent> list(extents_.data(), std::exchange(used_, 0));
    const Outcome done = writing_ ? driver_.write(list) : driver_.read(list);
    outcome_.bytes += done.bytes;
    outcome_.failure = done.failure;
    if (writing_ && done.bytes < wanted && done.failure.ok())
      outcome_.failure = Status::failure(kFileError, "the driver wrote less than it was given");
    return outcome_.failure.ok() && done.bytes == wanted;
  }
  const Outcome& outcome() const noexcept { return outcome_; }
  bool any() const noexcept { return used_ > 0; }

 private:
  Driver& driver_;
  bool writing_;
  std::size_t used_ = 0;
  Outcome outcome_;
  std::array<Extent, kExtents> extents_;
};

}  // namespace

Outcome Transfer::run() const noexcept {
  if (bytes == 0 || view->empty()) return {};
  std::unique_lock<std::mutex> turn;
  if (alone != nullptr) turn = std::unique_lock(*alone);
  if (!locked) return run_unlocked();
  const Range hull = view->hull(position, bytes);
  if (const Status held = driver->lock(hull, writing); !held.ok()) return {0, held};
  const Outcome outcome = run_unlocked();
  driver->unlock(hull);
  return outcome;
}

Outcome Transfer::run_unlocked() const noexcept {
  return memory.type->contiguous() ? move(memory.buffer, position, bytes) : staged();
}

Outcome Transfer::staged() const noexcept {
  const std::unique_ptr<std::byte[]> stage(
      new (std::nothrow) std::byte[static_cast<std::size_t>(std::min(kStage, bytes))]);
  if (!stage) return {0, no_memory(kStage)};
  PackCursor cursor(*memory.type, memory.buffer, memory.count);
  Outcome outcome;
  while (outcome.bytes < bytes) {
    const Offset n = std::min(kStage, bytes - outcome.bytes);
    if (writing) cursor.pack(stage.get(), static_cast<std::size_t>(n));
    const Outcome part = move(stage.get(), position + outcome.bytes, n);
    if (!writing) cursor.unpack(stage.get(), static_cast<std::size_t>(part.bytes));
    outcome.bytes += part.bytes;
    outcome.failure = part.failure;
    if (part.bytes < n) break;
  }
  return outcome;
}

Outcome Transfer::move(std::byte* data, Offset at, Offset n) const noexcept {
  if (view->contiguous()) {
    List list(*driver, writing);
    list.add(view->offset_of(at), data, n);
    list.flush();
    return list.outcome();
  }
  if (lent(data, at, n)) return {n, {}};
  return sieves(at, n) ? sieve(data, at, n) : list_access(data, at, n);
}

// Copied from where the driver has the file.
bool Transfer::lent(std::byte* data, Offset at, Offset n) const noexcept {
  if (writing || !view->ascending(at, n) || view->pieces(n) < 2) return false;
  struct Copy {
    const View& view;
    Offset at, n;
    std::byte* data;
  } copy{*view, at, n, data};
  const auto look = [](const std::byte* first, void* context) {
    const Copy& it = *static_cast<const Copy*>(context);
    it.view.copy_out(it.at, it.n, first, it.data);
  };
  return driver->lend({view->hull(at, n), n, view->pieces(n)}, look, &copy);
}

Outcome Transfer::list_access(std::byte* data, Offset at, Offset n) const noexcept {
  List list(*driver, writing);
  bool going = true;
  each_strip(*view, at, n, [&](const Strip& strip) {
    for (Count i = 0; i < strip.count && going; ++i, data += strip.bytes)
      going = list.add(strip.offset + i * strip.stride, data, strip.bytes);
    return going;
  });
  if (going && list.any()) list.flush();
  return list.outcome();
}

bool Transfer::sieves(Offset at, Offset n) const noexcept {
  if (writing || sieve_buffer == 0 || !view->ascending(at, n) || !driver->facts().positioned)
    return false;
  const Offset pieces = view->pieces(n);
  if (pieces < 2) return false;
  const Range hull{view->offset_of(at), view->offset_of(at + n - 1) + 1};
  // The bytes between are copied once more than by calls; the pieces twice, near the CPU.
  const Offset more = hull.end - hull.first - n + n / 2;
  return more / pieces < kCallAsCopy && (hull.end - hull.first) / kSparsestHull <= n;
}

Outcome Transfer::sieve(std::byte* data, Offset at, Offset n) const noexcept {
  const std::unique_ptr<std::byte[]> buffer(new (std::nothrow)
                                                std::byte[static_cast<std::size_t>(sieve_buffer)]);
  if (!buffer) return list_access(data, at, n);
  Outcome outcome;
  while (outcome.bytes < n) {
    const Offset from = at + outcome.bytes;
    const Offset first = view->offset_of(from);
    const Offset to = std::min(at + n, view->position_at(first + sieve_buffer));
    const Offset end = view->offset_of(to - 1) + 1;
    const Extent hull{first, buffer.get(), static_cast<std::size_t>(end - first)};
    const Outcome read = driver->read({&hull, 1});
    outcome.failure = read.failure;
    const Offset there = std::min(to, view->position_at(first + read.bytes));
    if (there > from) view->copy_out(from, there - from, buffer.get(), data);
    data += there - from;
    outcome.bytes += there - from;
    if (there < to || !read.failure.ok()) break;
  }
  return outcome;
}

}  // namespace tessera::io
