// SPDX-License-Identifier: BSD-3-Clause
// From where the program has sent, where libtessera-check.so notes it (mpiexec --check).
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>

#include "core/engine/instance.h"
#include "core/progress/wait_reporter.h"

namespace tessera {
namespace {

// check/sends.h
using LatestSend = int (*)(int index, MPI_Comm* comm, int* dest, int* tag, const void** caller);

// Handles are the addresses of communicators, which may be gone: they are compared with those that
// are known, and never followed.
const Communicator* find(MPI_Comm handle, const Instance& instance,
                         std::span<const Communicator* const> known) noexcept {
  if (handle == MPI_COMM_WORLD) return &instance.world();
  const auto same = [handle](const Communicator* comm) {
    return static_cast<const void*>(static_cast<const Object*>(comm)) ==
           reinterpret_cast<const void*>(handle);
  };
  const auto found = std::find_if(known.begin(), known.end(), same);
  return found != known.end() ? *found : nullptr;
}

}  // namespace

void write_sends(const Instance& instance, std::span<const Communicator* const> known,
                 std::span<char> text) noexcept {
  const auto latest = reinterpret_cast<LatestSend>(dlsym(RTLD_DEFAULT, "tessera_check_send"));
  std::size_t used = 0;
  text[0] = 0;
  MPI_Comm handle = MPI_COMM_NULL;
  int dest = 0, tag = 0;
  const void* caller = nullptr;
  for (int i = 0; latest != nullptr && latest(i, &handle, &dest, &tag, &caller) != 0; ++i) {
    const Communicator* const comm = find(handle, instance, known);
    if (comm == nullptr || dest >= comm->remote_size()) continue;
    const Peer& peer = comm->peer(dest);
    if (peer.name.job != instance.me().name.job) continue;
    const std::span rest = text.subspan(used);
    const int envelope = std::snprintf(rest.data(), rest.size(), "%u\t%d\t%llu\t", peer.name.index,
                                       tag, static_cast<unsigned long long>(comm->context()));
    const auto begin = static_cast<std::size_t>(envelope);
    const std::size_t length = begin < rest.size() ? write_place(caller, rest.subspan(begin)) : 0;
    rest[length > 0 ? begin + length : 0] = 0;
    if (length == 0) return;
    used += begin + length;
  }
}

}  // namespace tessera
