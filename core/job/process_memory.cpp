// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the memory of another process of the machine through the kernel, with one
// copy; trying whether it is permitted.
#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tessera/clock.h"
#include "tessera/cma.h"
#include "tessera/copy.h"

namespace tessera {
namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // below the kernel's limit of one transfer

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                             unsigned long);

Status failure(const char* call, std::int32_t pid, std::uint64_t theirs, std::size_t bytes,
               int error) noexcept {
  char text[256];
  std::snprintf(text, sizeof text, "%s of %zu bytes at address 0x%llx of process %d failed: %s",
                call, bytes, static_cast<unsigned long long>(theirs), pid, std::strerror(error));
  return Status::failure(error == ESRCH ? Errc::peer_failed : Errc::system, text);
}

// The kernel may stop early; a transfer that ends at an unmapped page fails when it is continued
// from there.
Status move(Transfer transfer, const char* call, std::int32_t pid, std::byte* mine,
            std::uint64_t theirs, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kAtOnce);
    const iovec here{mine, part};
    const iovec there{reinterpret_cast<void*>(theirs),
                      part};  // NOLINT: an address of the other process
    const ssize_t done = transfer(pid, &here, 1, &there, 1, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failure(call, pid, theirs, bytes, done < 0 ? errno : EFAULT);
    mine += done;
    theirs += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return {};
}

// Not inline: the buffer takes 64 KiB of the stack.
template <class Body>
[[gnu::noinline]] Status through_bounce_buffer(std::uint64_t theirs, std::size_t bytes,
                                               Body body) noexcept {
  BounceBuffer bounce(theirs);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(bytes - done, BounceBuffer::kBytes);
    if (Status s = body(bounce.start(), done, part); !s) return s;
    done += part;
  }
  return {};
}

Status read_at_once(std::int32_t pid, std::byte* mine, std::uint64_t theirs,
                    std::size_t bytes) noexcept {
  return move(process_vm_readv, "process_vm_readv", pid, mine, theirs, bytes);
}
Status write_at_once(std::int32_t pid, std::byte* mine, std::uint64_t theirs,
                     std::size_t bytes) noexcept {
  return move(process_vm_writev, "process_vm_writev", pid, mine, theirs, bytes);
}

const void* as_address(std::uint64_t theirs) noexcept {
  return reinterpret_cast<const void*>(theirs);  // NOLINT: an address of the other process
}

}  // namespace

Status read_memory(std::int32_t pid, void* mine, std::uint64_t theirs, std::size_t bytes) noexcept {
  static_cast<void>(caches_for(mine, bytes));  // the kernel copies through the caches in any case
  auto* to = static_cast<std::byte*>(mine);
  if (!kernel_copy_stalls(to, as_address(theirs), bytes)) [[likely]]
    return read_at_once(pid, to, theirs, bytes);
  return through_bounce_buffer(
      theirs, bytes, [&](std::byte* piece, std::size_t at, std::size_t part) noexcept -> Status {
        if (Status s = read_at_once(pid, piece, theirs + at, part); !s) return s;
        copy_near(to + at, piece, part);
        return {};
      });
}

Status write_memory(std::int32_t pid, const void* mine, std::uint64_t theirs,
                    std::size_t bytes) noexcept {
  auto* from =
      const_cast<std::byte*>(static_cast<const std::byte*>(mine));  // iovec has no const form
  if (!kernel_copy_stalls(as_address(theirs), from, bytes)) [[likely]]
    return write_at_once(pid, from, theirs, bytes);
  return through_bounce_buffer(
      theirs, bytes, [&](std::byte* piece, std::size_t at, std::size_t part) noexcept -> Status {
        copy_near(piece, from + at, part);
        return write_at_once(pid, piece, theirs + at, part);
      });
}

CmaProbe place_probe(std::uint64_t& word) noexcept {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // an odd number: the golden ratio
  const auto address = reinterpret_cast<std::uintptr_t>(&word);
  word = (now_ns() ^ address) * kSpread;
  return {address, word};
}

int try_probe(std::int32_t pid, const CmaProbe& probe) noexcept {
  std::uint64_t found = ~probe.value;
  const iovec here{&found, sizeof found};
  const iovec there{reinterpret_cast<void*>(probe.address),
                    sizeof found};  // NOLINT: an address of the other process
  const ssize_t done = process_vm_readv(pid, &here, 1, &there, 1, 0);
  if (done < 0) return errno;
  return done == ssize_t{sizeof found} && found == probe.value ? 0 : EFAULT;
}

void admit_descendants(std::int32_t ancestor) noexcept {
#ifdef PR_SET_PTRACER
  prctl(PR_SET_PTRACER, static_cast<unsigned long>(ancestor), 0, 0, 0);
#endif
}

}  // namespace tessera
