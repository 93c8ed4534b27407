// SPDX-License-Identifier: BSD-3-Clause
// What converters ask the C library: always PMPI_, so that tools count only the calls of the user.
#include <map>
#include <mutex>

#include "fortran/source/convert.h"

namespace tessera::fortran {

int cart_dimensions(const Fint& comm) {
  const auto object = handle<MPI_Comm>(&comm);
  int topology = MPI_UNDEFINED;
  int dimensions = 0;
  if (object == MPI_COMM_NULL || PMPI_Topo_test(object, &topology) != MPI_SUCCESS) return 0;
  if (topology == MPI_CART) PMPI_Cartdim_get(object, &dimensions);
  return dimensions;
}

int blocks(const Fint& comm) {
  const auto object = handle<MPI_Comm>(&comm);
  int between_groups = 0;
  int size = 0;
  if (object == MPI_COMM_NULL || PMPI_Comm_test_inter(object, &between_groups) != MPI_SUCCESS)
    return 0;
  between_groups != 0 ? PMPI_Comm_remote_size(object, &size) : PMPI_Comm_size(object, &size);
  return size;
}

int neighbors(const Fint& comm, Side side) {
  const auto object = handle<MPI_Comm>(&comm);
  int topology = MPI_UNDEFINED;
  int in = 0;
  int out = 0;
  if (object == MPI_COMM_NULL || PMPI_Topo_test(object, &topology) != MPI_SUCCESS) return 0;
  if (topology == MPI_CART) return 2 * cart_dimensions(comm);
  if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(object, &in, &out, &weighted);
    return side == Side::in ? in : out;
  }
  if (topology == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(object, &rank);
    PMPI_Graph_neighbors_count(object, rank, &in);
  }
  return in;
}

// One error code per text: codes are never given back.
int refuse(MPI_Comm comm, int error_class, const std::string& text) {
  static std::mutex& mutex = *new std::mutex;
  static auto& codes = *new std::map<std::string, int>;
  int code = error_class;
  {
    const std::lock_guard lock(mutex);
    const auto known = codes.find(text);
    if (known != codes.end()) {
      code = known->second;
    } else if (PMPI_Add_error_code(error_class, &code) == MPI_SUCCESS) {
      PMPI_Add_error_string(code, text.substr(0, MPI_MAX_ERROR_STRING - 1).c_str());
      codes.emplace(text, code);
    }
  }
  PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, code);
  return code;
}

}  // namespace tessera::fortran
