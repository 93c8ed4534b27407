// SPDX-License-Identifier: BSD-3-Clause
// Lists of blocks for the kernel. A list of small blocks here goes through a buffer first: the
// kernel needs as long for a block as for some hundred bytes.
#include "foreign.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace tessera::osc::sm {
namespace {

constexpr std::size_t kBlocks = 256;                 // per call; the kernel takes up to 1,024
constexpr std::size_t kMost = std::size_t{1} << 30;  // bytes per call
// Measured: docs/decisions/0065.
constexpr std::size_t kPiece = 64 * 1024;

Status failure(Direction direction, std::int32_t pid, std::size_t bytes, int error) noexcept {
  char text[200];
  std::snprintf(text, sizeof text, "%s %zu bytes of the memory of process %d failed: %s",
                direction == Direction::write ? "writing" : "reading", bytes, pid,
                std::strerror(error));
  const Errc code = error == ESRCH    ? Errc::peer_failed
                    : error == EFAULT ? Errc::argument
                                      : Errc::system;
  return Status::failure(code, text);
}

// The next blocks of a cursor, at most `bytes` bytes of them; advances it.
struct Blocks {
  iovec list[kBlocks];
  std::size_t count = 0;
  std::size_t bytes = 0;

  void take(PackCursor& cursor, std::size_t most) noexcept {
    count = bytes = 0;
    while (count < kBlocks && bytes < most && cursor.remaining() > 0) {
      const auto run = cursor.run();
      const std::size_t n = std::min(run.size(), most - bytes);
      list[count++] = {run.data(), n};
      bytes += n;
      cursor.seek(cursor.position() + n);
    }
  }
};

Status call(Direction direction, std::int32_t pid, std::byte* here, Blocks& there) noexcept {
  iovec* next = there.list;
  std::size_t left = there.bytes;
  while (left > 0) {
    const iovec mine{here, left};
    const auto n = static_cast<unsigned long>(there.list + there.count - next);
    const ssize_t done = direction == Direction::write
                             ? process_vm_writev(pid, &mine, 1, next, n, 0)
                             : process_vm_readv(pid, &mine, 1, next, n, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failure(direction, pid, left, done < 0 ? errno : EFAULT);
    here += done;
    left -= static_cast<std::size_t>(done);
    for (auto skip = static_cast<std::size_t>(done); skip > 0;) {
      const std::size_t part = std::min(skip, next->iov_len);
      next->iov_base = static_cast<std::byte*>(next->iov_base) + part;
      next->iov_len -= part;
      skip -= part;
      if (next->iov_len == 0) ++next;
    }
  }
  return {};
}

}  // namespace

Status move_foreign(Direction direction, std::int32_t pid, const Layout& here,
                    const Layout& there) noexcept {
  PackCursor far(*there.type, there.buffer, there.count);
  PackCursor near(*here.type, here.buffer, here.count);
  const bool contiguous = here.type->contiguous();
  alignas(64) std::byte piece[kPiece];
  Blocks blocks;
  while (far.remaining() > 0) {
    blocks.take(far, contiguous ? kMost : kPiece);
    std::byte* const data =
        contiguous ? static_cast<std::byte*>(here.buffer) + near.position() : piece;
    if (!contiguous && direction == Direction::write) near.pack(piece, blocks.bytes);
    if (Status s = call(direction, pid, data, blocks); !s) return s;
    if (!contiguous && direction == Direction::read) near.unpack(piece, blocks.bytes);
    if (contiguous) near.seek(near.position() + blocks.bytes);
  }
  return {};
}

}  // namespace tessera::osc::sm
