// SPDX-License-Identifier: BSD-3-Clause
// Single copy between processes through the kernel.
#include "single_copy.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tessera::btl::sm {

namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // below the kernel's limit of one transfer

using Transfer = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

Status failure(const char* call, std::int32_t pid, std::uint64_t remote, std::size_t bytes,
               int error) noexcept {
  char text[320];
  std::snprintf(text, sizeof text,
                "%s of %zu bytes at address 0x%llx of process %d failed: %s; "
                "set btl_sm_single_copy=none to copy through the ring instead",
                call, bytes, static_cast<unsigned long long>(remote), pid, std::strerror(error));
  return Status::failure(error == ESRCH ? Errc::peer_failed : Errc::system, text);
}

// The kernel may stop early; a transfer that ends at an unmapped page fails when it is continued from there.
Status move(Transfer transfer, const char* call, std::int32_t pid, std::byte* local, std::uint64_t remote,
            std::size_t bytes) noexcept {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kAtOnce);
    const iovec here{local, part};
    const iovec there{reinterpret_cast<void*>(remote), part};  // NOLINT: an address of the other process
    const ssize_t done = transfer(pid, &here, 1, &there, 1, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failure(call, pid, remote, bytes, done < 0 ? errno : EFAULT);
    local += done;
    remote += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return {};
}

}  // namespace

Status read_process(std::int32_t pid, void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  return move(process_vm_readv, "process_vm_readv", pid, static_cast<std::byte*>(local), remote, bytes);
}

Status write_process(std::int32_t pid, const void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  auto* from = const_cast<std::byte*>(static_cast<const std::byte*>(local));  // iovec has no const form
  return move(process_vm_writev, "process_vm_writev", pid, from, remote, bytes);
}

bool can_read(std::int32_t pid, std::uint64_t address, std::uint64_t value) noexcept {
  std::uint64_t found = ~value;
  const iovec here{&found, sizeof found};
  const iovec there{reinterpret_cast<void*>(address),
                    sizeof found};  // NOLINT: an address of the other process
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == ssize_t{sizeof found} && found == value;
}

void admit_siblings() noexcept {
#ifdef PR_SET_PTRACER
  const pid_t parent = getppid();
  if (parent > 1) prctl(PR_SET_PTRACER, static_cast<unsigned long>(parent), 0, 0, 0);
#endif
}

}  // namespace tessera::btl::sm
