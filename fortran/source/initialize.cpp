// SPDX-License-Identifier: BSD-3-Clause
// Tells the C library about the Fortran compiler, before anybody calls MPI.
#include "fortran/source/initialize.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fortran/source/convert.h"

// Of the compiler: the bits of its truth values, the sizes of its default kinds, and which kinds it
// has (modules/compiler.F90).
extern "C" const int tessera_fortran_sizes[4], tessera_fortran_kinds[15];

namespace tessera::fortran {
namespace {

constexpr const char* kSizes[] = {"mpi_logical_size", "mpi_integer_size", "mpi_real_size",
                                  "mpi_double_precision_size"};
// Keys of kinds that the library has, and their places among the compiler's. A COMPLEX is two
// REALs.
struct Kind {
  const char* key;
  int place;
};
constexpr int kLogical = 0, kInteger = 5, kReal = 10;
constexpr int kOne = 0, kTwo = 1, kFour = 2, kEight = 3, kSixteen = 4;
constexpr Kind kKinds[] = {{"mpi_logical1_supported", kLogical + kOne},
                           {"mpi_logical2_supported", kLogical + kTwo},
                           {"mpi_logical4_supported", kLogical + kFour},
                           {"mpi_logical8_supported", kLogical + kEight},
                           {"mpi_logical16_supported", kLogical + kSixteen},
                           {"mpi_integer1_supported", kInteger + kOne},
                           {"mpi_integer2_supported", kInteger + kTwo},
                           {"mpi_integer4_supported", kInteger + kFour},
                           {"mpi_integer8_supported", kInteger + kEight},
                           {"mpi_integer16_supported", kInteger + kSixteen},
                           {"mpi_real4_supported", kReal + kFour},
                           {"mpi_real8_supported", kReal + kEight},
                           {"mpi_real16_supported", kReal + kSixteen},
                           {"mpi_complex8_supported", kReal + kFour},
                           {"mpi_complex16_supported", kReal + kEight},
                           {"mpi_complex32_supported", kReal + kSixteen},
                           {"mpi_double_complex_supported", kReal + kEight}};
constexpr const char* kUnsupported[] = {"mpi_real2_supported", "mpi_complex4_supported"};

// Of every kind: the default one, repeated by its sign or filled with zeros.
template <class Logical>
void tell_truth_value() {
  auto no = static_cast<Logical>(tessera_fortran_logical[0]);
  auto yes = static_cast<Logical>(tessera_fortran_logical[1]);
  PMPI_Abi_set_fortran_booleans(sizeof(Logical), &yes, &no);
}

void tell_truth_values() {
  tell_truth_value<std::int8_t>();
  tell_truth_value<std::int16_t>();
  tell_truth_value<std::int32_t>();
  tell_truth_value<std::int64_t>();
  __extension__ using Sixteen = __int128;
  tell_truth_value<Sixteen>();
}

// A refusal means that the program, or another Fortran library, was first; both describe the same
// compiler, so it is no error.
[[gnu::constructor]] void describe_compiler() {
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Info_create(&info) != MPI_SUCCESS) return;
  for (int i = 0; i < 4; ++i)
    PMPI_Info_set(info, kSizes[i], std::to_string(tessera_fortran_sizes[i]).c_str());
  for (const Kind& kind : kKinds)
    PMPI_Info_set(info, kind.key, tessera_fortran_kinds[kind.place] != 0 ? "true" : "false");
  for (const char* key : kUnsupported) PMPI_Info_set(info, key, "false");
  MPI_Info known = MPI_INFO_NULL;
  if (PMPI_Abi_get_fortran_info(&known) == MPI_SUCCESS && known == MPI_INFO_NULL) {
    PMPI_Abi_set_fortran_info(info);
    tell_truth_values();
  }
  if (known != MPI_INFO_NULL) PMPI_Info_free(&known);
  PMPI_Info_free(&info);
}

}  // namespace

void check_sentinels() {
  // Asked of the program itself: a library linked with -Bsymbolic finds its own symbols first.
  void* program = dlopen(nullptr, RTLD_LAZY);
  const void* programs = dlsym(program, "mpi_fortran_addresses_");
  dlclose(program);
  if (programs == nullptr || programs == &mpi_fortran_addresses_) return;
  std::fputs(
      "MPI_INIT, called from Fortran: the program and libmpifort_abi have different copies of "
      "MPI_IN_PLACE, MPI_BOTTOM and their like, so MPI would take them for data. Link without "
      "-Bsymbolic, and without hiding the symbols mpi_fortran_*.\n",
      stderr);
  std::abort();
}

}  // namespace tessera::fortran
