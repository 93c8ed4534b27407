// SPDX-License-Identifier: BSD-3-Clause
// One communicator's calls against those of the previous process of the ring.
#include "check.h"

#include <algorithm>
#include <cstddef>

namespace tessera::coll::check {

namespace {

constexpr int kTag = kGuardTags - 1;

}  // namespace

Check::Check(Checks& all, Communicator& comm)
    : all_(all), comm_(&comm), pml_(comm.pml()), context_(comm.collective_context()) {
  filling_ = &free_outgoing();
  find_neighbours(comm);
}

// What is still being sent outlives this object.
Check::~Check() {
  if (receiving_ != nullptr) receiving_->cancel();
  for (auto& out : outgoing_) {
    if (out->busy) static_cast<void>(out.release());
  }
}

// In an intercommunicator both groups are one ring, begun by the group whose first process is the
// first of the two.
void Check::find_neighbours(const Communicator& comm) {
  const bool local_first = !comm.inter() || comm.local_peer(0).name < comm.peer(0).name;
  const int places = comm.size() + (comm.inter() ? comm.remote_size() : 0);
  const int mine = local_first ? comm.rank() : comm.remote_size() + comm.rank();
  self_ = at_place(comm, mine, local_first);
  next_ = at_place(comm, (mine + 1) % places, local_first);
  previous_ = at_place(comm, (mine + places - 1) % places, local_first);
}

Check::Neighbour Check::at_place(const Communicator& comm, int place, bool local_first) noexcept {
  if (!comm.inter()) return {&comm.peer(place), place, place, Relation::intra};
  const int first = local_first ? comm.size() : comm.remote_size();
  const int rank = place < first ? place : place - first;
  if ((place < first) == local_first)
    return {&comm.local_peer(rank), comm.remote_size() + rank, rank, Relation::same_group};
  return {&comm.peer(rank), rank, rank, Relation::two_groups};
}

int Check::number_for(const Neighbour& other) const noexcept {
  return other.relation == Relation::two_groups ? self_.rank : self_.number;
}

// ---- what the previous process tells ----

void Check::listen() noexcept {
  while (!ended_) {
    auto started = pml_.irecv({&incoming_, sizeof incoming_, &all_.services_->byte(),
                               previous_.peer, previous_.number, kTag, context_});
    if (!started.ok()) {
      silent_ = ended_ = true;
    } else if (!(*started)->complete()) {
      receiving_ = *started;
      return receiving_->then(&Check::arrived, this);
    } else {
      take((*started)->status());
      (*started)->free();
    }
  }
}

void Check::arrived(Request& request, void* self) noexcept {
  Check& check = *static_cast<Check*>(self);
  check.receiving_ = nullptr;
  check.take(request.status());
  request.free();
  check.listen();
}

void Check::take(const MessageStatus& message) noexcept {
  if (!message.error.ok() || message.cancelled || incoming_.end == End::unknown) {
    silent_ = ended_ = true;
    return;
  }
  try {
    for (std::uint32_t i = 0; i < incoming_.count; ++i) hear(incoming_.records[i]);
  } catch (const std::bad_alloc&) {
    silent_ = true;
  }
  if (incoming_.end == End::yes) hear_end();
}

void Check::hear(const Record& theirs) {
  if (silent_) return;
  if (!mine_.empty()) {
    const Statement mine = mine_.front();
    mine_.pop_front();
    settle(theirs, mine);
  } else if (comm_ != nullptr) {
    theirs_.push_back(theirs);
  } else {
    mismatch(Difference::operation, &theirs, nullptr);
  }
}

void Check::hear_end() noexcept {
  ended_ = true;
  if (!mine_.empty()) mismatch(Difference::operation, nullptr, &mine_.front());
}

void Check::settle(const Record& theirs, const Statement& mine) noexcept {
  const Difference difference = compare(theirs, mine, previous_.relation);
  if (difference != Difference::none) return mismatch(difference, &theirs, &mine);
  ++compared_;
}

// ---- what this process tells ----

Status Check::enter(const Call& call, CallForm form) noexcept {
  return enter(statement_of(*all_.services_, call, form));
}

Status Check::enter(Making making, CallForm form) noexcept {
  return enter(statement_of(making, form));
}

Status Check::enter(const Statement& mine) noexcept {
  try {
    if (!silent_) note(mine);
  } catch (const std::bad_alloc&) {
    silent_ = true;
  }
  return failed_ ? verdict() : Status();
}

void Check::note(const Statement& mine) {
  Batch& batch = filling_->batch;
  batch.records[batch.count++] = mine.record;
  if (!watched_) watch();
  if (!theirs_.empty()) {
    const Record theirs = theirs_.front();
    theirs_.pop_front();
    settle(theirs, mine);
  } else if (ended_) {
    mismatch(Difference::operation, nullptr, &mine);
  } else {
    mine_.push_back(mine);
  }
  if (batch.count < kBatch) return;
  flush();
  all_.progress_->poll();  // operations in shared memory look for no messages
}

// The next message is filled elsewhere from here on: sending may call this object.
void Check::flush(End end) noexcept {
  Outgoing& out = *filling_;
  if (out.batch.count == 0 && end == End::no) return;
  out.busy = true;
  out.batch.end = end;
  try {
    filling_ = &free_outgoing();
  } catch (const std::bad_alloc&) {
    out.busy = false;
    out.batch.count = 0;
    silent_ = true;
    return;
  }
  ++flushes_;
  const std::size_t bytes = offsetof(Batch, records) + out.batch.count * sizeof(Record);
  auto started = pml_.isend({&out.batch, static_cast<Count>(bytes), &all_.services_->byte(),
                             next_.peer, number_for(next_), kTag, context_, pml::Mode::standard});
  if (!started.ok()) {
    out.busy = false;
  } else if (!(*started)->complete()) {
    (*started)->then(&Check::sent, &out);
  } else {
    sent(**started, &out);
  }
}

void Check::sent(Request& request, void* outgoing) noexcept {
  static_cast<Outgoing*>(outgoing)->busy = false;
  request.free();
}

Check::Outgoing& Check::free_outgoing() {
  const auto found =
      std::find_if(outgoing_.begin(), outgoing_.end(), [](auto& out) { return !out->busy; });
  if (found == outgoing_.end()) return *outgoing_.emplace_back(std::make_unique<Outgoing>());
  (*found)->batch.count = 0;
  return **found;
}

bool Check::sending() const noexcept {
  return std::any_of(outgoing_.begin(), outgoing_.end(), [](auto& out) { return out->busy; });
}

// Records may be compared for some time yet.
void Check::close() noexcept {
  if (comm_ == nullptr) return;
  name_ = title();
  fatal_ = fatal();
  comm_ = nullptr;
  flush(silent_ ? End::unknown : End::yes);
  if (!theirs_.empty()) mismatch(Difference::operation, &theirs_.front(), nullptr);
}

bool Check::over() const noexcept {
  return comm_ == nullptr && receiving_ == nullptr && postponed_.empty() && !sending();
}

}  // namespace tessera::coll::check
