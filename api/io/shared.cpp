// SPDX-License-Identifier: BSD-3-Clause
// Access at the shared file pointer, alone and in the order of ranks (MPI-5.0 §14.4.4).
#include "api/io/access.h"

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_File_read_shared)
extern "C" int PMPI_File_read_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                     MPI_Status* status) {
  return access_alone(read_shared("MPI_File_read_shared", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_shared)
extern "C" int PMPI_File_iread_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                      MPI_Request* request) {
  return start_alone(read_shared("MPI_File_iread_shared", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_read_ordered)
extern "C" int PMPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                      MPI_Status* status) {
  return access_together(read_shared("MPI_File_read_ordered", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_shared_c)
extern "C" int PMPI_File_read_shared_c(MPI_File fh, void* buf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(read_shared("MPI_File_read_shared_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_shared_c)
extern "C" int PMPI_File_iread_shared_c(MPI_File fh, void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(read_shared("MPI_File_iread_shared_c", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_read_ordered_c)
extern "C" int PMPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Status* status) {
  return access_together(read_shared("MPI_File_read_ordered_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_shared)
extern "C" int PMPI_File_write_shared(MPI_File fh, const void* buf, int count,
                                      MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(write_shared("MPI_File_write_shared", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_shared)
extern "C" int PMPI_File_iwrite_shared(MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(write_shared("MPI_File_iwrite_shared", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_write_ordered)
extern "C" int PMPI_File_write_ordered(MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Status* status) {
  return access_together(write_shared("MPI_File_write_ordered", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_shared_c)
extern "C" int PMPI_File_write_shared_c(MPI_File fh, const void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(write_shared("MPI_File_write_shared_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_shared_c)
extern "C" int PMPI_File_iwrite_shared_c(MPI_File fh, const void* buf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(write_shared("MPI_File_iwrite_shared_c", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_write_ordered_c)
extern "C" int PMPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Status* status) {
  return access_together(write_shared("MPI_File_write_ordered_c", fh, buf, count, datatype),
                         status);
}
