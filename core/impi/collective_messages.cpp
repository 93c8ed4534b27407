// SPDX-License-Identifier: BSD-3-Clause
// What the collectives of the protocol are made of: messages, packed data, local phases.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/coll/table.h"
#include "core/datatype/engine_type.h"
#include "core/datatype/external32.h"
#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/impi/collective_calls.h"

namespace tessera::impi {
namespace {

// For the hidden communicators of local members; see kContextBase.
constexpr ContextId kLocalBase = 0xfffe'0000'0000'0000;

}  // namespace

Shape shape_of(const Systems& systems, const Comm& comm) {
  Shape shape;
  shape.rank = comm.rank();
  shape.size = comm.size();
  std::map<std::uint32_t, int> numbers;  // by client
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto [at, is_new] =
        numbers.emplace(systems.client_of(comm.peer(rank)), static_cast<int>(shape.masters.size()));
    if (is_new) {
      shape.masters.push_back(rank);
      shape.locals.emplace_back();
    }
    shape.master_of.push_back(at->second);
    shape.locals[static_cast<std::size_t>(at->second)].push_back(rank);
  }
  return shape;
}

TypedBuffer::TypedBuffer(Count count, const Datatype& type) {
  if (count == 0) return;
  const Aint last = (count - 1) * type.extent();
  shift_ = -(type.true_lb() + std::min<Aint>(last, 0));
  data_.resize(static_cast<std::size_t>(type.true_extent() + std::abs(last)));
}

CollectiveCalls::CollectiveCalls(Systems& systems, Comm& comm)
    : systems_(systems), comm_(comm), shape_(shape_of(systems, comm)) {}

bool CollectiveCalls::linear() const noexcept {
  return shape_.count() <= systems_.roster().terms.most_linear;
}

// ---- messages ----

// The protocol wants the collective context for all; LAM/MPI has the other one for reductions.
ContextId CollectiveCalls::context_of(int tag) const noexcept {
  const bool as_lam = tag == kReduceTag && systems_.with_lam();
  return as_lam ? comm_.context() : comm_.collective_context();
}

Status CollectiveCalls::send(int to, int tag, const Data& data) {
  return comm_.pml().send({data.buffer, data.count, data.type, &comm_.peer(to), comm_.rank(), tag,
                           context_of(tag), pml::Mode::standard});
}

Status CollectiveCalls::receive(int from, int tag, const Data& data, std::size_t* bytes) {
  MessageStatus status;
  const Status received = comm_.pml().recv(
      {data.buffer, data.count, data.type, &comm_.peer(from), from, tag, context_of(tag)}, status);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(status.bytes);
  return received;
}

Status CollectiveCalls::send_bytes(int to, int tag, ByteView bytes) {
  return send(
      to, tag,
      {const_cast<std::byte*>(bytes.data()), static_cast<Count>(bytes.size()), &byte_type()});
}

Status CollectiveCalls::receive_bytes(int from, int tag, Bytes& bytes) {
  std::size_t have = 0;
  const Status received =
      receive(from, tag, {bytes.data(), static_cast<Count>(bytes.size()), &byte_type()}, &have);
  bytes.resize(have);
  return received;
}

// ---- packed data ----

std::size_t CollectiveCalls::packed_size(Count count, const Datatype& type) const noexcept {
  return static_cast<std::size_t>(count * external32_size(engine_type(type)));
}

Status CollectiveCalls::pack(const Data& data, Bytes& out) const {
  if (!external32_fits(engine_type(*data.type), data.buffer, data.count)) {
    return Status::failure(Errc::type,
                           "a value does not fit its external32 form, in which collectives between "
                           "systems pack data: MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes there");
  }
  const std::size_t before = out.size();
  out.resize(before + packed_size(data.count, *data.type));
  external32_pack(engine_type(*data.type), data.buffer, data.count, out.data() + before);
  return {};
}

void CollectiveCalls::unpack(const Data& data, ByteView in) const {
  external32_unpack_some(engine_type(*data.type), data.buffer, data.count, in.data(), in.size());
}

CollectiveCalls::Data CollectiveCalls::block_of(const Side& side, int rank) const noexcept {
  const Count count = side.counts ? side.counts[rank] : side.count;
  const Count place = side.displacements ? side.displacements[rank]
                      : side.counts      ? 0
                                         : rank * side.count;
  return {static_cast<std::byte*>(side.buffer) + place * side.type->extent(), count, side.type};
}

// ---- local phases ----

Result<Comm*> CollectiveCalls::local() {
  if (!local_) {
    std::vector<Peer*> members;
    for (const int rank : shape_.local_to(shape_.mine())) members.push_back(&comm_.peer(rank));
    local_ = Ref<Comm>(Comm::make(comm_.instance(), Ref<Group>(Group::make(std::move(members))),
                                  kLocalBase | cid_of(comm_.context())));
  }
  return local_.get();
}

Status CollectiveCalls::local_run(coll::Call call) {
  if (shape_.local_to(shape_.mine()).size() == 1 && call.operation == coll::Operation::barrier)
    return {};
  auto table = local_->collectives();
  return table.ok() ? (*table)->run(call) : table.status();
}

Status CollectiveCalls::local_gather(ByteView mine, Bytes& all) {
  auto comm = local();
  if (!comm.ok()) return comm.status();
  if (shape_.is_master()) all.resize(mine.size() * static_cast<std::size_t>((*comm)->size()));
  coll::Call call(coll::Operation::gather, **comm);
  call.send = {const_cast<std::byte*>(mine.data()),
               static_cast<Count>(mine.size()),
               &byte_type(),
               {},
               {},
               nullptr};
  call.receive = {all.data(), static_cast<Count>(mine.size()), &byte_type(), {}, {}, nullptr};
  return local_run(call);
}

// `all` and `sizes` count at the master; mine has its right size.
Status CollectiveCalls::local_scatter(const Bytes& all, const std::vector<std::size_t>& sizes,
                                      Bytes& mine) {
  auto comm = local();
  if (!comm.ok()) return comm.status();
  std::vector<Count> counts(sizes.begin(), sizes.end());
  std::vector<Count> places;
  Count place = 0;
  for (const Count count : counts) places.push_back(std::exchange(place, place + count));
  coll::Call call(coll::Operation::scatterv, **comm);
  call.send = {
      const_cast<std::byte*>(all.data()), 0, &byte_type(), counts.data(), places.data(), nullptr};
  call.receive = {mine.data(), static_cast<Count>(mine.size()), &byte_type(), {}, {}, nullptr};
  return local_run(call);
}

}  // namespace tessera::impi
