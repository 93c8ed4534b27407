// SPDX-License-Identifier: BSD-3-Clause
// A communicator's state and its lazily made parts.
#include "core/comm/communicator.h"

#include "core/coll/table.h"
#include "core/comm/topology.h"
#include "core/dynamic/connections.h"
#include "core/engine/instance.h"
#include "core/request/buffered_sends.h"
#include "core/request/partitioned.h"

namespace tessera {

Comm::Comm(Instance& instance) noexcept
    : instance_(&instance),
      errhandler_(instance.default_errhandler()),
      all_calls_(&instance.census().collectives) {
  ++instance.census().communicators;
  pml_ = &instance.pml();
  progress_ = &instance.progress();
  job_ = &instance.job();
}

Comm::~Comm() {
  --instance_->census().communicators;
  if (group_) instance_->connections().uncount(*this);
}

Comm* Comm::make(Instance& instance, Ref<Group> group, ContextId context) {
  Comm* comm = new Comm(instance);
  comm->peers_ = comm->local_peers_ = group->members();
  comm->rank_ = group->rank_of(instance.me());
  comm->size_ = comm->remote_size_ = group->size();
  comm->context_ = context;
  comm->group_ = std::move(group);
  instance.connections().count(*comm);
  return comm;
}

Comm* Comm::make_inter(Instance& instance, Ref<Group> local, Ref<Group> remote, ContextId context,
                       ContextId local_context) {
  Comm* comm = new Comm(instance);
  comm->inter_ = true;
  comm->peers_ = remote->members();
  comm->local_peers_ = local->members();
  comm->rank_ = local->rank_of(instance.me());
  comm->size_ = local->size();
  comm->remote_size_ = remote->size();
  comm->context_ = context;
  comm->local_context_ = local_context;
  comm->group_ = std::move(local);
  comm->remote_ = std::move(remote);
  instance.connections().count(*comm);
  return comm;
}

void Comm::set_topology(std::unique_ptr<Topology> topology) noexcept {
  topology_ = std::move(topology);
}

BufferedSends& Comm::buffer() noexcept {
  if (buffer_ && buffer_->attached()) return *buffer_;
  const auto session = group_->session_buffer().lock();
  return session && session->attached() ? *session : instance_->buffered();
}

BufferedSends& Comm::own_buffer() {
  if (!buffer_) buffer_ = std::make_unique<BufferedSends>(instance_->progress());
  return *buffer_;
}

PartitionedPairs& Comm::partitioned() {
  if (!partitioned_) partitioned_ = std::make_unique<PartitionedPairs>(*this);
  return *partitioned_;
}

Result<Communicator*> Comm::local() noexcept {
  if (!inter_) return static_cast<Communicator*>(this);
  if (!local_) local_ = Ref<Comm>(make(*instance_, group_, local_context_));
  return static_cast<Communicator*>(local_.get());
}

// Info keys of the program come before the settings of files for communicators of this name.
void Comm::take_hints_of_files() {
  for (ParamSetting& setting : instance_->params().of_communicator(name()))
    hints_.try_emplace("tessera." + setting.name, std::move(setting.value));
}

Result<coll::Table*> Comm::make_collectives() noexcept try {
  take_hints_of_files();
  auto made = instance_->make_collectives(*this);
  if (!made.ok()) return made.status();
  table_ = std::move(*made);
  return table_.get();
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::no_memory, "no memory for the collectives of a communicator");
}

Status Comm::end_collectives() noexcept {
  const Status inside = local_ ? local_->end_collectives() : Status();
  const Status ended = table_ ? table_->end() : Status();
  return inside.ok() ? ended : inside;
}

Status Comm::announce(coll::Making making, coll::CallForm form) {
  auto guards = instance_->guards();
  if (!guards.ok() || *guards == nullptr) return guards.status();
  auto table = collectives();
  return table.ok() ? (*table)->enter(making, form) : table.status();
}

const char* Comm::hint(const char* key) const noexcept {
  const auto found = hints_.find(key);
  return found == hints_.end() ? nullptr : found->second.c_str();
}

}  // namespace tessera
