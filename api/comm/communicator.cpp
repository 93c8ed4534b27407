// SPDX-License-Identifier: BSD-3-Clause
// Communicators: size, rank, groups, kind, comparison (MPI 5.0, section 7.4.1 and 7.6.1).
#include "api/comm/comm_handle.h"
#include "api/comm/group_handle.h"
#include "api/errors/error.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Stores what `read` says of the communicator.
template <class Read>
int read_comm(const char* function, MPI_Comm comm, const char* name, int* result, Read read) {
  const Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  if (result == nullptr) return raise(function, comm, MPI_ERR_ARG, null_pointer(name));
  *result = read(*object);
  return MPI_SUCCESS;
}

int hand_out(const char* function, MPI_Comm comm, const Ref<Group>& group, MPI_Group* result) {
  if (result == nullptr) return raise(function, comm, MPI_ERR_ARG, null_pointer("group"));
  group->retain();
  *result = hand_over(group.get());
  return MPI_SUCCESS;
}

int compare(const Comm& a, const Comm& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.inter() != b.inter()) return MPI_UNEQUAL;
  const auto local = a.group()->compare(*b.group());
  const auto remote = a.remote_group()->compare(*b.remote_group());
  if (local == Similarity::unequal || remote == Similarity::unequal) return MPI_UNEQUAL;
  return local == Similarity::identical && remote == Similarity::identical ? MPI_CONGRUENT
                                                                           : MPI_SIMILAR;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_size)
extern "C" int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return read_comm("MPI_Comm_size", comm, "size", size, [](const Comm& c) { return c.size(); });
}

TESSERA_WEAK_ALIAS(MPI_Comm_rank)
extern "C" int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  return read_comm("MPI_Comm_rank", comm, "rank", rank, [](const Comm& c) { return c.rank(); });
}

TESSERA_WEAK_ALIAS(MPI_Comm_test_inter)
extern "C" int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return read_comm("MPI_Comm_test_inter", comm, "flag", flag,
                   [](const Comm& c) { return c.inter() ? 1 : 0; });
}

TESSERA_WEAK_ALIAS(MPI_Comm_remote_size)
extern "C" int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  const Comm* object = find_comm(comm);
  if (object != nullptr && !object->inter()) {
    return raise("MPI_Comm_remote_size", comm, MPI_ERR_COMM,
                 "argument `comm` is an intracommunicator; it must be an intercommunicator");
  }
  return read_comm("MPI_Comm_remote_size", comm, "size", size,
                   [](const Comm& c) { return c.remote_size(); });
}

TESSERA_WEAK_ALIAS(MPI_Comm_group)
extern "C" int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  const Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm("MPI_Comm_group", comm);
  return hand_out("MPI_Comm_group", comm, object->group(), group);
}

TESSERA_WEAK_ALIAS(MPI_Comm_remote_group)
extern "C" int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  constexpr const char* function = "MPI_Comm_remote_group";
  const Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  if (!object->inter()) {
    return raise(function, comm, MPI_ERR_COMM,
                 "argument `comm` is an intracommunicator; it must be an intercommunicator");
  }
  return hand_out(function, comm, object->remote_group(), group);
}

TESSERA_WEAK_ALIAS(MPI_Comm_compare)
extern "C" int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  constexpr const char* function = "MPI_Comm_compare";
  const Comm* second = find_comm(comm2);
  if (second == nullptr) return raise_not_comm(function, comm2);
  return read_comm(function, comm1, "result", result,
                   [&](const Comm& first) { return compare(first, *second); });
}
