// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy on a communicator whose processes find out the levels themselves.
#include "finding_module.h"

#include <new>

namespace tessera::coll::hierarchy {

Status FindingModule::meet() noexcept try {
  met_ = true;
  if (!mine_) {
    mine_ = own_place();
    mine_->system = settings().system;
  }
  std::vector<Place> all(static_cast<std::size_t>(comm_.size()));
  Call call(Operation::allgather, comm_);
  call.send.buffer = &*mine_;
  call.receive.buffer = all.data();
  call.send.count = call.receive.count = sizeof(Place);
  call.send.type = call.receive.type = octets();
  if (const Status told = below().run(call); !told) return told;
  Tree tree(comm_.size(), levels_of(all));
  if (tree.stages() > 1) grow(std::move(tree));
  return {};
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::no_memory,
                         "no memory for the places of the processes of a communicator");
}

Status FindingModule::run(const Call&) noexcept {
  if (!met_) [[unlikely]] {
    const Status met = meet();
    if (!met.ok()) return met;
  }
  return Errc::unsupported;
}

}  // namespace tessera::coll::hierarchy
