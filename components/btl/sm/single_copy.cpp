// SPDX-License-Identifier: BSD-3-Clause
// Single copies between processes through the kernel.
#include "single_copy.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>

#include "tessera/peer.h"

namespace tessera::btl::sm {

static Status with_advice(Status status) noexcept {
  if (status.ok()) [[likely]]
    return status;
  char text[320];
  std::snprintf(text, sizeof text, "%s; set btl_sm_single_copy=none to copy through the ring instead",
                status.text());
  return Status::failure(status.code(), text);
}

Status read_process(std::int32_t pid, void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  return with_advice(read_memory(pid, local, remote, bytes));
}

Status write_process(std::int32_t pid, const void* local, std::uint64_t remote, std::size_t bytes) noexcept {
  return with_advice(write_memory(pid, local, remote, bytes));
}

// A failure is an answer here, and costs no text.
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
