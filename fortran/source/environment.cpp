// SPDX-License-Identifier: BSD-3-Clause
// Procedures whose Fortran form differs from the C form: start and end, time, addresses, buffers.
#include "fortran/source/convert.h"
#include "fortran/source/initialize.h"
#include "fortran/source/names.h"

using namespace tessera::fortran;

extern "C" void F(init)(Fint* ierror) {
  check_sentinels();
  finish(ierror, MPI_Init(nullptr, nullptr));
}
F08(init)

extern "C" void F(init_thread)(const Fint* required, Fint* provided, Fint* ierror) {
  check_sentinels();
  finish(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
F08(init_thread)

extern "C" void F(pcontrol)(const Fint* level) {
  MPI_Pcontrol(*level);
}
F08(pcontrol)

extern "C" double F(wtime)() {
  return MPI_Wtime();
}
F08(wtime)
extern "C" double F(wtick)() {
  return MPI_Wtick();
}
F08(wtick)
extern "C" MPI_Aint F(aint_add)(const MPI_Aint* base, const MPI_Aint* disp) {
  return MPI_Aint_add(*base, *disp);
}
F08(aint_add)
extern "C" MPI_Aint F(aint_diff)(const MPI_Aint* addr1, const MPI_Aint* addr2) {
  return MPI_Aint_diff(*addr1, *addr2);
}
F08(aint_diff)

extern "C" void F(info_create_env)(Fint* info, Fint* ierror) {
  Out<MPI_Info> info_(info);
  const int code = MPI_Info_create_env(0, nullptr, info_);
  if (code == MPI_SUCCESS) info_.store();
  finish(ierror, code);
}
F08(info_create_env)

// The compiler cannot see through a call of another library: it writes `buf` to memory before, and
// reads it again after.
extern "C" void F(f_sync_reg)(void*) {}
extern "C" void mpi_f_sync_reg_f08ts_(const void*) {}

// Both kinds of status are the same eight integers.
extern "C" void F(status_f2f08)(const Fint* from, Fint* to, Fint* ierror) {
  std::memcpy(to, from, sizeof(MPI_Status));
  finish(ierror, MPI_SUCCESS);
}
extern "C" void F(status_f082f)(const Fint* from, Fint* to, Fint* ierror) {
  std::memcpy(to, from, sizeof(MPI_Status));
  finish(ierror, MPI_SUCCESS);
}

extern "C" void F(abi_set_fortran_booleans)(const Fint* size, Fint* logical_true,
                                            Fint* logical_false, Fint* ierror) {
  finish(ierror, MPI_Abi_set_fortran_booleans(*size, logical_true, logical_false));
}
F08(abi_set_fortran_booleans)

extern "C" void F(abi_get_fortran_booleans)(const Fint* size, Fint* logical_true,
                                            Fint* logical_false, Fint* is_set, Fint* ierror) {
  int is_set_ = 0;
  const int code = MPI_Abi_get_fortran_booleans(*size, logical_true, logical_false, &is_set_);
  if (code == MPI_SUCCESS) *is_set = logical(is_set_);
  finish(ierror, code);
}
F08(abi_get_fortran_booleans)

// MPI knows as many periods as the topology has dimensions; the rest of the array stays.
extern "C" void F(cart_get)(const Fint* comm, const Fint* maxdims, Fint* dims, Fint* periods,
                            Fint* coords, Fint* ierror) {
  Room<int> periods_(*maxdims);
  const int code = MPI_Cart_get(handle<MPI_Comm>(comm), *maxdims, dims, periods_.data(), coords);
  if (code == MPI_SUCCESS) {
    const int known = std::min(*maxdims, cart_dimensions(*comm));
    for (int i = 0; i < known; ++i) periods[i] = logical(periods_[static_cast<std::size_t>(i)]);
  }
  finish(ierror, code);
}
F08(cart_get)

namespace {

// What MPI did not fill stays a null pointer, which is no handle.
void store_types(Room<MPI_Datatype>& types, Fint* numbers) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != nullptr) numbers[i] = number(types[i]);
  }
}

void clear(Room<MPI_Datatype>& types) {
  std::fill_n(types.data(), types.size(), nullptr);
}

// mpi_f08 has the address; the other forms declare the argument as a buffer, which cannot hold it.
void store_detached(void* from, void** to) {
  *to = from == MPI_BUFFER_AUTOMATIC ? &mpi_fortran_addresses_.buffer_automatic : from;
}

template <class Size, class Detach>
void detach(Detach call, void** to, Size* size, Fint* ierror) {
  void* address = nullptr;
  Size bytes = 0;
  const int code = call(&address, &bytes);
  if (code == MPI_SUCCESS) {
    if (to != nullptr) store_detached(address, to);
    *size = bytes;
  }
  finish(ierror, code);
}

}  // namespace

extern "C" void F(type_get_contents)(const Fint* datatype, const Fint* max_integers,
                                     const Fint* max_addresses, const Fint* max_datatypes,
                                     Fint* integers, MPI_Aint* addresses, Fint* datatypes,
                                     Fint* ierror) {
  Room<MPI_Datatype> types(*max_datatypes);
  clear(types);
  const int code =
      MPI_Type_get_contents(handle<MPI_Datatype>(datatype), *max_integers, *max_addresses,
                            *max_datatypes, integers, addresses, types.data());
  if (code == MPI_SUCCESS) store_types(types, datatypes);
  finish(ierror, code);
}
F08(type_get_contents)

extern "C" void F(type_get_contents_c)(const Fint* datatype, const MPI_Count* max_integers,
                                       const MPI_Count* max_addresses,
                                       const MPI_Count* max_large_counts,
                                       const MPI_Count* max_datatypes, Fint* integers,
                                       MPI_Aint* addresses, MPI_Count* large_counts,
                                       Fint* datatypes, Fint* ierror) {
  Room<MPI_Datatype> types(*max_datatypes);
  clear(types);
  const int code = MPI_Type_get_contents_c(handle<MPI_Datatype>(datatype), *max_integers,
                                           *max_addresses, *max_large_counts, *max_datatypes,
                                           integers, addresses, large_counts, types.data());
  if (code == MPI_SUCCESS) store_types(types, datatypes);
  finish(ierror, code);
}
F08(type_get_contents_c)

#define TESSERA_DETACH(name, Name, Size, Object, object, ...)                                 \
  extern "C" void mpi_##name##_f08_(Object void** address, Size* size, Fint* ierror) {        \
    detach([&](void* to, Size* bytes) { return MPI_##Name(__VA_ARGS__ to, bytes); }, address, \
           size, ierror);                                                                     \
  }                                                                                           \
  extern "C" void F(name)(Object void*, Size* size, Fint* ierror) {                           \
    mpi_##name##_f08_(object nullptr, size, ierror);                                          \
  }

#define TESSERA_AND ,
TESSERA_DETACH(buffer_detach, Buffer_detach, Fint, , , )
TESSERA_DETACH(buffer_detach_c, Buffer_detach_c, MPI_Count, , , )
TESSERA_DETACH(comm_detach_buffer, Comm_detach_buffer, Fint, const Fint* comm TESSERA_AND,
               comm TESSERA_AND, handle<MPI_Comm>(comm), )
TESSERA_DETACH(comm_detach_buffer_c, Comm_detach_buffer_c, MPI_Count, const Fint* comm TESSERA_AND,
               comm TESSERA_AND, handle<MPI_Comm>(comm), )
TESSERA_DETACH(session_detach_buffer, Session_detach_buffer, Fint, const Fint* session TESSERA_AND,
               session TESSERA_AND, handle<MPI_Session>(session), )
TESSERA_DETACH(session_detach_buffer_c, Session_detach_buffer_c, MPI_Count,
               const Fint* session TESSERA_AND, session TESSERA_AND, handle<MPI_Session>(session), )
