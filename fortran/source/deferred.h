// SPDX-License-Identifier: BSD-3-Clause
// Packed copies of sections that wait for a request to complete.
#pragma once
//
// A nonblocking call on a section that no datatype describes leaves its copies here, under the
// number of its request. The completing calls of Fortran (requests.cpp) tell when a request starts,
// completes and is freed; copies are unpacked then. Calls of C that complete such a request do not
// pass here, so such a request must be completed from Fortran. Any thread may call.
//
#include <array>
#include <atomic>
#include <memory>

#include "fortran/source/section.h"

namespace tessera::fortran {

class Deferred {
 public:
  using Copies = std::array<std::unique_ptr<Packed>, 2>;

  static void add(Fint request, Copies copies, bool persistent);
  // False in programs that never needed a copy: all the others cost nothing then.
  static bool any() noexcept { return number_.load(std::memory_order_acquire) != 0; }
  static void start(Fint request);     // a persistent request: packs again
  static void complete(Fint request);  // unpacks; forgets the request unless it is persistent
  static void forget(Fint request);

 private:
  static std::atomic<int> number_;
};

}  // namespace tessera::fortran
