// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/source/callbacks.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "fortran/source/attributes.h"

namespace tessera::fortran {
namespace {

// `Size` copies of one function, told apart by a number, each bound to one procedure for good. They
// are many: each only finds its procedure, and one function for all of them calls it.
template <class Shape, std::size_t Size>
class Pool {
 public:
  static typename Shape::Function* find(Procedure procedure) {
    for (std::size_t place = 0; place < Size; ++place) {
      Procedure bound = nullptr;
      if (places_[place].compare_exchange_strong(bound, procedure) || bound == procedure)
        return functions(std::make_index_sequence<Size>())[place];
    }
    return nullptr;
  }
  static Procedure at(std::size_t place) noexcept {
    return places_[place].load(std::memory_order_acquire);
  }

 private:
  template <std::size_t... Place>
  static typename Shape::Function* const* functions(std::index_sequence<Place...>) {
    static constexpr typename Shape::Function* all[] = {&Shape::template call<Pool, Place>...};
    return all;
  }
  static inline std::atomic<Procedure> places_[Size] = {};
};

template <class Length, class OfC>
struct Operation {
  using Function = OfC;
  template <class Places, std::size_t Place>
  static void call(void* in, void* inout, Length* length, MPI_Datatype* datatype) {
    call_it(in, inout, length, datatype, Places::at(Place));
  }

 private:
  [[gnu::noinline]] static void call_it(void* in, void* inout, Length* length,
                                        MPI_Datatype* datatype, Procedure procedure) {
    using OfFortran = void (*)(void*, void*, Length*, Fint*);
    Fint type = number(*datatype);
    reinterpret_cast<OfFortran>(procedure)(in, inout, length, &type);
  }
};

template <class Handle, class OfC>
struct Handler {
  using Function = OfC;
  template <class Places, std::size_t Place>
  static void call(Handle* object, int* code, ...) {
    call_it(object, code, Places::at(Place));
  }

 private:
  [[gnu::noinline]] static void call_it(Handle* object, int* code, Procedure procedure) {
    using OfFortran = void (*)(Fint*, Fint*);
    Fint numbered = number(*object);
    reinterpret_cast<OfFortran>(procedure)(&numbered, code);
  }
};

constexpr std::size_t kOperations = 512;
constexpr std::size_t kHandlers = 128;

using CopyProcedure = void (*)(Fint*, Fint*, MPI_Aint*, MPI_Aint*, MPI_Aint*, Fint*, Fint*);
using NarrowCopy = void (*)(Fint*, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*);
using DeleteProcedure = void (*)(Fint*, Fint*, MPI_Aint*, MPI_Aint*, Fint*);
using NarrowDelete = void (*)(Fint*, Fint*, Fint*, Fint*, Fint*);

int copy_by(const Keyval& keys, Fint object, Fint keyval, MPI_Aint in, MPI_Aint* out, int* flag) {
  Fint ierror = MPI_SUCCESS;
  Fint copied = logical(0);
  MPI_Aint extra = keys.extra;
  if (keys.narrow) {
    auto narrow_extra = static_cast<Fint>(extra);
    auto narrow_in = static_cast<Fint>(in);
    Fint narrow_out = 0;
    reinterpret_cast<NarrowCopy>(keys.copy)(&object, &keyval, &narrow_extra, &narrow_in,
                                            &narrow_out, &copied, &ierror);
    *out = narrow_out;
  } else {
    reinterpret_cast<CopyProcedure>(keys.copy)(&object, &keyval, &extra, &in, out, &copied,
                                               &ierror);
  }
  *flag = truth(&copied);
  return ierror;
}

int delete_by(const Keyval& keys, Fint object, Fint keyval, MPI_Aint value) {
  Fint ierror = MPI_SUCCESS;
  MPI_Aint extra = keys.extra;
  if (keys.narrow) {
    auto narrow_extra = static_cast<Fint>(extra);
    auto narrow_value = static_cast<Fint>(value);
    reinterpret_cast<NarrowDelete>(keys.destroy)(&object, &keyval, &narrow_value, &narrow_extra,
                                                 &ierror);
  } else {
    reinterpret_cast<DeleteProcedure>(keys.destroy)(&object, &keyval, &value, &extra, &ierror);
  }
  return ierror;
}

std::intptr_t place_of(Procedure procedure) {
  return reinterpret_cast<std::intptr_t>(procedure);
}

// The one copy of what is equal. Nothing of it is destroyed: delete functions run while the program
// ends.
template <class Procedures>
Procedures* keep(const std::array<std::intptr_t, 4>& key, const Procedures& procedures) {
  using All = std::map<std::array<std::intptr_t, 4>, Procedures>;
  static std::mutex& mutex = *new std::mutex;
  static All& all = *new All;
  const std::lock_guard lock(mutex);
  return &all.try_emplace(key, procedures).first->second;
}

}  // namespace

Keyval* kept(const Keyval& keys) {
  return keep({place_of(keys.copy), place_of(keys.destroy), keys.extra, keys.narrow}, keys);
}

DataRepresentation* kept(const DataRepresentation& one) {
  return keep({place_of(one.read), place_of(one.write), place_of(one.extent), one.extra}, one);
}

MPI_User_function* operation(Procedure procedure) {
  return Pool<Operation<int, MPI_User_function>, kOperations>::find(procedure);
}
MPI_User_function_c* large_operation(Procedure procedure) {
  return Pool<Operation<MPI_Count, MPI_User_function_c>, kOperations>::find(procedure);
}
MPI_Comm_errhandler_function* comm_handler(Procedure procedure) {
  return Pool<Handler<MPI_Comm, MPI_Comm_errhandler_function>, kHandlers>::find(procedure);
}
MPI_File_errhandler_function* file_handler(Procedure procedure) {
  return Pool<Handler<MPI_File, MPI_File_errhandler_function>, kHandlers>::find(procedure);
}
MPI_Session_errhandler_function* session_handler(Procedure procedure) {
  return Pool<Handler<MPI_Session, MPI_Session_errhandler_function>, kHandlers>::find(procedure);
}
MPI_Win_errhandler_function* win_handler(Procedure procedure) {
  return Pool<Handler<MPI_Win, MPI_Win_errhandler_function>, kHandlers>::find(procedure);
}

// The copy gets a cell of its own, unless it is the very pointer that C set.
template <class Handle>
int Attribute<Handle>::copy(Handle object, int keyval, void* extra, void* in, void* out,
                            int* flag) {
  const MPI_Aint value = value_of(in);
  MPI_Aint copied = 0;
  *flag = 0;
  const int code =
      copy_by(*static_cast<Keyval*>(extra), number(object), keyval, value, &copied, flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  void* attribute = copied == value && !is_cell(in) ? in : new_cell(copied);
  std::memcpy(out, &attribute, sizeof attribute);
  return MPI_SUCCESS;
}

template <class Handle>
int Attribute<Handle>::destroy(Handle object, int keyval, void* attribute, void* extra) {
  const auto& keys = *static_cast<Keyval*>(extra);
  int code = MPI_SUCCESS;
  if (!is_null_delete(keys.destroy))
    code = delete_by(keys, number(object), keyval, value_of(attribute));
  if (code == MPI_SUCCESS) free_cell(attribute);
  return code;
}

template struct Attribute<MPI_Comm>;
template struct Attribute<MPI_Datatype>;
template struct Attribute<MPI_Win>;

int GeneralizedRequest::call_query(void* self, MPI_Status* status) {
  auto& request = *static_cast<GeneralizedRequest*>(self);
  using OfFortran = void (*)(MPI_Aint*, MPI_Status*, Fint*);
  Fint ierror = MPI_SUCCESS;
  reinterpret_cast<OfFortran>(request.query)(&request.extra, status, &ierror);
  return ierror;
}

int GeneralizedRequest::call_free(void* self) {
  const std::unique_ptr<GeneralizedRequest> request(static_cast<GeneralizedRequest*>(self));
  using OfFortran = void (*)(MPI_Aint*, Fint*);
  Fint ierror = MPI_SUCCESS;
  reinterpret_cast<OfFortran>(request->free)(&request->extra, &ierror);
  return ierror;
}

int GeneralizedRequest::call_cancel(void* self, int complete) {
  auto& request = *static_cast<GeneralizedRequest*>(self);
  using OfFortran = void (*)(MPI_Aint*, Fint*, Fint*);
  Fint ierror = MPI_SUCCESS;
  Fint completed = logical(complete);
  reinterpret_cast<OfFortran>(request.cancel)(&request.extra, &completed, &ierror);
  return ierror;
}

template <class Count, bool Reading>
int DataRepresentation::convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf,
                                MPI_Offset position, void* self) {
  auto& one = *static_cast<DataRepresentation*>(self);
  using OfFortran = void (*)(void*, Fint*, Count*, void*, MPI_Offset*, MPI_Aint*, Fint*);
  Fint type = number(datatype);
  Fint ierror = MPI_SUCCESS;
  MPI_Aint extra = one.extra;
  reinterpret_cast<OfFortran>(Reading ? one.read : one.write)(userbuf, &type, &count, filebuf,
                                                              &position, &extra, &ierror);
  return ierror;
}

template int DataRepresentation::convert<int, true>(void*, MPI_Datatype, int, void*, MPI_Offset,
                                                    void*);
template int DataRepresentation::convert<int, false>(void*, MPI_Datatype, int, void*, MPI_Offset,
                                                     void*);
template int DataRepresentation::convert<MPI_Count, true>(void*, MPI_Datatype, MPI_Count, void*,
                                                          MPI_Offset, void*);
template int DataRepresentation::convert<MPI_Count, false>(void*, MPI_Datatype, MPI_Count, void*,
                                                           MPI_Offset, void*);

int DataRepresentation::call_extent(MPI_Datatype datatype, MPI_Aint* extent, void* self) {
  auto& one = *static_cast<DataRepresentation*>(self);
  using OfFortran = void (*)(Fint*, MPI_Aint*, MPI_Aint*, Fint*);
  Fint type = number(datatype);
  Fint ierror = MPI_SUCCESS;
  MPI_Aint extra = one.extra;
  reinterpret_cast<OfFortran>(one.extent)(&type, extent, &extra, &ierror);
  return ierror;
}

}  // namespace tessera::fortran
