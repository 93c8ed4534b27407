// SPDX-License-Identifier: BSD-3-Clause
// Access at explicit offsets (MPI-5.0 §14.4.2).
#include "api/io/access.h"

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_File_read_at)
extern "C" int PMPI_File_read_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                 MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(read_at("MPI_File_read_at", fh, offset, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_at_all)
extern "C" int PMPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                     MPI_Datatype datatype, MPI_Status* status) {
  return access_together(read_at("MPI_File_read_at_all", fh, offset, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_at)
extern "C" int PMPI_File_iread_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                  MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(read_at("MPI_File_iread_at", fh, offset, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_at_all)
extern "C" int PMPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                      MPI_Datatype datatype, MPI_Request* request) {
  return start_together(read_at("MPI_File_iread_at_all", fh, offset, buf, count, datatype),
                        request);
}

TESSERA_WEAK_ALIAS(MPI_File_read_at_c)
extern "C" int PMPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(read_at("MPI_File_read_at_c", fh, offset, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_at_all_c)
extern "C" int PMPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Status* status) {
  return access_together(read_at("MPI_File_read_at_all_c", fh, offset, buf, count, datatype),
                         status);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_at_c)
extern "C" int PMPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(read_at("MPI_File_iread_at_c", fh, offset, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iread_at_all_c)
extern "C" int PMPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Request* request) {
  return start_together(read_at("MPI_File_iread_at_all_c", fh, offset, buf, count, datatype),
                        request);
}

TESSERA_WEAK_ALIAS(MPI_File_write_at)
extern "C" int PMPI_File_write_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                  MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(write_at("MPI_File_write_at", fh, offset, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_all)
extern "C" int PMPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                      MPI_Datatype datatype, MPI_Status* status) {
  return access_together(write_at("MPI_File_write_at_all", fh, offset, buf, count, datatype),
                         status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_at)
extern "C" int PMPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                   MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(write_at("MPI_File_iwrite_at", fh, offset, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_at_all)
extern "C" int PMPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Request* request) {
  return start_together(write_at("MPI_File_iwrite_at_all", fh, offset, buf, count, datatype),
                        request);
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_c)
extern "C" int PMPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                    MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  return access_alone(write_at("MPI_File_write_at_c", fh, offset, buf, count, datatype), status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_all_c)
extern "C" int PMPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                        MPI_Count count, MPI_Datatype datatype,
                                        MPI_Status* status) {
  return access_together(write_at("MPI_File_write_at_all_c", fh, offset, buf, count, datatype),
                         status);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_at_c)
extern "C" int PMPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                     MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  return start_alone(write_at("MPI_File_iwrite_at_c", fh, offset, buf, count, datatype), request);
}

TESSERA_WEAK_ALIAS(MPI_File_iwrite_at_all_c)
extern "C" int PMPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                         MPI_Count count, MPI_Datatype datatype,
                                         MPI_Request* request) {
  return start_together(write_at("MPI_File_iwrite_at_all_c", fh, offset, buf, count, datatype),
                        request);
}
