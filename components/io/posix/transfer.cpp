// SPDX-License-Identifier: BSD-3-Clause
// Lists of extents through preadv(2) and pwritev(2).
#include "transfer.h"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "system_error.h"
#include "tessera/copy.h"

namespace tessera::io::posix {
namespace {

constexpr std::size_t kPieces = 256;             // of one call; the kernel takes 1024
constexpr std::size_t kMostBytes = 0x4000'0000;  // of one call; Linux moves 0x7ffff000 at most

// What one system call transfers: pieces of memory for one place in the file.
struct Batch {
  iovec pieces[kPieces];
  int count = 0;
  Offset offset = 0;
};

// A position in a list of extents.
class Place {
 public:
  explicit Place(std::span<const Extent> list) noexcept : list_(list) {}
  bool at_end() const noexcept { return index_ == list_.size(); }
  Offset offset() const noexcept { return list_[index_].offset + static_cast<Offset>(within_); }
  void advance(std::size_t bytes) noexcept {
    while (bytes > 0) {
      const std::size_t left = list_[index_].bytes - within_;
      if (bytes < left) {
        within_ += bytes;
        return;
      }
      bytes -= left;
      within_ = 0;
      ++index_;
    }
  }
  // What lies next to each other in the file from here on; the bytes in it.
  std::size_t fill(Batch& batch, bool positioned) const noexcept {
    batch.count = 0;
    batch.offset = offset();
    Offset next = batch.offset;
    std::size_t bytes = 0, within = within_;
    for (std::size_t i = index_; i < list_.size(); ++i, within = 0) {
      const Extent& extent = list_[i];
      if (positioned && extent.offset + static_cast<Offset>(within) != next) break;
      if (static_cast<std::size_t>(batch.count) == kPieces || bytes == kMostBytes) break;
      const std::size_t n = std::min(extent.bytes - within, kMostBytes - bytes);
      batch.pieces[batch.count++] = {extent.memory + within, n};
      bytes += n;
      next += static_cast<Offset>(n);
    }
    return bytes;
  }

 private:
  std::span<const Extent> list_;
  std::size_t index_ = 0;
  std::size_t within_ = 0;
};

// Where in its page the data lies in the page cache: as in the file.
const void* in_page_cache(Offset offset) noexcept {
  return reinterpret_cast<const void*>(offset);  // NOLINT: as string_copy_stalls() compares it
}

// Transfers a piece, or its beginning, through a bounce buffer. Not inline: the buffer takes 64 KiB
// of the stack.
[[gnu::noinline]] ssize_t read_through_bounce(int descriptor, const iovec& piece,
                                              Offset offset) noexcept {
  BounceBuffer bounce(static_cast<std::uint64_t>(offset));
  const std::size_t bytes = std::min(piece.iov_len, BounceBuffer::kBytes);
  const ssize_t done = pread(descriptor, bounce.start(), bytes, offset);
  if (done > 0) copy_near(piece.iov_base, bounce.start(), static_cast<std::size_t>(done));
  return done;
}

[[gnu::noinline]] ssize_t write_through_bounce(int descriptor, const iovec& piece,
                                               Offset offset) noexcept {
  BounceBuffer bounce(static_cast<std::uint64_t>(offset));
  const std::size_t bytes = std::min(piece.iov_len, BounceBuffer::kBytes);
  copy_near(bounce.start(), piece.iov_base, bytes);
  return pwrite(descriptor, bounce.start(), bytes, offset);
}

ssize_t read_call(const OpenFile& file, const Batch& batch) noexcept {
  if (!file.positioned) return readv(file.descriptor, batch.pieces, batch.count);
  if (batch.count > 1) return preadv(file.descriptor, batch.pieces, batch.count, batch.offset);
  const iovec& piece = batch.pieces[0];
  if (kernel_copy_stalls(piece.iov_base, in_page_cache(batch.offset), piece.iov_len))
    return read_through_bounce(file.descriptor, piece, batch.offset);
  return pread(file.descriptor, piece.iov_base, piece.iov_len, batch.offset);
}

ssize_t write_call(const OpenFile& file, const Batch& batch) noexcept {
  if (!file.positioned) return writev(file.descriptor, batch.pieces, batch.count);
  if (batch.count > 1) return pwritev(file.descriptor, batch.pieces, batch.count, batch.offset);
  const iovec& piece = batch.pieces[0];
  if (kernel_copy_stalls(in_page_cache(batch.offset), piece.iov_base, piece.iov_len))
    return write_through_bounce(file.descriptor, piece, batch.offset);
  return pwrite(file.descriptor, piece.iov_base, piece.iov_len, batch.offset);
}

// Whether the call may be repeated after this errno.
bool repeatable(const OpenFile& file, bool writing, int error) noexcept {
  if (error == EINTR) return true;
  if (error != EAGAIN || file.positioned) return false;
  pollfd ready{file.descriptor, static_cast<short>(writing ? POLLOUT : POLLIN), 0};
  return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

template <class Call>
Outcome run(const OpenFile& file, std::span<const Extent> list, bool writing, const char* name,
            Call call) noexcept {
  Outcome outcome;
  Batch batch;
  for (Place place(list); !place.at_end();) {
    place.fill(batch, file.positioned);
    const ssize_t done = call(file, batch);
    if (done < 0) {
      if (repeatable(file, writing, errno)) continue;
      outcome.failure = system_failure(name, file.path, file.positioned ? batch.offset : -1, errno);
      return outcome;
    }
    if (done == 0 && writing) {
      outcome.failure = system_failure(name, file.path, batch.offset, ENOSPC);
      return outcome;
    }
    if (done == 0) return outcome;
    outcome.bytes += done;
    place.advance(static_cast<std::size_t>(done));
  }
  return outcome;
}

}  // namespace

Outcome read_list(const OpenFile& file, std::span<const Extent> list) noexcept {
  return run(file, list, false, "read", read_call);
}

Outcome write_list(const OpenFile& file, std::span<const Extent> list) noexcept {
  return run(file, list, true, "write", write_call);
}

}  // namespace tessera::io::posix
