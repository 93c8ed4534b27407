// SPDX-License-Identifier: BSD-3-Clause
// The functions of the C++ interface that are more than a call of C.
#ifndef MPICXX_FUNCTIONS_H
#define MPICXX_FUNCTIONS_H

#include "callbacks.h"
#include "predefined.h"

#include <cstring>

namespace MPI {

inline Errhandler::Errhandler(MPI_Errhandler handle) noexcept
    : handle_(handle),
      throws_(detail::is_thrower<detail::CommHandlers>(handle) ||
              detail::is_thrower<detail::WinHandlers>(handle) ||
              detail::is_thrower<detail::FileHandlers>(handle)) {}

inline Errhandler::operator MPI_Errhandler() const noexcept {
  const bool predefined = throws_ && handle_ == MPI_Errhandler(MPI_ERRHANDLER_NULL);
  return predefined ? detail::Thrower<detail::CommHandlers>::get() : handle_;
}

namespace detail {
// What C is given for an error handler of an object of one class.
template <class Kind>
MPI_Errhandler handler_for(const Errhandler& errhandler) {
  return errhandler == ERRORS_THROW_EXCEPTIONS ? Thrower<Kind>::get() : MPI_Errhandler(errhandler);
}
}  // namespace detail

inline Errhandler Comm::Create_errhandler(Errhandler_function* function) {
  return detail::create_errhandler<detail::CommHandlers>(function);
}

inline Errhandler Win::Create_errhandler(Errhandler_function* function) {
  return detail::create_errhandler<detail::WinHandlers>(function);
}

inline Errhandler File::Create_errhandler(Errhandler_function* function) {
  return detail::create_errhandler<detail::FileHandlers>(function);
}

// In MPI-2 the errors of calls without object are COMM_WORLD's, today they are COMM_SELF's: a
// program that wants exceptions from the one gets them from the other.
inline void Comm::Set_errhandler(const Errhandler& errhandler) {
  const MPI_Errhandler handler = detail::handler_for<detail::CommHandlers>(errhandler);
  detail::check(MPI_Comm_set_errhandler(handle_, handler));
  if (handle_ != MPI_COMM_WORLD || errhandler != ERRORS_THROW_EXCEPTIONS) return;
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &own);
  const bool fatal = own == MPI_ERRORS_ARE_FATAL;
  MPI_Errhandler_free(&own);
  if (fatal) detail::check(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
}

inline void Win::Set_errhandler(const Errhandler& errhandler) {
  detail::check(
      MPI_Win_set_errhandler(handle_, detail::handler_for<detail::WinHandlers>(errhandler)));
}

inline void File::Set_errhandler(const Errhandler& errhandler) {
  detail::check(
      MPI_File_set_errhandler(handle_, detail::handler_for<detail::FileHandlers>(errhandler)));
}

#define MPICXX_ATTRIBUTES(Class, ConstIn)                                                      \
  inline int Class::NULL_COPY_FN(const Class&, int, void*, ConstIn void*, void*, bool& flag) { \
    return flag = false, MPI_SUCCESS;                                                          \
  }                                                                                            \
  inline int Class::DUP_FN(const Class&, int, void*, ConstIn void* attribute_val_in,           \
                           void* attribute_val_out, bool& flag) {                              \
    std::memcpy(attribute_val_out, &attribute_val_in, sizeof attribute_val_in);                \
    return flag = true, MPI_SUCCESS;                                                           \
  }                                                                                            \
  inline int Class::NULL_DELETE_FN(Class&, int, void*, void*) {                                \
    return MPI_SUCCESS;                                                                        \
  }

MPICXX_ATTRIBUTES(Comm, )
MPICXX_ATTRIBUTES(Datatype, const)
MPICXX_ATTRIBUTES(Win, )
#undef MPICXX_ATTRIBUTES

inline int Comm::Create_keyval(Copy_attr_function* comm_copy_attr_fn,
                               Delete_attr_function* comm_delete_attr_fn, void* extra_state) {
  int key = MPI_KEYVAL_INVALID;
  detail::check(MPI_Comm_create_keyval(
      detail::copy_comm, detail::delete_comm, &key,
      detail::Key<Comm>::made(comm_copy_attr_fn, comm_delete_attr_fn, extra_state)));
  return key;
}

inline int Datatype::Create_keyval(Copy_attr_function* copy_fn, Delete_attr_function* delete_fn,
                                   void* extra_state) {
  int key = MPI_KEYVAL_INVALID;
  detail::check(MPI_Type_create_keyval(
      detail::copy_of<Datatype, MPI_Datatype>, detail::delete_of<Datatype, MPI_Datatype>, &key,
      detail::Key<Datatype>::made(copy_fn, delete_fn, extra_state)));
  return key;
}

inline int Win::Create_keyval(Copy_attr_function* win_copy_attr_fn,
                              Delete_attr_function* win_delete_attr_fn, void* extra_state) {
  int key = MPI_KEYVAL_INVALID;
  detail::check(MPI_Win_create_keyval(
      detail::copy_of<Win, MPI_Win>, detail::delete_of<Win, MPI_Win>, &key,
      detail::Key<Win>::made(win_copy_attr_fn, win_delete_attr_fn, extra_state)));
  return key;
}

inline void Comm::Set_attr(int comm_keyval, const void* attribute_val) const {
  detail::check(MPI_Comm_set_attr(handle_, comm_keyval, const_cast<void*>(attribute_val)));
}

inline void Datatype::Set_attr(int type_keyval, const void* attribute_val) {
  detail::check(MPI_Type_set_attr(handle_, type_keyval, const_cast<void*>(attribute_val)));
}

inline void Win::Set_attr(int win_keyval, const void* attribute_val) {
  detail::check(MPI_Win_set_attr(handle_, win_keyval, const_cast<void*>(attribute_val)));
}

inline Win Win::Create(const void* base, Aint size, int disp_unit, const Info& info,
                       const Intracomm& comm) {
  MPI_Win win = MPI_WIN_NULL;
  detail::check(MPI_Win_create(const_cast<void*>(base), size, disp_unit, info, comm, &win));
  return win;
}

// Without a place C gets no function, and reports that.
inline void Op::Init(User_function* function, bool commute) {
  detail::check(
      MPI_Op_create(detail::Pool<detail::Operations>::callback_of(function), commute, &handle_));
}

inline void Request::Cancel() const {
  MPI_Request same = handle_;
  detail::check(MPI_Cancel(&same));
}

inline Grequest Grequest::Start(Query_function* query_fn, Free_function* free_fn,
                                Cancel_function* cancel_fn, void* extra_state) {
  MPI_Request request = MPI_REQUEST_NULL;
  detail::Generalized* const of =
      new detail::Generalized{query_fn, free_fn, cancel_fn, extra_state};
  const int code = MPI_Grequest_start(detail::Generalized::ask, detail::Generalized::end,
                                      detail::Generalized::stop, of, &request);
  if (code != MPI_SUCCESS) delete of;
  detail::check(code);
  return request;
}

inline Group Group::Range_excl(int n, const int ranges[][3]) const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_range_excl(handle_, n, const_cast<int(*)[3]>(ranges), &result));
  return result;
}

inline Group Group::Range_incl(int n, const int ranges[][3]) const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_range_incl(handle_, n, const_cast<int(*)[3]>(ranges), &result));
  return result;
}

#define MPICXX_CLONE(Class, what)                             \
  inline Class::Class(const Comm_Null&) noexcept : Class() {} \
  inline Class& Class::Clone() const {                        \
    return *new Class(what);                                  \
  }

MPICXX_CLONE(Intracomm, Dup())
MPICXX_CLONE(Intercomm, Dup())
MPICXX_CLONE(Cartcomm, Dup())
MPICXX_CLONE(Graphcomm, Dup())
MPICXX_CLONE(Distgraphcomm, Dup())
#undef MPICXX_CLONE
inline Comm_Null& Comm_Null::Clone() const {
  return *new Comm_Null;
}

inline int Comm::Get_topology() const {
  int topology = MPI_UNDEFINED;
  detail::check(MPI_Topo_test(handle_, &topology));
  return topology;
}

inline Cartcomm Intracomm::Create_cart(int ndims, const int dims[], const bool periods[],
                                       bool reorder) const {
  MPI_Comm result = MPI_COMM_NULL;
  const std::vector<int> wraps = detail::integers(periods, ndims);
  detail::check(MPI_Cart_create(handle_, ndims, dims, wraps.data(), reorder, &result));
  return result;
}

inline void Cartcomm::Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const {
  std::vector<int> wraps(maxdims > 0 ? static_cast<std::size_t>(maxdims) : 0U);
  int ndims = 0;
  detail::check(MPI_Cartdim_get(handle_, &ndims));
  detail::check(MPI_Cart_get(handle_, maxdims, dims, wraps.data(), coords));
  for (int d = 0; d < ndims && d < maxdims; ++d) periods[d] = wraps[static_cast<std::size_t>(d)];
}

inline int Cartcomm::Map(int ndims, const int dims[], const bool periods[]) const {
  int rank = MPI_UNDEFINED;
  const std::vector<int> wraps = detail::integers(periods, ndims);
  detail::check(MPI_Cart_map(handle_, ndims, dims, wraps.data(), &rank));
  return rank;
}

inline Cartcomm Cartcomm::Sub(const bool remain_dims[]) const {
  MPI_Comm result = MPI_COMM_NULL;
  int ndims = 0;
  detail::check(MPI_Cartdim_get(handle_, &ndims));
  const std::vector<int> remain = detail::integers(remain_dims, ndims);
  detail::check(MPI_Cart_sub(handle_, remain.data(), &result));
  return result;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[],
                                                  const int destinations[], const Info& info,
                                                  bool reorder) const {
  return Dist_graph_create(n, sources, degrees, destinations, UNWEIGHTED, info, reorder);
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[],
                                                           int outdegree, const int destinations[],
                                                           const Info& info, bool reorder) const {
  return Dist_graph_create_adjacent(indegree, sources, UNWEIGHTED, outdegree, destinations,
                                    UNWEIGHTED, info, reorder);
}

inline void Distgraphcomm::Get_dist_neighbors_count(int& indegree, int& outdegree,
                                                    bool& weighted) const {
  int flag = 0;
  detail::check(MPI_Dist_graph_neighbors_count(handle_, &indegree, &outdegree, &flag));
  weighted = flag != 0;
}

inline Intercomm Intracomm::Spawn(const char* command, const char* argv[], int maxprocs,
                                  const Info& info, int root, int array_of_errcodes[]) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_spawn(command, const_cast<char**>(argv), maxprocs, info, root, handle_,
                               &result, array_of_errcodes));
  return result;
}

inline Intercomm Intracomm::Spawn(const char* command, const char* argv[], int maxprocs,
                                  const Info& info, int root) const {
  return Spawn(command, argv, maxprocs, info, root, MPI_ERRCODES_IGNORE);
}

inline Intercomm Intracomm::Spawn_multiple(int count, const char* array_of_commands[],
                                           const char** array_of_argv[],
                                           const int array_of_maxprocs[],
                                           const Info array_of_info[], int root,
                                           int array_of_errcodes[]) {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_spawn_multiple(count, const_cast<char**>(array_of_commands),
                                        const_cast<char***>(array_of_argv), array_of_maxprocs,
                                        detail::address(array_of_info), root, handle_, &result,
                                        array_of_errcodes));
  return result;
}

inline Intercomm Intracomm::Spawn_multiple(int count, const char* array_of_commands[],
                                           const char** array_of_argv[],
                                           const int array_of_maxprocs[],
                                           const Info array_of_info[], int root) {
  return Spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info,
                        root, MPI_ERRCODES_IGNORE);
}

inline void Init(int& argc, char**& argv) {
  detail::check(MPI_Init(&argc, &argv));
}
inline void Init() {
  detail::check(MPI_Init(nullptr, nullptr));
}

inline int Init_thread(int& argc, char**& argv, int required) {
  int provided = MPI_THREAD_SINGLE;
  detail::check(MPI_Init_thread(&argc, &argv, required, &provided));
  return provided;
}

inline int Init_thread(int required) {
  int provided = MPI_THREAD_SINGLE;
  detail::check(MPI_Init_thread(nullptr, nullptr, required, &provided));
  return provided;
}

inline double Wtime() {
  return MPI_Wtime();
}
inline double Wtick() {
  return MPI_Wtick();
}
inline void Pcontrol(int level, ...) {
  MPI_Pcontrol(level);
}

inline int Detach_buffer(void*& buffer) {
  int size = 0;
  detail::check(MPI_Buffer_detach(&buffer, &size));
  return size;
}

inline void* Alloc_mem(Aint size, const Info& info) {
  void* base = nullptr;
  detail::check(MPI_Alloc_mem(size, info, &base));
  return base;
}

inline void Register_datarep(const char* datarep, Datarep_conversion_function* read_conversion_fn,
                             Datarep_conversion_function* write_conversion_fn,
                             Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  detail::Representation* const of = detail::Kept::of(new detail::Representation);
  of->reading = read_conversion_fn;
  of->writing = write_conversion_fn;
  of->extent = dtype_file_extent_fn;
  of->extra_state = extra_state;
  detail::check(MPI_Register_datarep(
      datarep, read_conversion_fn != nullptr ? detail::Representation::read : nullptr,
      write_conversion_fn != nullptr ? detail::Representation::write : nullptr,
      dtype_file_extent_fn != nullptr ? detail::Representation::extent_of : nullptr, of));
}

}  // namespace MPI

#endif
