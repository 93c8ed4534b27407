// SPDX-License-Identifier: BSD-3-Clause
// Control variables that are written: before MPI_Init, while MPI runs, for one communicator.
#include "tool.h"

namespace {

// req dynamic 6.4, 6.5, 6.8, 6.9
void before_init() {
  const Control wait("core_wait");
  CHECK(wait.read<int>() == 0);
  CHECK(wait.write(7) == MPI_T_ERR_INVALID);
  CHECK(wait.read<int>() == 0);
  CHECK(wait.write(2) == MPI_SUCCESS && wait.read<int>() == 2);
  CHECK(wait.write(0) == MPI_SUCCESS && wait.read<int>() == 0);
  const Control spin("core_spin_time");
  CHECK(spin.read<MPI_Count>() == 20);
  CHECK(spin.write<MPI_Count>(-4) == MPI_T_ERR_INVALID && spin.read<MPI_Count>() == 20);
  CHECK(spin.write<MPI_Count>(31) == MPI_SUCCESS && spin.read<MPI_Count>() == 31);
  const Control eager("btl_sm_eager_limit");
  CHECK(eager.write<unsigned long long>(12345) == MPI_SUCCESS);
  CHECK(eager.write<unsigned long long>(1ull << 40) == MPI_T_ERR_INVALID);
  CHECK(eager.read<unsigned long long>() == 12345);
  char name[4096] = "counts";
  const Control table("pml_monitoring_table");
  CHECK(MPI_T_cvar_write(table.handle(), name) == MPI_SUCCESS);
  CHECK(table.text() == "counts");
  std::memset(name, 'x', sizeof name);  // without an end
  CHECK(MPI_T_cvar_write(table.handle(), name) == MPI_T_ERR_INVALID);
  CHECK(table.text() == "counts");
  const Control path("mca_component_path");
  CHECK(MPI_T_cvar_write(path.handle(), "/nowhere") == MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK(MPI_T_cvar_write(Control("pml_ob1_split").handle(), nullptr) == MPI_T_ERR_INVALID);
}

// What was said before is what the engine has; what is read once comes too late.
void while_running() {
  CHECK(Control("core_spin_time").read<MPI_Count>() == 31);
  CHECK(Control("btl_sm_eager_limit").read<unsigned long long>() == 12345);
  CHECK(Control("btl_sm_eager_limit").write<unsigned long long>(4096) ==
        MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK(Control("core_spin_time").write<MPI_Count>(12) == MPI_SUCCESS);
  CHECK(Control("core_spin_time").read<MPI_Count>() == 12);
}

// The check of arguments, off and on again.
void takes_effect() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const Control argument_check("mpi_argument_check");
  CHECK(argument_check.read<int>() == 1);
  CHECK(argument_check.write(0) == MPI_SUCCESS && argument_check.read<int>() == 0);
  CHECK(argument_check.write(1) == MPI_SUCCESS);
  CHECK(class_of(MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_SELF)) == MPI_ERR_COUNT);
  CHECK(argument_check.write(2) == MPI_T_ERR_INVALID);
}

// req dynamic 6.7, 6.10
void of_a_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm nobody = MPI_COMM_NULL;
  int index = -1, count = 0;
  MPI_T_cvar_handle none = MPI_T_CVAR_HANDLE_NULL;
  CHECK(MPI_T_cvar_get_index("coll_basic_bcast_algorithm.comm", &index) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_handle_alloc(index, &nobody, &none, &count) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_handle_alloc(index, nullptr, &none, &count) == MPI_T_ERR_INVALID);
  const Control algorithm("coll_basic_bcast_algorithm.comm", &comm);
  const int others = algorithm.read<int>();
  CHECK(algorithm.write(others + 2) == MPI_SUCCESS && algorithm.read<int>() == others + 2);
  MPI_Comm world = MPI_COMM_WORLD;
  CHECK(Control("coll_basic_bcast_algorithm.comm", &world).read<int>() == others);
  CHECK(algorithm.write(1000) == MPI_T_ERR_INVALID);
  MPI_Barrier(comm);
  CHECK(algorithm.write(others + 1) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK(algorithm.read<int>() == others + 2);
  MPI_Comm_free(&comm);
  int value = 0;
  CHECK(MPI_T_cvar_read(algorithm.handle(), &value) == MPI_T_ERR_INVALID_HANDLE);
}

}  // namespace

int main() {
  CHECK(start_tools() == MPI_SUCCESS);
  before_init();
  MPI_Init(nullptr, nullptr);
  while_running();
  takes_effect();
  of_a_communicator();
  const int code = finish();
  CHECK(Control("core_spin_time").read<MPI_Count>() == 12);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return code != 0 || failures != 0 ? 1 : 0;
}
