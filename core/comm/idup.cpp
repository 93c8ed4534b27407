// SPDX-License-Identifier: BSD-3-Clause
// Duplicating a communicator without waiting: nonblocking collectives bring the context ids.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/coll/table.h"
#include "core/comm/communicator.h"
#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/object/freed_objects.h"

namespace tessera {
namespace {

// Rank 0 draws an id and tells its group. In an intercommunicator the groups also gather each
// other's draws, of which that of rank 0 counts: the smaller one of the two is the context.
class Duplication final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  static Result<Request*> launch(Comm& comm, Comm& duplicate) {
    Duplication* made = new Duplication(comm, duplicate);
    Status status = made->start_local(comm);
    if (status.ok() && comm.inter()) status = made->start_across(comm);
    if (!status) made->fail(status);
    made->one_less();
    return static_cast<Request*>(made);
  }

  void free() noexcept override { release(); }

 private:
  Duplication(Comm& comm, Comm& duplicate)
      : duplicate_(Ref<Comm>::share(&duplicate)),
        mine_(comm.instance().context_ids().draw()),
        drawn_(mine_),
        theirs_(comm.inter() ? static_cast<std::size_t>(comm.remote_size()) : 0) {
    begin();
    status_ = {};
    retain();  // the operation's own reference, until it is complete
  }
  ~Duplication() override {
    for (Request* part : parts_) {
      if (part != nullptr) part->free();
    }
  }

  Status start_local(Comm& comm) {
    auto local = comm.local();
    if (!local.ok()) return local.status();
    coll::Call call(coll::Operation::bcast, **local);
    call.receive = bytes(&drawn_, sizeof drawn_);
    return add(static_cast<Comm&>(**local), call, parts_[0]);
  }

  Status start_across(Comm& comm) {
    coll::Call call(coll::Operation::allgather, comm);
    call.send = bytes(&mine_, sizeof mine_);
    call.receive = bytes(theirs_.data(), sizeof theirs_[0]);
    return add(comm, call, parts_[1]);
  }

  static coll::Side bytes(void* data, std::size_t count) noexcept {
    coll::Side side;
    side.buffer = data;
    side.count = static_cast<Count>(count);
    side.type = &byte_type();
    return side;
  }

  Status add(Comm& comm, const coll::Call& call, Request*& part) {
    auto table = comm.collectives();
    if (!table.ok()) return table.status();
    auto started = (*table)->start(call);
    if (!started.ok()) return started.status();
    part = *started;
    if (part->complete()) return part->error();
    ++pending_;
    part->then(
        [](Request& ended, void* self) noexcept {
          auto* const all = static_cast<Duplication*>(self);
          if (const Status s = ended.error(); !s) all->fail(s);
          all->one_less();
        },
        this);
    return {};
  }

  // Told at once: the other part may wait for a process that has given up. The object outlives it.
  void fail(const Status& why) noexcept {
    if (std::exchange(told_, true)) return;
    duplicate_->set_contexts(mine_, ContextIds::of_local_group(mine_));
    status_.error = why;
    finish();
  }

  void one_less() noexcept {
    if (--pending_ > 0) return;
    if (!told_) {
      const ContextId context = theirs_.empty() ? drawn_ : std::min(drawn_, theirs_.front());
      duplicate_->set_contexts(context, ContextIds::of_local_group(drawn_));
      finish();
    }
    release();
  }

  Ref<Comm> duplicate_;
  ContextId mine_;
  ContextId drawn_;  // by rank 0 of the local group
  std::vector<ContextId> theirs_;
  std::array<Request*, 2> parts_{};
  bool told_ = false;  // of a failure
  int pending_ = 1;    // parts, and launch() itself
};

}  // namespace

Result<Request*> duplicate_later(Comm& comm, Comm*& made) {
  if (Status s = comm.announce(coll::Making::duplicate, coll::CallForm::nonblocking); !s) return s;
  made = comm.inter() ? Comm::make_inter(comm.instance(), comm.group(), comm.remote_group(), 0, 0)
                      : Comm::make(comm.instance(), comm.group(), 0);
  return Duplication::launch(comm, *made);
}

}  // namespace tessera
