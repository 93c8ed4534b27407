// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing another process's memory with one copy: process_vm_readv(2), process_vm_writev(2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/status.h"

namespace tessera::btl::sm {

// Copies `bytes` bytes from/to address `remote` of process `pid`; whole or a failure (then any part may be done).
// peer_failed: no such process; system: the kernel refused (the text says how to do without), or a bad address.
Status read_process(std::int32_t pid, void* local, std::uint64_t remote, std::size_t bytes) noexcept;
Status write_process(std::int32_t pid, const void* local, std::uint64_t remote, std::size_t bytes) noexcept;

// Whether this process may read the word at `address` of `pid`, and finds `value` there. Silent.
bool can_read(std::int32_t pid, std::uint64_t address, std::uint64_t value) noexcept;

// Where the kernel restricts tracing to ancestors (Yama), lets the processes that share our parent in.
void admit_siblings() noexcept;

}  // namespace tessera::btl::sm
