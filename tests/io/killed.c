/* SPDX-License-Identifier: BSD-3-Clause
   killed RULES VICTIM DIRECTORY: one rank dies inside the storage (faulty.cpp), in a job that goes
   on without it. The others get MPI_ERR_PROC_ABORTED from that call, and the file has only bytes
   that were there or were to be written. req io 11.176, req io 11.182 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 100, PIECES = 400 };

static int rank, size;

static char datum(int of, int i) {
  return (char)(1 + of * 60 + i % 50);
}

static int is_death(int code) {
  int class_is = MPI_SUCCESS;
  MPI_Error_class(code, &class_is);
  return class_is == MPI_ERR_PROC_ABORTED;
}

/* The calls in turn, until one says that a process is gone; its name, or none. */
static const char* until_death(const char* name, MPI_Info info, MPI_File* file) {
  static char data[PIECE * PIECES];
  MPI_Datatype type, filetype;
  MPI_Status status;
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  if (is_death(MPI_File_open(MPI_COMM_WORLD, name, amode, info, file))) return "open";
  MPI_Type_contiguous(PIECE, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)PIECE * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(*file, PIECE * rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  MPI_Type_free(&filetype);
  for (int i = 0; i < PIECE * PIECES; ++i) data[i] = datum(rank, i);
  if (is_death(MPI_File_write_at_all(*file, 0, data, PIECE * PIECES, MPI_BYTE, &status)))
    return "write";
  if (is_death(MPI_File_read_at_all(*file, 0, data, PIECE * PIECES, MPI_BYTE, &status)))
    return "read";
  if (is_death(MPI_File_sync(*file))) return "sync";
  if (is_death(MPI_File_close(file))) return "close";
  return "none";
}

/* A byte that nobody wrote yet is zero. */
static long wrong_bytes(const char* path) {
  long bad = 0;
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  long at = 0;
  for (int c = fgetc(file); c != EOF; c = fgetc(file), ++at) {
    const int of = (int)(at / PIECE) % size;
    const int i = (int)(at / (PIECE * size)) * PIECE + (int)(at % PIECE);
    bad += c != 0 && (char)c != datum(of, i);
  }
  fclose(file);
  return bad + (at > (long)PIECE * PIECES * size);
}

int main(int argc, char** argv) {
  char path[512], name[1024];
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int victim = atoi(argv[2]);
  snprintf(path, sizeof path, "%s/killed", argv[3]);
  snprintf(name, sizeof name, "faulty:/%s!%s", rank == victim ? argv[1] : "", path);
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "romio_cb_read", "enable");
  MPI_Info_set(info, "cb_nodes", "16");
  MPI_Info_set(info, "cb_buffer_size", "4096");
  const char* call = until_death(name, info, &file);
  MPI_Info_free(&info);
  printf("rank %d: %s, %ld wrong bytes\n", rank, call, wrong_bytes(path));
  fflush(stdout);
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
