// SPDX-License-Identifier: BSD-3-Clause
// Split collective access (MPI-5.0 §14.4.5).
#include "api/io/access.h"

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_File_read_at_all_begin)
extern "C" int PMPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                           MPI_Datatype datatype) {
  return begin_together(read_at("MPI_File_read_at_all_begin", fh, offset, buf, count, datatype),
                        "read_at_all");
}

TESSERA_WEAK_ALIAS(MPI_File_read_all_begin)
extern "C" int PMPI_File_read_all_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype) {
  return begin_together(read_next("MPI_File_read_all_begin", fh, buf, count, datatype), "read_all");
}

TESSERA_WEAK_ALIAS(MPI_File_read_ordered_begin)
extern "C" int PMPI_File_read_ordered_begin(MPI_File fh, void* buf, int count,
                                            MPI_Datatype datatype) {
  return begin_together(read_shared("MPI_File_read_ordered_begin", fh, buf, count, datatype),
                        "read_ordered");
}

TESSERA_WEAK_ALIAS(MPI_File_read_at_all_begin_c)
extern "C" int PMPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf,
                                             MPI_Count count, MPI_Datatype datatype) {
  return begin_together(read_at("MPI_File_read_at_all_begin_c", fh, offset, buf, count, datatype),
                        "read_at_all");
}

TESSERA_WEAK_ALIAS(MPI_File_read_all_begin_c)
extern "C" int PMPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count,
                                          MPI_Datatype datatype) {
  return begin_together(read_next("MPI_File_read_all_begin_c", fh, buf, count, datatype),
                        "read_all");
}

TESSERA_WEAK_ALIAS(MPI_File_read_ordered_begin_c)
extern "C" int PMPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count,
                                              MPI_Datatype datatype) {
  return begin_together(read_shared("MPI_File_read_ordered_begin_c", fh, buf, count, datatype),
                        "read_ordered");
}

TESSERA_WEAK_ALIAS(MPI_File_read_at_all_end)
extern "C" int PMPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_together("MPI_File_read_at_all_end", fh, "read_at_all", buf, status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_all_end)
extern "C" int PMPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_together("MPI_File_read_all_end", fh, "read_all", buf, status);
}

TESSERA_WEAK_ALIAS(MPI_File_read_ordered_end)
extern "C" int PMPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
  return end_together("MPI_File_read_ordered_end", fh, "read_ordered", buf, status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_all_begin)
extern "C" int PMPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf,
                                            int count, MPI_Datatype datatype) {
  return begin_together(write_at("MPI_File_write_at_all_begin", fh, offset, buf, count, datatype),
                        "write_at_all");
}

TESSERA_WEAK_ALIAS(MPI_File_write_all_begin)
extern "C" int PMPI_File_write_all_begin(MPI_File fh, const void* buf, int count,
                                         MPI_Datatype datatype) {
  return begin_together(write_next("MPI_File_write_all_begin", fh, buf, count, datatype),
                        "write_all");
}

TESSERA_WEAK_ALIAS(MPI_File_write_ordered_begin)
extern "C" int PMPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count,
                                             MPI_Datatype datatype) {
  return begin_together(write_shared("MPI_File_write_ordered_begin", fh, buf, count, datatype),
                        "write_ordered");
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_all_begin_c)
extern "C" int PMPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                              MPI_Count count, MPI_Datatype datatype) {
  return begin_together(write_at("MPI_File_write_at_all_begin_c", fh, offset, buf, count, datatype),
                        "write_at_all");
}

TESSERA_WEAK_ALIAS(MPI_File_write_all_begin_c)
extern "C" int PMPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count,
                                           MPI_Datatype datatype) {
  return begin_together(write_next("MPI_File_write_all_begin_c", fh, buf, count, datatype),
                        "write_all");
}

TESSERA_WEAK_ALIAS(MPI_File_write_ordered_begin_c)
extern "C" int PMPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count,
                                               MPI_Datatype datatype) {
  return begin_together(write_shared("MPI_File_write_ordered_begin_c", fh, buf, count, datatype),
                        "write_ordered");
}

TESSERA_WEAK_ALIAS(MPI_File_write_at_all_end)
extern "C" int PMPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_together("MPI_File_write_at_all_end", fh, "write_at_all", buf, status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_all_end)
extern "C" int PMPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_together("MPI_File_write_all_end", fh, "write_all", buf, status);
}

TESSERA_WEAK_ALIAS(MPI_File_write_ordered_end)
extern "C" int PMPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
  return end_together("MPI_File_write_ordered_end", fh, "write_ordered", buf, status);
}
