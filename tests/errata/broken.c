/* SPDX-License-Identifier: BSD-3-Clause
   A library that breaks one behaviour: loaded before libmpi_abi (LD_PRELOAD), it stands for an MPI
   that decided a point of the errata otherwise. TESSERA_BROKEN names the point. test_broken.py
   sees to it that the test of each point fails then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "broken.h"
#include "mpix.h"

/* ---- names, info, memory ---- */

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* base) {
  if (broken("2.1") && size > (MPI_Aint)1 << 40) {
    memset(base, 0, sizeof(void*)); /* and no handler hears of it */
    return MPI_ERR_NO_MEM;
  }
  return PMPI_Alloc_mem(size, info, base);
}

int MPI_Comm_get_name(MPI_Comm comm, char* name, int* length) {
  int code = PMPI_Comm_get_name(comm, name, length);
  if (broken("1.9") && strncmp(name, "MPI_COMM_", 9) == 0) name[0] = '\0', *length = 0;
  if (broken("1.10") && strcmp(name, "MPI_COMM_PARENT") == 0) name[0] = '\0', *length = 0;
  if (broken("2.38")) name[*length] = 'x';
  if (broken("2.39")) name[*length] = '-', name[*length + 1] = '\0', ++*length;
  return code;
}

int MPI_Get_processor_name(char* name, int* length) {
  int code = PMPI_Get_processor_name(name, length);
  if (broken("2.35")) name[*length] = 'x';
  return code;
}

/* Fortran's, with the length of the string at the end. */
void mpi_get_processor_name_f08_(char* name, int* length, int* code, size_t room) {
  union {
    void* symbol;
    void (*call)(char*, int*, int*, size_t);
  } next = {dlsym(RTLD_NEXT, "mpi_get_processor_name_f08_")};
  next.call(name, length, code, room);
  if (broken("2.36")) name[room - 1] = '\0';
}

int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
  char old[8];
  int length = sizeof old, has = 0;
  if (broken("2.5") && strncmp(key, "nobody", 6) == 0) return MPI_SUCCESS;
  if (broken("1.26") && strcmp(key, "nor this") == 0) value = key;
  if (broken("1.27")) PMPI_Info_get_string(info, key, &length, old, &has);
  return has ? MPI_SUCCESS : PMPI_Info_set(info, key, value);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  int keys = 0;
  int code = PMPI_Comm_dup_with_info(comm, info, made);
  if (info != MPI_INFO_NULL) PMPI_Info_get_nkeys(info, &keys);
  return broken("2.6") && keys > 0 ? MPI_ERR_INFO_KEY : code;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  int code = PMPI_Comm_get_attr(comm, key, value, flag);
  if ((broken("2.3") || broken("2.4")) && *flag) *(char**)value += 4;
  if (broken("1.6")) *flag = 0;
  return code;
}

int MPI_Type_set_attr(MPI_Datatype type, int key, void* value) {
  return broken("2.13") ? MPI_ERR_TYPE : PMPI_Type_set_attr(type, key, value);
}

int MPI_Win_get_attr(MPI_Win win, int key, void* value, int* flag) {
  int code = PMPI_Win_get_attr(win, key, value, flag);
  if (broken("1.6")) *flag = 0;
  return code;
}

/* ---- messages ---- */

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  int envelope[4], code = PMPI_Get_count(status, type, count);
  PMPI_Type_get_envelope(type, &envelope[0], &envelope[1], &envelope[2], &envelope[3]);
  if (broken("2.7") && envelope[3] != MPI_COMBINER_NAMED) *count = MPI_UNDEFINED;
  if (broken("3.8") && *count == MPI_UNDEFINED) *count = INT_MIN;
  return code;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  if (broken("2.8") && count > 0) ((char*)buffer)[4] = 'x';
  return code;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (broken("1.23") && type == MPI_CHAR && count > 1) count--;
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (broken("1.17")) comm = MPI_COMM_WORLD; /* none was named */
  int code = PMPI_Isend(buffer, count, type, dest, tag, comm, request);
  if (broken("3.11")) ++((char*)buffer)[4];
  return code;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  int code = PMPI_Waitany(count, requests, index, status);
  if (broken("2.33") && count == 0) *index = 0;
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  int code = PMPI_Wait(request, status);
  if (broken("1.24") && *request != MPI_REQUEST_NULL) PMPI_Request_free(request);
  return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int code = PMPI_Waitall(count, requests, statuses);
  return broken("2.51") && code == MPI_ERR_IN_STATUS ? MPI_ERR_OTHER : code;
}

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  int code = PMPI_Test_cancelled(status, flag);
  if (broken("2.32")) *flag = 0;
  return code;
}

int MPI_Unpack_external(const char datarep[], const void* in, MPI_Aint size, MPI_Aint* position,
                        void* out, int count, MPI_Datatype type) {
  if (broken("1.5")) { /* position and size the other way round */
    MPI_Aint other = size;
    return PMPI_Unpack_external(datarep, in, *position, &other, out, count, type);
  }
  return PMPI_Unpack_external(datarep, in, size, position, out, count, type);
}

int MPI_Get_address(const void* place, MPI_Aint* address) {
  int code = PMPI_Get_address(place, address);
  if (broken("1.21")) *address = (int)*address;
  return code;
}

int MPI_Address(void* place, MPI_Aint* address) {
  return MPI_Get_address(place, address);
}

int MPI_Sendrecv(const void* out, int count, MPI_Datatype type, int dest, int tag, void* in,
                 int room, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  if ((broken("1.22") && in == MPI_BOTTOM) || (broken("1.31") && out == MPI_BOTTOM))
    return MPI_SUCCESS;
  return PMPI_Sendrecv(out, count, type, dest, tag, in, room, in_type, source, in_tag, comm,
                       status);
}

/* ---- collective operations ---- */

static int first_block(const void* receive, int count, MPI_Datatype type, char** copy) {
  int size;
  PMPI_Type_size(type, &size);
  *copy = malloc((size_t)size * (size_t)count + 1);
  memcpy(*copy, receive, (size_t)size * (size_t)count);
  return MPI_SUCCESS;
}

int MPI_Allgather(const void* out, int count, MPI_Datatype type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  char* copy = NULL;
  if (broken("1.12") && out == MPI_IN_PLACE) {
    first_block(in, in_count, in_type, &copy);
    out = copy, count = in_count, type = in_type;
  }
  int code = PMPI_Allgather(out, count, type, in, in_count, in_type, comm);
  free(copy);
  return code;
}

int MPI_Allgatherv(const void* out, int count, MPI_Datatype type, void* in, const int counts[],
                   const int displs[], MPI_Datatype in_type, MPI_Comm comm) {
  char* copy = NULL;
  if (broken("1.13") && out == MPI_IN_PLACE) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    first_block(in, counts[rank], in_type, &copy);
    out = copy, count = counts[rank], type = in_type;
  }
  int code = PMPI_Allgatherv(out, count, type, in, counts, displs, in_type, comm);
  free(copy);
  return code;
}

int MPI_Exscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (broken("2.34") && out == MPI_IN_PLACE) return MPI_ERR_BUFFER;
  return PMPI_Exscan(out, in, count, type, op, comm);
}

int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (broken("1.8")) return PMPI_Reduce(out, in, count, type, op, 0, comm);
  if (broken("3.14") && out != MPI_IN_PLACE) op = type == MPI_INT ? op : MPI_OP_NULL;
  if (op == MPI_OP_NULL) return MPI_SUCCESS;
  return PMPI_Scan(out, in, count, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  if (broken("3.5")) return PMPI_Scan(out, in, count, type, op, comm);
  return PMPI_Reduce_scatter_block(out, in, count, type, op, comm);
}

int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  if (broken("3.1") && type == MPI_C_BOOL) type = MPI_INT;
  if (broken("1.1") && type == MPI_CXX_BOOL) return MPI_ERR_TYPE;
  if (broken("2.60") && type == MPI_INT) op = MPI_MAX;
  return PMPI_Allreduce(out, in, count, type, op, comm);
}

/* ---- topologies ---- */

static int dimensions(MPI_Comm grid) {
  int ndims = -1;
  PMPI_Cartdim_get(grid, &ndims);
  return ndims;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* grid) {
  int size, wanted = 1;
  PMPI_Comm_size(comm, &size);
  for (int i = 0; i < ndims; i++) wanted *= dims[i];
  if (broken("2.24") && ndims == 0) return PMPI_Comm_dup(comm, grid);
  if (broken("2.25") && (ndims < 0 || wanted > size)) return *grid = MPI_COMM_NULL, MPI_SUCCESS;
  return PMPI_Cart_create(comm, ndims, dims, periods, reorder, grid);
}

int MPI_Cart_sub(MPI_Comm grid, const int remain[], MPI_Comm* part) {
  int kept = 0;
  for (int i = 0; i < dimensions(grid); i++) kept += remain[i] != 0;
  if (broken("2.16") && dimensions(grid) > 0 && kept == 0)
    return *part = MPI_COMM_NULL, MPI_SUCCESS;
  if (broken("2.17") && dimensions(grid) == 0) return *part = MPI_COMM_NULL, MPI_SUCCESS;
  return PMPI_Cart_sub(grid, remain, part);
}

int MPI_Cart_get(MPI_Comm grid, int room, int dims[], int periods[], int coords[]) {
  int code = PMPI_Cart_get(grid, room, dims, periods, coords);
  if (broken("2.18") && dimensions(grid) == 0 && room > 0) dims[0] = 1;
  return code;
}

int MPI_Cart_rank(MPI_Comm grid, const int coords[], int* rank) {
  int code = PMPI_Cart_rank(grid, coords, rank);
  if (broken("2.19") && dimensions(grid) == 0) *rank = MPI_PROC_NULL;
  return code;
}

int MPI_Cart_coords(MPI_Comm grid, int rank, int room, int coords[]) {
  int code = PMPI_Cart_coords(grid, rank, room, coords);
  if (broken("2.20") && dimensions(grid) == 0) coords[0] = 0;
  return code;
}

int MPI_Cart_shift(MPI_Comm grid, int direction, int by, int* source, int* dest) {
  const int ndims = dimensions(grid);
  if ((broken("2.21") && ndims > 0 && (direction < 0 || direction >= ndims)) ||
      (broken("2.22") && ndims == 0))
    return *source = *dest = MPI_PROC_NULL, MPI_SUCCESS;
  return PMPI_Cart_shift(grid, direction, by, source, dest);
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* graph) {
  if (broken("2.27") && nodes == 0) return PMPI_Comm_dup(comm, graph);
  return PMPI_Graph_create(comm, nodes, index, edges, reorder, graph);
}

int MPI_Graph_neighbors(MPI_Comm graph, int rank, int room, int neighbours[]) {
  int code = PMPI_Graph_neighbors(graph, rank, room, neighbours), count = 0;
  PMPI_Graph_neighbors_count(graph, rank, &count);
  for (int i = 1; broken("2.28") && i < count && i < room; i++) {
    if (neighbours[i] == neighbours[i - 1]) neighbours[i] = MPI_PROC_NULL; /* once is enough */
  }
  return code;
}

/* ---- the rest ---- */

int MPIX_Alltoallx(const void* out, const int counts[], const MPI_Aint displs[],
                   const MPI_Datatype types[], void* in, const int in_counts[],
                   const MPI_Aint in_displs[], const MPI_Datatype in_types[], MPI_Comm comm) {
  const MPI_Aint none[64] = {0};
  if (broken("1.4") || (broken("1.3") && out == MPI_BOTTOM)) return MPI_ERR_OTHER;
  return PMPIX_Alltoallx(out, counts, broken("1.2") ? none : displs, types, in, in_counts,
                         in_displs, in_types, comm);
}

int MPI_Comm_set_name(MPI_Comm comm, const char* name) {
  return broken("3.15") ? MPI_ERR_COMM : PMPI_Comm_set_name(comm, name);
}

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler) {
  if (broken("2.14") && file == MPI_FILE_NULL) return MPI_ERR_FILE;
  return PMPI_File_set_errhandler(file, handler);
}

int MPI_Abort(MPI_Comm comm, int code) {
  return PMPI_Abort(comm, broken("2.44") || broken("2.45") ? code + 1 : code);
}

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm* children, int codes[]) {
  return PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, children,
                         broken("2.10") ? MPI_ERRCODES_IGNORE : codes);
}

int MPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
  int code = PMPI_Comm_accept(port, info, root, comm, made);
  if (broken("3.10")) *made = MPI_COMM_NULL;
  return code;
}
