// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking or persistent collective operation, CollectiveRequest, and where it comes from.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "core/coll/execution.h"
#include "core/object/freed_objects.h"

namespace tessera::coll {

class Guards;
class RequestPool;

// Holds communicator, op and datatypes from adopt() until it is given up: after completion, once
// the handle was. Persistent operations keep schedule and tag; successive activations of one are
// kept apart by message order.
class CollectiveRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }

  // For whoever explains a hang.
  Communicator& comm() const noexcept { return *comm_; }
  Operation operation() const noexcept { return operation_; }
  int root() const noexcept { return root_; }
  int tag() const noexcept { return tag_; }

  // Empty, to be filled for the call before adopt().
  Schedule& schedule() noexcept { return schedule_; }
  // After emission: takes what the schedule refers to. The request is inactive then.
  Status adopt() noexcept;

  Status start() noexcept override;
  // In place of a schedule: the module begins the call, if it has a way of its own.
  Status start_by(Module& module, const Call& call) noexcept;
  void free() noexcept override;

 private:
  friend class RequestPool;

  explicit CollectiveRequest(RequestPool& pool) noexcept : pool_(pool) { retire(); }
  void prepare(const Call& call, bool persistent, const Guards* guards) noexcept;
  void dispose() const noexcept override;
  void recycle() noexcept;
  void retain_all() noexcept;
  static void completed(void* self) noexcept;
  static void ended(void* self, Status outcome) noexcept;
  static void tell(void* self, Status outcome) noexcept;
  static void conclude(void* self, Status outcome) noexcept;
  Status named(Status outcome) const noexcept;
  template <class Act>
  void each_type(Act act) noexcept;

  RequestPool& pool_;
  std::unique_ptr<CollectiveRequest> next_;  // in the pool
  std::uint32_t life_ = 0;                   // as it stands in the kind (freed_objects.h)
  Communicator* comm_ = nullptr;
  const Op* op_ = nullptr;
  const Guards* guards_ = nullptr;
  std::size_t told_ = 0;  // guards that have heard of the failure
  std::unique_ptr<std::byte[]> scratch_;
  int tag_ = 0;
  int root_ = 0;
  Operation operation_{};
  bool adopted_ = false;
  bool abandoned_ = false;  // the handle is gone
  bool holds_types_ = false;
  std::array<const Datatype*, 2> types_{};  // of a call without a schedule
  std::optional<Execution> execution_;
  Schedule schedule_;
};

// The requests of one communicator between their lives. They take kilobytes: the next operation
// gets the last one, while it is in the cache.
class RequestPool {
 public:
  // For the call. Null when out of memory. `guards` may be null.
  CollectiveRequest* take(const Call& call, bool persistent, const Guards* guards) noexcept;

 private:
  friend class CollectiveRequest;
  static constexpr int kKept = 8;  // more at once take new memory
  void give(CollectiveRequest& request) noexcept;

  std::unique_ptr<CollectiveRequest> first_;
  int kept_ = 0;
};

}  // namespace tessera::coll
