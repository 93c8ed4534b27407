// SPDX-License-Identifier: BSD-3-Clause
// Two-phase access: its messages.
#include "core/datatype/predefined.h"
#include "core/io/two_phase.h"
#include "tessera/pml.h"

namespace tessera::io {

void TwoPhase::send(int rank, int tag, const void* data, std::size_t bytes) noexcept {
  auto request =
      comm_.pml().isend({data, static_cast<Count>(bytes), &byte_type(), &comm_.peer(rank),
                         comm_.rank(), tag, comm_.context(), pml::Mode::standard});
  if (request.ok()) {
    pending_.push_back(*request);
  } else {
    note(request.status());
  }
}

void TwoPhase::receive(int rank, int tag, void* data, std::size_t bytes) noexcept {
  auto request = comm_.pml().irecv({data, static_cast<Count>(bytes), &byte_type(),
                                    &comm_.peer(rank), rank, tag, comm_.context()});
  if (request.ok()) {
    pending_.push_back(*request);
  } else {
    note(request.status());
  }
}

void TwoPhase::wait() noexcept {
  for (Request* request : pending_) {
    comm_.progress().wait_until([&] { return request->complete(); });
    note(request->error());
    request->free();
  }
  pending_.clear();
}

}  // namespace tessera::io
