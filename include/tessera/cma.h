// SPDX-License-Identifier: BSD-3-Clause
// Whether processes of one machine may copy directly between their memories (CMA), and what to say
// when a copy fails.
#pragma once
//
// Contract. read_memory() and write_memory() (peer.h) work where the kernel lets them: a container
// may forbid the system calls, Yama lets none but ancestors in, and the number of a process in
// another namespace may be that of a stranger here. So processes try before they rely on it. Each
// one places a probe, a word of its own memory, and tells the others where it lies and what it
// holds; these read it. A refusal is an answer and no failure, so it has no text.
//
#include <cstdio>

#include "tessera/peer.h"

namespace tessera {

struct CmaProbe {
  std::uint64_t address = 0;
  std::uint64_t value = 0;
};

// Draws a value that no other process holds by chance into `word`, which lives until the others
// have tried.
CmaProbe place_probe(std::uint64_t& word) noexcept;

// 0 where this process may read the memory of process `pid` and the probe is there; else the error
// number, EFAULT where something else is there.
int try_probe(std::int32_t pid, const CmaProbe& probe) noexcept;

// Lets the descendants of process `ancestor` in where the kernel restricts tracing (Yama).
void admit_descendants(std::int32_t ancestor) noexcept;

// What a copy ended with; the text of a failure says behind it what to do.
inline Status with_advice(Status copied, const char* advice) noexcept {
  if (copied.ok()) [[likely]]
    return copied;
  char text[320];
  std::snprintf(text, sizeof text, "%s; %s", copied.text(), advice);
  return Status::failure(copied.code(), text);
}

}  // namespace tessera
