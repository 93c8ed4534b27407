// SPDX-License-Identifier: BSD-3-Clause
// What the program has made and not freed yet: Ledger.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "check/call.h"

namespace tessera::check {

// Any thread may use it.
class Ledger {
 public:
  void made(Kind kind, std::uintptr_t value, const Site& site);
  // What is not known was made before MPI_Init, or by another tool.
  void freed(Kind kind, std::uintptr_t value);
  std::size_t count_of(Kind kind) const;  // of different handles

  // "2 communicators from MPI_Comm_dup at heat.c:12 (main) were never freed; ...": one line for
  // each place and kind, in the order of the kinds. Nothing is known of these from then on.
  std::vector<std::string> take_lines();

 private:
  using Key = std::pair<Kind, std::uintptr_t>;
  mutable std::mutex mutex_;
  std::map<Key, std::vector<Site>> kept_;  // a handle may be given several times
};

}  // namespace tessera::check
