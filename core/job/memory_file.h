// SPDX-License-Identifier: BSD-3-Clause
// Files without a name that are memory: make_memory_file(), take_memory().
#pragma once
//
// Contract. Both work without the system calls that are made for them, memfd_create(2) and
// fallocate(2), which a container may deny (seccomp): the file is then one without a name in
// /dev/shm or /tmp, and memory is taken when it is first written to, so that a full file system
// ends a process by SIGBUS instead of an error here.
//
#include <cstdint>

namespace tessera {

// A descriptor, closed by exec(2); -1 and errno, if no way is open.
int make_memory_file(const char* name) noexcept;

// Lets the bytes of the file from `offset` on exist; those that are there keep their values. 0, or
// the error.
int take_memory(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept;

}  // namespace tessera
