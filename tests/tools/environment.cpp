// SPDX-License-Identifier: BSD-3-Clause
// What the library is told about the Fortran compiler, and what it says about kinds of memory.
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include "check.h"

namespace {

std::string value_of(MPI_Info info, const char* key) {
  char value[256] = "";
  int room = sizeof value, flag = 0;
  MPI_Info_get_string(info, key, &room, value, &flag);
  return flag != 0 ? value : "(none)";
}

// Described once, before MPI_Init, from any thread. req dynamic 9.1, 9.2, 9.3, 9.5, 9.9
void fortran_compiler() {
  MPI_Info info = MPI_INFO_ENV;
  CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
  CHECK(MPI_Abi_set_fortran_info(MPI_INFO_NULL) != MPI_SUCCESS);
  MPI_Info given = MPI_INFO_NULL;
  MPI_Info_create(&given);
  for (const char* wrong : {"3", "-1", "four"}) {
    MPI_Info_set(given, "mpi_integer_size", wrong);
    CHECK(class_of(MPI_Abi_set_fortran_info(given)) == MPI_ERR_ARG);
  }
  CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
  MPI_Info_set(given, "mpi_integer_size", "4");
  MPI_Info_set(given, "mpi_logical_size", "4");
  MPI_Info_set(given, "mpi_real16_supported", "maybe");
  CHECK(class_of(MPI_Abi_set_fortran_info(given)) == MPI_ERR_ARG);
  MPI_Info_set(given, "mpi_real16_supported", "false");
  MPI_Info_set(given, "somebody_elses_key", "is ignored");
  std::thread([&] { CHECK(MPI_Abi_set_fortran_info(given) == MPI_SUCCESS); }).join();
  CHECK(class_of(MPI_Abi_set_fortran_info(given)) == MPI_ERR_ABI);
  CHECK(MPI_Info_free(&given) == MPI_SUCCESS);
  CHECK(MPI_Abi_get_fortran_info(&info) == MPI_SUCCESS);
  CHECK(value_of(info, "mpi_integer_size") == "4");
  CHECK(value_of(info, "mpi_real16_supported") == "false");
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
}

// Buffers need no alignment. req dynamic 9.6, 9.7, 9.10
void fortran_booleans() {
  char room[9] = {};
  void* const yes = room + 1;
  void* const no = room + 5;
  int set = -1;
  std::memset(room, 7, sizeof room);
  CHECK(MPI_Abi_get_fortran_booleans(4, yes, no, &set) == MPI_SUCCESS && set == 0);
  CHECK(room[1] == 7 && room[5] == 7);
  CHECK(class_of(MPI_Abi_get_fortran_booleans(3, yes, no, &set)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Abi_set_fortran_booleans(4, nullptr, no)) == MPI_ERR_ARG);
  std::int32_t truth = -1, falsehood = 0;
  CHECK(class_of(MPI_Abi_set_fortran_booleans(4, &truth, &truth)) == MPI_ERR_ARG);
  CHECK(MPI_Abi_set_fortran_booleans(4, &truth, &falsehood) == MPI_SUCCESS);
  CHECK(class_of(MPI_Abi_set_fortran_booleans(4, &truth, &falsehood)) == MPI_ERR_ABI);
  CHECK(MPI_Abi_get_fortran_booleans(4, yes, no, &set) == MPI_SUCCESS && set == 1);
  CHECK(std::memcmp(yes, &truth, 4) == 0 && std::memcmp(no, &falsehood, 4) == 0);
  CHECK(MPI_Abi_get_fortran_booleans(8, yes, no, &set) == MPI_SUCCESS && set == 0);
}

// req dynamic 10.7, 10.12
void memory_kinds() {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Info info = MPI_INFO_NULL, wish = MPI_INFO_NULL;
  MPI_Info_create(&wish);
  MPI_Info_set(wish, "mpi_memory_alloc_kinds", "gpu,system");
  CHECK(MPI_Session_init(wish, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  MPI_Info_free(&wish);
  CHECK(MPI_Session_get_info(session, &info) == MPI_SUCCESS);
  CHECK(value_of(info, "mpi_memory_alloc_kinds") == "mpi,system");
  CHECK(value_of(info, "thread_level").starts_with("MPI_THREAD_"));
  MPI_Info_free(&info);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  CHECK(value_of(MPI_INFO_ENV, "mpi_memory_alloc_kinds") == "mpi,system");
  CHECK(MPI_Comm_get_info(MPI_COMM_WORLD, &info) == MPI_SUCCESS);
  CHECK(value_of(info, "mpi_memory_alloc_kinds") == "mpi,system");
  MPI_Info_free(&info);
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS) {
    CHECK(MPI_File_get_info(file, &info) == MPI_SUCCESS);
    CHECK(value_of(info, "mpi_memory_alloc_kinds") == "mpi,system");
    MPI_Info_free(&info);
    MPI_File_close(&file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  fortran_compiler();
  fortran_booleans();
  memory_kinds();
  return finish();
}
