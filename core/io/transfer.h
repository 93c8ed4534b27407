// SPDX-License-Identifier: BSD-3-Clause
// An independent access: a range of a view's stream to or from memory, through a driver.
#pragma once
//
// Contract. A Transfer has all it needs, and keeps it alive: run() may be called on any thread,
// also when the file has got another view meanwhile. It transfers in the order of the stream and
// stops at the end of the file or at the first failure. Writing touches the bytes of the view and
// no other; reading may read what lies between small pieces, where that is cheaper than a call per
// piece. Memory that a driver lends is copied once.
//
#include <memory>
#include <mutex>

#include "core/io/view.h"

namespace tessera::io {

// (buffer, count, type), or bytes in a row.
struct Memory {
  TypeRef type;
  std::byte* buffer = nullptr;
  Count count = 0;
};

struct Transfer {
  Outcome run() const noexcept;

  Driver* driver = nullptr;
  std::shared_ptr<const View> view;
  Memory memory;
  Offset position = 0;  // in the stream
  Offset bytes = 0;
  bool writing = false;
  Offset sieve_buffer = 0;      // bytes read at once between small pieces; 0: never
  std::mutex* alone = nullptr;  // held during the access: no other one of this process runs
  bool locked = false;          // atomic mode: a lock of the driver around the access as a whole

 private:
  Outcome run_unlocked() const noexcept;
  Outcome staged() const noexcept;
  Outcome move(std::byte* data, Offset position, Offset bytes) const noexcept;
  Outcome list_access(std::byte* data, Offset position, Offset bytes) const noexcept;
  bool lent(std::byte* data, Offset position, Offset bytes) const noexcept;
  bool sieves(Offset position, Offset bytes) const noexcept;
  Outcome sieve(std::byte* data, Offset position, Offset bytes) const noexcept;
};

}  // namespace tessera::io
