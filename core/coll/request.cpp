// SPDX-License-Identifier: BSD-3-Clause
// A nonblocking or persistent collective operation.
#include "core/coll/request.h"

#include <cstdio>
#include <utility>

#include "core/coll/guards.h"

namespace tessera::coll {

CollectiveRequest* RequestPool::take(const Call& call, bool persistent,
                                     const Guards* guards) noexcept {
  std::unique_ptr<CollectiveRequest> request = std::move(first_);
  if (request != nullptr) {
    first_ = std::move(request->next_);
    --kept_;
  } else {
    request.reset(new (std::nothrow) CollectiveRequest(*this));
    if (request == nullptr) return nullptr;
  }
  request->prepare(call, persistent, guards);
  return request.release();
}

// One that has memory beside its own goes.
void RequestPool::give(CollectiveRequest& request) noexcept {
  std::unique_ptr<CollectiveRequest> given(&request);
  if (kept_ == kKept || given->schedule_.steps().size() > Schedule::kInline) return;
  given->next_ = std::move(first_);
  first_ = std::move(given);
  ++kept_;
}

void CollectiveRequest::prepare(const Call& call, bool persistent, const Guards* guards) noexcept {
  constexpr std::uint32_t one_life = kLives & ~(kLives << 1);
  life_ = (life_ + one_life) & kLives;
  renew(persistent);
  revive(static_cast<ObjectKind>(static_cast<std::uint32_t>(ObjectKind::request) | life_));
  comm_ = call.comm;
  op_ = call.op;
  guards_ = guards;
  told_ = 0;
  tag_ = call.comm->next_collective_tag();
  root_ = call.root;
  operation_ = call.operation;
  adopted_ = abandoned_ = holds_types_ = false;
  types_ = {};
  schedule_.clear();
  execution_.emplace(call, schedule_, tag_);
}

template <class Act>
void CollectiveRequest::each_type(Act act) noexcept {
  for (const Step& step : schedule_.steps()) {
    if (step.from.type != nullptr) act(*step.from.type);
    if (step.to.type != nullptr) act(*step.to.type);
  }
  for (const Datatype* type : types_) {
    if (type != nullptr) act(*type);
  }
}

// The communicator, and with it the pool, may go with this holder.
void CollectiveRequest::recycle() noexcept {
  Communicator& comm = *comm_;
  const bool adopted = adopted_;
  if (holds_types_) each_type([](const Datatype& type) { type.drop(); });
  if (adopted && op_ != nullptr && !op_->predefined()) op_->release();
  scratch_.reset();
  retire();
  pool_.give(*this);
  if (adopted) comm.release();
}

void CollectiveRequest::dispose() const noexcept {
  const_cast<CollectiveRequest*>(this)->recycle();
}

Status CollectiveRequest::adopt() noexcept {
  if (!schedule_.status()) return schedule_.status();
  const std::size_t bytes = schedule_.scratch_bytes();
  if (bytes > 0) scratch_.reset(new (std::nothrow) std::byte[bytes]);
  if (bytes > 0 && scratch_ == nullptr) {
    return Status::failure(Errc::no_memory,
                           "no memory for the intermediate results of a collective operation");
  }
  retain_all();
  return {};
}

void CollectiveRequest::retain_all() noexcept {
  each_type([this](const Datatype& type) {
    type.hold();
    holds_types_ |= !type.predefined();
  });
  if (op_ != nullptr && !op_->predefined()) op_->retain();
  comm_->retain();
  adopted_ = true;
}

Status CollectiveRequest::start() noexcept {
  if (const Status prepared = execution_->prepare(scratch_.get()); !prepared) return prepared;
  begin();
  if (guards_ != nullptr) [[unlikely]]
    guards_->begin();
  execution_->start(&CollectiveRequest::completed, this);
  return {};
}

// It may have ended before start() returns.
Status CollectiveRequest::start_by(Module& module, const Call& call) noexcept {
  begin();
  if (guards_ != nullptr) [[unlikely]]
    guards_->begin();
  const Status started = module.start(call, &CollectiveRequest::ended, this);
  if (started.ok()) {
    types_ = {call.send.type, call.receive.type};
    retain_all();
    return {};
  }
  if (guards_ != nullptr) [[unlikely]]
    guards_->end();
  status_ = {};
  finish();
  deactivate();
  return started;
}

void CollectiveRequest::completed(void* self) noexcept {
  ended(self, static_cast<CollectiveRequest*>(self)->execution_->status());
}

void CollectiveRequest::ended(void* self, Status outcome) noexcept {
  CollectiveRequest& request = *static_cast<CollectiveRequest*>(self);
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
