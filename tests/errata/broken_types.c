/* SPDX-License-Identifier: BSD-3-Clause
   The part of broken.c that has to do with datatypes, windows and files. */
#include <mpi.h>
#include <string.h>

#include "broken.h"

/* ---- datatypes ---- */

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* made) {
  if (broken("2.55") && length == 0) length = 1;
  return PMPI_Type_vector(count, length, stride, old, made);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displs[],
                             MPI_Datatype old, MPI_Datatype* made) {
  if (broken("2.58") && count < 0) count = 0;
  return PMPI_Type_create_hindexed(count, lengths, displs, old, made);
}

int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displs[], MPI_Datatype old,
                      MPI_Datatype* made) {
  if (broken("2.56") && count < 0) count = 0;
  return PMPI_Type_create_hindexed(count, lengths, displs, old, made);
}

static int one_struct(int count, const int lengths[], const MPI_Aint displs[],
                      const MPI_Datatype types[], MPI_Datatype* made, int lenient) {
  if (!lenient) return PMPI_Type_create_struct(count, lengths, displs, types, made);
  int usable = 0;
  while (usable < count && lengths[usable] >= 0) usable++;
  return PMPI_Type_create_struct(usable, lengths, displs, types, made);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displs[],
                           const MPI_Datatype types[], MPI_Datatype* made) {
  const MPI_Aint nowhere[1] = {0};
  if (broken("1.30") && count == 1) displs = nowhere;
  return one_struct(count, lengths, displs, types, made, broken("2.59"));
}

int MPI_Type_struct(int count, int lengths[], MPI_Aint displs[], MPI_Datatype types[],
                    MPI_Datatype* made) {
  return one_struct(count, lengths, displs, types, made, broken("2.57"));
}

int MPI_Type_size(MPI_Datatype type, int* size) {
  MPI_Count wide = 0;
  int code = PMPI_Type_size(type, size);
  if (broken("3.9") && PMPI_Type_size_c(type, &wide) == MPI_SUCCESS) *size = (int)wide;
  return code;
}

int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype* type) {
  MPI_Datatype same;
  int code = PMPI_Type_create_f90_real(precision, range, &same);
  if (!broken("2.46")) return *type = same, code;
  return PMPI_Type_dup(same, type);
}

/* ---- windows and files ---- */

int MPI_Get(void* to, int count, MPI_Datatype type, int target, MPI_Aint displ, int target_count,
            MPI_Datatype target_type, MPI_Win win) {
  if (broken("2.9") && target == MPI_PROC_NULL) memset(to, 0, sizeof(int));
  return PMPI_Get(to, count, type, target, displ, target_count, target_type, win);
}

int MPI_Put(const void* from, int count, MPI_Datatype type, int target, MPI_Aint displ,
            int target_count, MPI_Datatype target_type, MPI_Win win) {
  if (broken("3.7")) return MPI_SUCCESS; /* as if the epoch ended before */
  return PMPI_Put(from, count, type, target, displ, target_count, target_type, win);
}

int MPI_File_open(MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* file) {
  const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR);
  if (broken("2.48") && access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY)
    amode = (amode & ~access) | MPI_MODE_RDWR;
  return PMPI_File_open(comm, name, amode, info, file);
}

static int forgets = 0;

int MPI_File_set_view(MPI_File file, MPI_Offset displ, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* datarep, MPI_Info info) {
  forgets = broken("2.50");
  return PMPI_File_set_view(file, displ, etype, filetype, datarep, info);
}

int MPI_File_get_info(MPI_File file, MPI_Info* used) {
  int code = PMPI_File_get_info(file, used);
  if (forgets) PMPI_Info_delete(*used, "cb_buffer_size");
  if (broken("2.49")) PMPI_Info_free(used);
  return code;
}

int MPI_File_get_view(MPI_File file, MPI_Offset* displ, MPI_Datatype* etype, MPI_Datatype* filetype,
                      char* datarep) {
  int code = PMPI_File_get_view(file, displ, etype, filetype, datarep);
  if (broken("2.31")) *filetype = *etype;
  return code;
}

static MPI_Datarep_conversion_function* read_of_user;

/* The pointer moves instead of the position. */
static int read_from_start(void* user, MPI_Datatype type, int count, void* stream,
                           MPI_Offset position, void* state) {
  return read_of_user((char*)user + position, type, count, stream, position, state);
}

int MPI_Register_datarep(const char* name, MPI_Datarep_conversion_function* read,
                         MPI_Datarep_conversion_function* write,
                         MPI_Datarep_extent_function* extent, void* state) {
  read_of_user = read;
  return PMPI_Register_datarep(name, broken("2.40") ? read_from_start : read, write, extent, state);
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count,
                         MPI_Datatype type, MPI_Status* status) {
  if (broken("2.12")) offset = 0; /* as if calls of other threads came between */
  return PMPI_File_read_at_all(file, offset, buffer, count, type, status);
}
