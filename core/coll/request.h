// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking or persistent collective operation: CollectiveRequest.
#pragma once

#include <memory>

#include "core/coll/execution.h"
#include "core/object/freed_objects.h"

namespace tessera::coll {

class Guards;

// Holds communicator, op and datatypes until it is deleted: after completion, once the handle was
// given up. Persistent operations keep schedule and tag; successive activations of one are kept
// apart by message order.
class CollectiveRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  // `schedule()` is to be filled for `call` before activate(). Null when out of memory. `guards`
  // may be null.
  static CollectiveRequest* make(const Call& call, bool persistent, const Guards* guards) noexcept;

  // For whoever explains a hang.
  Communicator& comm() const noexcept { return comm_; }
  Operation operation() const noexcept { return operation_; }
  int root() const noexcept { return root_; }
  int tag() const noexcept { return tag_; }

  Schedule& schedule() noexcept { return schedule_; }
  // After emission: takes what the schedule refers to. The request is inactive then.
  Status adopt() noexcept;

  Status start() noexcept override;
  void free() noexcept override;

 private:
  CollectiveRequest(const Call& call, bool persistent, const Guards* guards, int tag) noexcept;
  ~CollectiveRequest() override;
  static void completed(void* self) noexcept;
  static void tell(void* self, Status outcome) noexcept;
  static void conclude(void* self, Status outcome) noexcept;
  Status named(Status outcome) const noexcept;
  template <class Act>
  void each_type(Act act) noexcept;

  Communicator& comm_;
  const Op* op_;
  const Guards* guards_;
  std::size_t told_ = 0;  // guards that have heard of the failure
  Schedule schedule_;
  Execution execution_;
  std::unique_ptr<std::byte[]> scratch_;
  int tag_;
  int root_;
  Operation operation_;
  bool adopted_ = false;
  bool abandoned_ = false;  // the handle is gone
};

}  // namespace tessera::coll
