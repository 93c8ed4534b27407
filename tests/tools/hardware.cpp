// SPDX-License-Identifier: BSD-3-Clause
// What the machine has, and what a process on one processor is restricted to.
#include <sched.h>

#include <map>
#include <string>

#include "check.h"

namespace {

std::map<std::string, std::string> resources() {
  MPI_Info info = MPI_INFO_NULL;
  CHECK(MPI_Get_hw_resource_info(&info) == MPI_SUCCESS);
  CHECK(info != MPI_INFO_NULL);
  std::map<std::string, std::string> all;
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY], value[64];
    int room = sizeof value, flag = 0;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_string(info, key, &room, value, &flag);
    CHECK(flag == 1);
    all[key] = value;
  }
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  return all;
}

// How many processes the communicator has that share this resource; 0: there is none.
int sharers(const std::string& type) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", type.c_str());
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part) ==
        MPI_SUCCESS);
  MPI_Info_free(&info);
  if (part == MPI_COMM_NULL) return 0;
  const int size = size_of(part);
  MPI_Comm_free(&part);
  return size;
}

}  // namespace

// req dynamic 9.11, 9.12, 9.13, 9.14
int main(int argc, char** argv) {
  const auto before = resources();  // before MPI_Init too
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Get_hw_resource_info(nullptr)) == MPI_ERR_ARG);
  cpu_set_t all;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  MPI_Bcast(&cpu, 1, MPI_INT, 0, MPI_COMM_WORLD);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  CHECK(before.empty() || before.at("hwloc://Machine") == "true");
  if (CPU_COUNT(&all) > 1 && !before.empty()) CHECK(before.at("hwloc://PU") == "false");
  CHECK(before.empty() || CPU_COUNT(&all) < 2 || sharers("hwloc://PU") == 0);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  const auto bound = resources();
  for (const auto& [name, only] : bound) {
    CHECK(name.starts_with("hwloc://") && only == "true");
    CHECK(sharers(name) == size_of(MPI_COMM_WORLD));  // all are bound to the same processor
  }
  CHECK(bound.size() == before.size());
  CHECK(sharers("hwloc://Toaster") == 0);
  return finish();
}
