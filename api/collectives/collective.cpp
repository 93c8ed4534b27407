// SPDX-License-Identifier: BSD-3-Clause
// Checking and running a collective operation.
#include "api/collectives/collective.h"

#include <fmt/format.h>

#include "api/collectives/op_handle.h"
#include "api/env/info_handle.h"
#include "api/p2p/point_to_point.h"
#include "core/coll/table.h"
#include "core/comm/topology.h"

namespace tessera::api {
namespace {

bool all_zero(coll::CountArray counts, int n) noexcept {
  for (int i = 0; i < n; ++i) {
    if (counts[i] != 0) return false;
  }
  return true;
}

// The operation's own words about a type that it does not take.
std::string refusal(const Op& op, const TypeObject& type) {
  const Status said = op.apply(nullptr, nullptr, 0, type);
  return said.ok() ? "argument `op` is not defined for the datatype" : said.text();
}

}  // namespace

Collective::Collective(coll::Operation operation, const Form& form, MPI_Comm comm) noexcept
    : Arguments(form.function, comm),
      form_(form),
      call_(this->comm() != nullptr ? coll::Call(operation, *this->comm()) : coll::Call()) {}

bool Collective::request_and_info() noexcept {
  if (form_.info != MPI_INFO_NULL && find_info(form_.info) == nullptr) {
    return fail(MPI_ERR_INFO, "argument `info` is no info object; MPI_INFO_NULL stands for none");
  }
  return pointer(form_.request, "request");
}

bool Collective::root(int root) noexcept {
  call_.root = root;
  if (root >= 0 && root < call_.remote_size) [[likely]]
    return true;
  if (call_.inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) return true;
  return fail(MPI_ERR_ROOT,
              fmt::format("argument `root` is {}; valid are 0..{}{}", root, call_.remote_size - 1,
                          call_.inter ? ", MPI_ROOT and MPI_PROC_NULL" : ""));
}

bool Collective::neighbourhood() noexcept {
  const Topology* topology = comm()->topology();
  if (topology == nullptr) {
    return fail(MPI_ERR_TOPOLOGY,
                "argument `comm` has no topology; MPI_Cart_create, MPI_Graph_create and "
                "MPI_Dist_graph_create make communicators with neighbours");
  }
  call_.cartesian = topology->kind == Topology::Kind::cartesian;
  call_.sources = topology->sources;
  call_.destinations = topology->destinations;
  return true;
}

bool Collective::in_place(const void* buffer, bool allowed, const SideNames& names) noexcept {
  if (buffer != MPI_IN_PLACE) [[likely]]
    return true;
  call_.in_place = true;
  return allowed ||
         fail(
             MPI_ERR_BUFFER,
             fmt::format("argument `{}` is MPI_IN_PLACE, which is not allowed here{}", names.buffer,
                         call_.inter ? ": the communicator is an intercommunicator" : ""));
}

bool Collective::side(coll::Side& side, const Data& data, const SideNames& names) noexcept {
  const TypeObject* object = find_type(data.type);
  side.buffer = const_cast<void*>(data.buffer);
  side.count = data.count;
  side.type = object;
  return (!checked() || count(data.count, names.count)) && type(object, names.type) &&
         (!checked() || (Arguments::room(data.count, *object, names.count,
                                         std::max(call_.size, call_.remote_size)) &&
                         buffer(data.buffer, data.count, *object, names.buffer)));
}

bool Collective::side(coll::Side& side, const Parts& parts, int n,
                      const SideNames& names) noexcept {
  const TypeObject* object = find_type(parts.type);
  side.buffer = const_cast<void*>(parts.buffer);
  side.counts = parts.counts;
  side.displacements = parts.displacements.numbers;
  side.type = object;
  if (checked() && !arrays(parts.counts, parts.displacements.numbers, n, names)) return false;
  if (!type(object, names.type)) return false;
  if (checked() && !room(parts, *object, n, names)) return false;
  if (!checked() || parts.buffer != nullptr) [[likely]]
    return true;
  for (int i = 0; i < n; ++i) {
    if (!has_buffer(parts, i, *object, names.buffer)) return false;
  }
  return true;
}

bool Collective::side(coll::Side& side, std::vector<const Datatype*>& types,
                      const TypedParts& parts, int n, const SideNames& names) noexcept {
  if (checked() && !arrays(parts.counts, parts.displacements.numbers, n, names)) return false;
  if (n > 0 && parts.types == nullptr) return no_array(names.types, n);
  types.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const TypeObject* object = find_type(parts.types[i]);
    // A type that no data has need not be one that can be used.
    if (!type(object, names.types)) return false;
    if (checked() && (!Arguments::room(parts.counts[i], *object, names.counts, n) ||
                      !has_buffer(parts, i, *object, names.buffer)))
      return false;
    types.push_back(object);
  }
  side.buffer = const_cast<void*>(parts.buffer);
  side.counts = parts.counts;
  side.displacements = parts.displacements.numbers;
  side.types = types.data();
  return true;
}

// Of all parts together, and of each one from where it lies. Where displacements are of int, so are
// counts, and few enough parts cannot be too much.
bool Collective::room(const Parts& parts, const TypeObject& type, int n,
                      const SideNames& names) noexcept {
  const bool relative = parts.displacements.numbers && !parts.displacements.absolute;
  if (relative && n <= type.most() >> 31) [[likely]]
    return true;
  Count left = type.most();
  for (int i = 0; i < n; ++i) {
    if (parts.counts[i] > left) return bad_room(parts.counts[i], type, names.counts);
    left -= parts.counts[i];
    const Count place = relative ? parts.displacements.numbers[i] : 0;
    if (place > type.most() || place < -type.most())
      return bad_room(place, type, names.displacements);
  }
  return true;
}

bool Collective::no_array(const char* name, int n) noexcept {
  return fail(
      MPI_ERR_ARG,
      fmt::format("argument `{}` is a null pointer; it must be an array of {} elements", name, n));
}

bool Collective::counts(coll::CountArray counts, int n, const char* name) noexcept {
  if (!counts) return n == 0 || no_array(name, n);
  for (int i = 0; i < n; ++i) {
    if (counts[i] < 0) [[unlikely]] {
      return fail(MPI_ERR_COUNT, fmt::format("argument `{}[{}]` is {}; it must not be negative",
                                             name, i, counts[i]));
    }
  }
  return true;
}

bool Collective::arrays(coll::CountArray counts, coll::CountArray displacements, int n,
                        const SideNames& names) noexcept {
  if (!this->counts(counts, n, names.counts)) return false;
  const bool reduction = call_.operation == coll::Operation::reduce_scatter;
  return displacements || reduction || all_zero(counts, n) || no_array(names.displacements, n);
}

bool Collective::op(MPI_Op handle) noexcept {
  const Op* op = find_op(handle);
  call_.op = op;
  if (op == nullptr) {
    return fail(
        MPI_ERR_OP,
        fmt::format("argument `op` is no operation: {}; it must be a predefined one or from "
                    "MPI_Op_create",
                    why_none(handle, ObjectKind::op)));
  }
  if (!checked()) return true;
  if (handle == MPI_REPLACE || handle == MPI_NO_OP) {
    return fail(MPI_ERR_OP,
                "argument `op` is one of the operations that only one-sided communication has; "
                "MPI_Accumulate takes it");
  }
  const auto& type = static_cast<const TypeObject&>(*call_.receive.type);
  return op->accepts(type) || fail(MPI_ERR_OP, refusal(*op, type));
}

bool Collective::apart(const void* sendbuf, const void* recvbuf, const char* in_place) noexcept {
  return !checked() || sendbuf != recvbuf || sendbuf == nullptr ||
         call_.receive.type->size() == 0 || call_.receive.count == 0 || same_buffers(in_place);
}

bool Collective::apart(const Data& whole, const Parts& parts, int n,
                       const char* in_place) noexcept {
  if (!checked() || whole.buffer != parts.buffer || whole.buffer == nullptr ||
      whole.type != parts.type || whole.count == 0 || call_.receive.type->size() == 0) [[likely]]
    return true;
  for (int i = 0; i < n; ++i) {
    if (parts.counts[i] != 0 && parts.displacements.numbers[i] == 0) return same_buffers(in_place);
  }
  return true;
}

bool Collective::same_buffers(const char* in_place) noexcept {
  return fail(MPI_ERR_BUFFER,
              fmt::format("arguments `sendbuf` and `recvbuf` are the same; MPI_IN_PLACE as `{}` "
                          "does this",
                          in_place));
}

bool Collective::reduction(const Reduction& call, const Part& part) noexcept {
  if (!in_place(call.sendbuf, part.in_place, kSendNames)) return false;
  const bool sends = part.sends && !is_in_place();
  if (part.receives && !sends) {
    return receive({call.recvbuf, call.count, call.type}, kReductionReceiveNames) && op(call.op);
  }
  if (sends && !send({call.sendbuf, call.count, call.type}, kReductionSendNames)) return false;
  call_.receive = call_.send;  // of one count and type
  call_.receive.buffer = call.recvbuf;
  if (!part.receives) return op(call.op);
  const char* name = kReductionReceiveNames.buffer;
  if (checked() && !buffer(call.recvbuf, call.count, *call_.receive.type, name)) return false;
  return op(call.op) && apart(call.sendbuf, call.recvbuf);
}

int Collective::run_blocking(coll::Table& table, std::uint64_t number) noexcept {
  const coll::Side& side = call_.receive.type != nullptr ? call_.receive : call_.send;
  const Count count = side.type != nullptr ? side.count : 0;
  const WaitDetail detail{.collective = number, .call = &call_};
  const WaitNote note{form_.function, -1, -1, comm(), count, side.type, &detail};
  WaitScope scope(world.engine->progress(), note);
  const Status done = table.run(call_);
  return done.ok() ? MPI_SUCCESS : raised(done);
}

int Collective::make_request(coll::Table& table) noexcept {
  auto made = form_.kind == Form::Kind::persistent ? table.init(call_) : table.start(call_);
  if (!made.ok()) return raised(made.status());
  *form_.request = hand_over(*made, *comm());
  return MPI_SUCCESS;
}

int Collective::run() noexcept {
  EngineGuard guard(world.engine->progress());
  auto table = comm()->collectives();
  if (!table.ok()) return raised(table.status());
  const std::uint64_t number = comm()->count_call();
  return form_.kind == Form::Kind::blocking ? run_blocking(**table, number) : make_request(**table);
}

}  // namespace tessera::api
