// SPDX-License-Identifier: BSD-3-Clause
// Access at individual file pointers (MPI-5.0 §14.4.3).
#include "api/io/access.h"

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_File_read)
extern "C" int PMPI_File_read(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                              MPI_Status* status) {
  return access_alone(read_next("MPI_File_read", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_all)
extern "C" int PMPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                  MPI_Status* status) {
  return access_together(read_next("MPI_File_read_all", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread)
extern "C" int PMPI_File_iread(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                               MPI_Request* request) {
  return start_alone(read_next("MPI_File_iread", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_all)
extern "C" int PMPI_File_iread_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                   MPI_Request* request) {
  return start_together(read_next("MPI_File_iread_all", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_read_c)
extern "C" int PMPI_File_read_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                MPI_Status* status) {
  return access_alone(read_next("MPI_File_read_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_all_c)
extern "C" int PMPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                    MPI_Status* status) {
  return access_together(read_next("MPI_File_read_all_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_c)
extern "C" int PMPI_File_iread_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                 MPI_Request* request) {
  return start_alone(read_next("MPI_File_iread_c", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_all_c)
extern "C" int PMPI_File_iread_all_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                     MPI_Request* request) {
  return start_together(read_next("MPI_File_iread_all_c", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_write)
extern "C" int PMPI_File_write(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                               MPI_Status* status) {
  return access_alone(write_next("MPI_File_write", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_all)
extern "C" int PMPI_File_write_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                   MPI_Status* status) {
  return access_together(write_next("MPI_File_write_all", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite)
extern "C" int PMPI_File_iwrite(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                MPI_Request* request) {
  return start_alone(write_next("MPI_File_iwrite", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_all)
extern "C" int PMPI_File_iwrite_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                    MPI_Request* request) {
  return start_together(write_next("MPI_File_iwrite_all", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_write_c)
extern "C" int PMPI_File_write_c(MPI_File fh, const void* buf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(write_next("MPI_File_write_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_all_c)
extern "C" int PMPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Status* status) {
  return access_together(write_next("MPI_File_write_all_c", fh, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_c)
extern "C" int PMPI_File_iwrite_c(MPI_File fh, const void* buf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(write_next("MPI_File_iwrite_c", fh, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_all_c)
extern "C" int PMPI_File_iwrite_all_c(MPI_File fh, const void* buf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Request* request) {
  return start_together(write_next("MPI_File_iwrite_all_c", fh, buf, count, datatype), request);
}
