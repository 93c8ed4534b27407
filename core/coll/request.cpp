// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking or persistent collective operation.
#include "core/coll/request.h"

#include <cstdio>

#include "core/coll/guards.h"

namespace tessera::coll {

CollectiveRequest* CollectiveRequest::make(const Call& call, bool persistent,
                                           const Guards* guards) noexcept {
  const int tag = call.comm->next_collective_tag();
  return new (std::nothrow) CollectiveRequest(call, persistent, guards, tag);
}

CollectiveRequest::CollectiveRequest(const Call& call, bool persistent, const Guards* guards,
                                     int tag) noexcept
    : comm_(*call.comm),
      op_(call.op),
      guards_(guards),
      execution_(call, schedule_, tag),
      tag_(tag),
      root_(call.root),
      operation_(call.operation) {
  persistent_ = persistent;
}

CollectiveRequest::~CollectiveRequest() {
  if (!adopted_) return;
  each_type([](const Datatype& type) { type.drop(); });
  if (op_ != nullptr && !op_->predefined()) op_->release();
  comm_.release();
}

template <class Act>
void CollectiveRequest::each_type(Act act) noexcept {
  for (const Step& step : schedule_.steps()) {
    if (step.from.type != nullptr) act(*step.from.type);
    if (step.to.type != nullptr) act(*step.to.type);
  }
}

Status CollectiveRequest::adopt() noexcept {
  if (!schedule_.status()) return schedule_.status();
  const std::size_t bytes = schedule_.scratch_bytes();
  if (bytes > 0) scratch_.reset(new (std::nothrow) std::byte[bytes]);
  if (bytes > 0 && scratch_ == nullptr) {
    return Status::failure(Errc::no_memory,
                           "no memory for the intermediate results of a collective operation");
  }
  each_type([](const Datatype& type) { type.hold(); });
  if (op_ != nullptr && !op_->predefined()) op_->retain();
  comm_.retain();
  adopted_ = true;
  return {};
}

Status CollectiveRequest::start() noexcept {
  if (const Status prepared = execution_.prepare(scratch_.get()); !prepared) return prepared;
  begin();
  if (guards_ != nullptr) [[unlikely]]
    guards_->begin();
  execution_.start(&CollectiveRequest::completed, this);
  return {};
}

void CollectiveRequest::completed(void* self) noexcept {
  CollectiveRequest& request = *static_cast<CollectiveRequest*>(self);
  const Status outcome = request.execution_.status();
  if (request.guards_ == nullptr) [[likely]]
    return conclude(self, request.named(outcome));
  request.guards_->end();
  request.told_ = 0;
  if (outcome.ok()) return conclude(self, outcome);
  tell(self, outcome);
}

// The function that reports it is another one, and may wait for several.
Status CollectiveRequest::named(Status outcome) const noexcept {
  if (outcome.ok()) return outcome;
  char text[512];
  std::snprintf(text, sizeof text, "%s %s: %s", persistent_ ? "persistent" : "nonblocking",
                name(operation_), outcome.text());
  return Status::failure(outcome.code(), text);
}

// Each guard passes a failure on to the next one when it has nothing to add.
void CollectiveRequest::tell(void* self, Status outcome) noexcept {
  CollectiveRequest& request = *static_cast<CollectiveRequest*>(self);
  if (request.told_ == request.guards_->size()) return conclude(self, outcome);
  Guard& guard = (*request.guards_)[request.told_++];
  guard.postpone(&CollectiveRequest::tell, self, outcome);
}

void CollectiveRequest::conclude(void* self, Status outcome) noexcept {
  CollectiveRequest& request = *static_cast<CollectiveRequest*>(self);
  request.status_ = {};
  request.status_.error = outcome;
  const bool abandoned = request.abandoned_;
  request.finish();
  if (abandoned) request.release();
}

void CollectiveRequest::free() noexcept {
  if (complete()) {
    release();
  } else {
    abandoned_ = true;
  }
}

}  // namespace tessera::coll
