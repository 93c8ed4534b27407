// SPDX-License-Identifier: BSD-3-Clause
// An operation on a staging copy of the program's buffer, and the copying that belongs to it.
#pragma once
//
// Bindings of languages whose arrays need not be contiguous make it (MPIX_Request_stage), around an
// operation that they began on a contiguous copy. It takes the operation over and has its outcome,
// and its owner. `stage` runs before each start of a persistent operation; `unstage` runs when one
// has ended, on the thread that completes it and before anybody can see that it has; `release` runs
// once, with the request. None of them may fail or call MPI. A request that is freed while it is
// active goes on by itself, as all do.
//
#include "core/object/freed_objects.h"
#include "tessera/comm.h"

namespace tessera {

class StagedRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  struct Staging {
    void (*stage)(void* state);
    void (*unstage)(void* state);
    void (*release)(void* state);
    void* state;
  };

  // `operation` is active, or persistent and inactive.
  StagedRequest(Request& operation, const Staging& staging) noexcept;
  Request& operation() const noexcept { return operation_; }
  Status start() noexcept override;
  void cancel() noexcept override { operation_.cancel(); }
  void free() noexcept override { release(); }

 private:
  ~StagedRequest() override;
  void follow() noexcept;
  void conclude() noexcept;

  Request& operation_;
  Staging staging_;
};

}  // namespace tessera
