// SPDX-License-Identifier: BSD-3-Clause
// Which MPI library a program will use: ours, found by itself or with help, or that of another MPI.
#pragma once
//
// Contract. A program of another MPI does not find this job: each of its processes believes to be
// alone, works, and ends well. mpiexec says so. It knows such a program by the libraries that its
// file asks for, and by those that a running process has mapped, for programs that load their MPI
// later (Python) and for those that a script starts. A program that asks for libmpi_abi.so.1 may
// get another MPI's: the search of the dynamic linker is followed to the file.
//
#include <sys/types.h>

#include <string>
#include <string_view>

namespace tessera::launcher {

// The directory in which our libmpi_abi.so.1 lies.
std::string library_directory();
// The same; empty where it is one of the system's.
std::string own_library_directory();

// What a program will do, seen from its file. `search_path` is the LD_LIBRARY_PATH that it gets
// from the user.
struct MpiUse {
  bool asks = false;        // for an MPI
  bool finds_ours = false;  // without help
  std::string other;  // "libmpi.so.40 of Open MPI", "/opt/x/lib/libmpi_abi.so.1 of another MPI"
};
MpiUse mpi_use_of(const std::string& program, std::string_view search_path);

// The other MPI's library that a process has mapped, as in MpiUse; empty when there is none.
std::string other_mpi_in(pid_t process);
// The same of the processes that descend from it. Those of a launcher of that MPI, which are not
// alone, do not count, nor does what the kernel does not show. Reads /proc of a few processes.
std::string other_mpi_behind(pid_t process);

}  // namespace tessera::launcher
