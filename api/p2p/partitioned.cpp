// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0 chapter 4).
#include "core/request/partitioned.h"

#include <fmt/format.h>

#include <typeinfo>

#include "api/env/info_handle.h"
#include "api/p2p/point_to_point.h"
#include "api/p2p/requests.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The arguments of both initializing calls as the user gave them.
struct InitCall {
  const char* function;
  void* buffer;
  int partitions;
  Count count;
  MPI_Datatype datatype;
  int rank;
  int tag;
  MPI_Comm comm;
  MPI_Info info;
};

bool right(Arguments& arguments, const InitCall& call, const char* rank_name) {
  const TypeObject* type = find_type(call.datatype);
  return arguments.that(call.partitions >= 1, MPI_ERR_ARG,
                        "argument `partitions` must be at least 1") &&
         arguments.count(call.count) && arguments.type(type) &&
         arguments.room(call.count, *type, "count", call.partitions) &&
         arguments.buffer(call.buffer, call.count, *type) &&
         arguments.destination(call.rank, rank_name) && arguments.send_tag(call.tag) &&
         arguments.that(call.info == MPI_INFO_NULL || find_info(call.info) != nullptr, MPI_ERR_INFO,
                        "argument `info` is no info object; MPI_INFO_NULL stands for none");
}

template <class Operation>
int initialize(const InitCall& call, const char* rank_name, MPI_Request* request) noexcept {
  Arguments arguments(call.function, call.comm);
  if (arguments.comm() == nullptr || (arguments.checked() && !right(arguments, call, rank_name)) ||
      !arguments.pointer(request, "request")) {
    return arguments.raised();
  }
  Comm& comm = *arguments.comm();
  EngineGuard guard(world.engine->progress());
  auto made = Operation::make(comm, {call.buffer, call.partitions, call.count,
                                     find_type(call.datatype), call.rank, call.tag});
  if (!made.ok()) return raise(call.function, call.comm, made.status());
  *request = hand_over(*made, comm);
  return MPI_SUCCESS;
}

// The request behind a handle if it is of that kind, without a search: nothing derives from either.
template <class Operation>
Operation* find(MPI_Request handle) noexcept {
  Request* request = find_request(handle);
  if (request == nullptr) return nullptr;
  return typeid(*request) == typeid(Operation) ? static_cast<Operation*>(request) : nullptr;
}

int raise_partition(const char* function, const PartitionedRequest& request, int partition,
                    const char* why) noexcept {
  return raise(function, handle_of(*static_cast<Comm*>(request.owner())), MPI_ERR_ARG,
               fmt::format("partition {} {}; this request has the partitions 0 to {}", partition,
                           why, request.partitions() - 1));
}

int raise_not_partitioned(const char* function, const char* what) noexcept {
  if (!world.active()) return raise_not_active(function);
  return raise(function, MPI_ERR_REQUEST, what);
}

PartitionedSend* active_send(const char* function, MPI_Request handle, int& code) noexcept {
  PartitionedSend* send = find<PartitionedSend>(handle);
  if (send != nullptr && send->active()) return send;
  code = raise_not_partitioned(
      function, send == nullptr ? "argument `request` is no partitioned send (MPI_Psend_init)"
                                : "argument `request` is not active; MPI_Start comes first");
  return nullptr;
}

// All of a mark but its most frequent end.
[[gnu::noinline]] int end_mark(const char* function, PartitionedSend& send, int partition,
                               ReadyMarks::Step step) noexcept {
  const int unit = send.end_mark(step, partition);
  if (unit == ReadyMarks::kNone) return MPI_SUCCESS;
  if (unit == ReadyMarks::kAgain)
    return raise_partition(function, send, partition, "was marked as ready before in this start");
  if (!send.note_ready(unit)) return MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  send.send_unit(unit);
  return MPI_SUCCESS;
}

[[gnu::always_inline]] inline int mark(const char* function, PartitionedSend& send,
                                       int partition) noexcept {
  const ReadyMarks::Step step = send.begin_mark(partition);
  return step == ReadyMarks::Step::done ? MPI_SUCCESS : end_mark(function, send, partition, step);
}

bool exists(const PartitionedRequest& request, int partition) noexcept {
  return static_cast<unsigned>(partition) < static_cast<unsigned>(request.partitions());
}

[[gnu::noinline]] int mark_checked(const char* function, MPI_Request request,
                                   int partition) noexcept {
  int code = MPI_SUCCESS;
  PartitionedSend* send = active_send(function, request, code);
  if (send == nullptr) return code;
  if (!exists(*send, partition))
    return raise_partition(function, *send, partition, "does not exist");
  return mark(function, *send, partition);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Psend_init)
extern "C" int PMPI_Psend_init(const void* buf, int partitions, int count, MPI_Datatype datatype,
                               int dest, int tag, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request) {
  return initialize<PartitionedSend>({"MPI_Psend_init", const_cast<void*>(buf), partitions, count,
                                      datatype, dest, tag, comm, info},
                                     "dest", request);
}

TESSERA_WEAK_ALIAS(MPI_Psend_init_c)
extern "C" int PMPI_Psend_init_c(const void* buf, int partitions, MPI_Count count,
                                 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                                 MPI_Info info, MPI_Request* request) {
  return initialize<PartitionedSend>({"MPI_Psend_init_c", const_cast<void*>(buf), partitions, count,
                                      datatype, dest, tag, comm, info},
                                     "dest", request);
}

TESSERA_WEAK_ALIAS(MPI_Precv_init)
extern "C" int PMPI_Precv_init(void* buf, int partitions, int count, MPI_Datatype datatype,
                               int source, int tag, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request) {
  return initialize<PartitionedReceive>(
      {"MPI_Precv_init", buf, partitions, count, datatype, source, tag, comm, info}, "source",
      request);
}

TESSERA_WEAK_ALIAS(MPI_Precv_init_c)
extern "C" int PMPI_Precv_init_c(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                                 int source, int tag, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  return initialize<PartitionedReceive>(
      {"MPI_Precv_init_c", buf, partitions, count, datatype, source, tag, comm, info}, "source",
      request);
}

TESSERA_WEAK_ALIAS(MPI_Pready)
extern "C" int PMPI_Pready(int partition, MPI_Request request) {
  Request* const found = find_request(request);
  if (found == nullptr) return mark_checked("MPI_Pready", request, partition);
  auto& send = static_cast<PartitionedSend&>(*found);
  const Request& any = *found;
  if (&typeid(any) != &typeid(PartitionedSend) || !send.active() || !exists(send, partition))
    return mark_checked("MPI_Pready", request, partition);
  return mark("MPI_Pready", send, partition);
}

TESSERA_WEAK_ALIAS(MPI_Pready_range)
extern "C" int PMPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  constexpr const char* function = "MPI_Pready_range";
  int code = MPI_SUCCESS;
  PartitionedSend* send = active_send(function, request, code);
  if (send == nullptr) return code;
  if (partition_low > partition_high)
    return raise_partition(function, *send, partition_low, "is above `partition_high`");
  for (const int end : {partition_low, partition_high})
    if (!exists(*send, end)) return raise_partition(function, *send, end, "does not exist");
  for (int p = partition_low; p <= partition_high && code == MPI_SUCCESS; ++p)
    code = mark(function, *send, p);
  return code;
}

TESSERA_WEAK_ALIAS(MPI_Pready_list)
extern "C" int PMPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  constexpr const char* function = "MPI_Pready_list";
  int code = MPI_SUCCESS;
  PartitionedSend* send = active_send(function, request, code);
  if (send == nullptr) return code;
  if (length < 0) return raise(function, MPI_ERR_ARG, "argument `length` is negative");
  if (length > 0 && array_of_partitions == nullptr)
    return raise(function, MPI_ERR_ARG, null_pointer("array_of_partitions"));
  for (int i = 0; i < length; ++i)
    if (!exists(*send, array_of_partitions[i]))
      return raise_partition(function, *send, array_of_partitions[i], "does not exist");
  for (int i = 0; i < length && code == MPI_SUCCESS; ++i)
    code = mark(function, *send, array_of_partitions[i]);
  return code;
}

TESSERA_WEAK_ALIAS(MPI_Parrived)
extern "C" int PMPI_Parrived(MPI_Request request, int partition, int* flag) {
  constexpr const char* function = "MPI_Parrived";
  if (flag == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("flag"));
  if (request == MPI_REQUEST_NULL) return *flag = 1, MPI_SUCCESS;
  PartitionedReceive* receive = find<PartitionedReceive>(request);
  if (receive == nullptr)
    return raise_not_partitioned(function,
                                 "argument `request` is no partitioned receive (MPI_Precv_init)");
  if (!exists(*receive, partition))
    return raise_partition(function, *receive, partition, "does not exist");
  *flag = !receive->active() || receive->arrived(partition) ? 1 : 0;
  if (*flag != 0) return MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  world.engine->progress().poll();
  *flag = receive->arrived(partition) ? 1 : 0;
  return *flag != 0 ? MPI_SUCCESS : not_yet();
}
