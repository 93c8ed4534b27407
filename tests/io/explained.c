/* SPDX-License-Identifier: BSD-3-Clause
   What --explain=select tells of a file: hints, and who carries collective accesses out.
   req io 4.48, req io 4.52 */
#include <mpi.h>

#include "scratch.h"

enum { BYTES = 1 << 18, PIECE = 64 };

int main(int argc, char** argv) {
  static char data[BYTES];
  char name[NAME_LENGTH];
  int rank, size;
  MPI_File file;
  MPI_Info info;
  MPI_Datatype turns;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "2");
  MPI_Info_set(info, "striping_factor", "4");
  MPI_File_open(MPI_COMM_WORLD, scratch(MPI_COMM_WORLD, "explained", name),
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Type_vector(BYTES / PIECE, PIECE, PIECE * size, MPI_BYTE, &turns);
  MPI_Type_commit(&turns);
  MPI_File_set_view(file, (MPI_Offset)rank * PIECE, MPI_BYTE, turns, "native", MPI_INFO_NULL);
  MPI_File_write_at_all(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Type_free(&turns);
  MPI_File_close(&file);
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
