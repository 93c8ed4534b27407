// SPDX-License-Identifier: BSD-3-Clause
// Communicators: size, rank and kind (MPI 5.0, section 7.4.1 and 7.6.1).
#include "api/comm_handle.h"
#include "api/error.h"

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
  return read_comm("MPI_Comm_remote_size", comm, "size", size, [](const Comm& c) { return c.remote_size(); });
}
