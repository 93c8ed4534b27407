// SPDX-License-Identifier: BSD-3-Clause
// A short list in the order of use.
#include "check/sends.h"

#include <algorithm>

#include "check/checker.h"

namespace tessera::check {

void Sends::note(const One& send) noexcept {
  const std::lock_guard lock(mutex_);
  const auto begin = latest_.begin(), end = begin + static_cast<std::ptrdiff_t>(count_);
  auto at = std::find(begin, end, send);
  if (at == end && count_ < latest_.size()) ++count_;
  if (at == latest_.end()) --at;
  std::rotate(begin, at, at + 1);
  *begin = send;
}

bool Sends::get(int index, One& send) noexcept {
  const std::lock_guard lock(mutex_);
  const auto at = static_cast<std::size_t>(index);
  if (index < 0 || at >= count_) return false;
  send = latest_[at];
  return true;
}

void Call::sends(int dest, int tag, MPI_Comm comm) noexcept {
  if (dest >= 0) Checker::instance().sends.note({comm, dest, tag, site_.caller});
}

}  // namespace tessera::check

// Of the index-th latest send; 0: there are not so many. Called by the engine, which links nothing
// of this library.
extern "C" __attribute__((visibility("default"))) int tessera_check_send(int index, MPI_Comm* comm,
                                                                         int* dest, int* tag,
                                                                         const void** caller) {
  tessera::check::Sends::One send;
  if (!tessera::check::Checker::instance().sends.get(index, send)) return 0;
  *comm = send.comm;
  *dest = send.dest;
  *tag = send.tag;
  *caller = send.caller;
  return 1;
}
