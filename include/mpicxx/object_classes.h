// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/object_classes.h.in and cxx/functions.txt; do not
// edit. The classes of the C++ interface. Each object is one handle of C: copies are copies of the
// handle, and no destructor frees anything.
#ifndef MPICXX_OBJECT_CLASSES_H
#define MPICXX_OBJECT_CLASSES_H

#include "support.h"

namespace MPI {

// Objects of a class are built from handles of C, are assigned them, and are passed as them.
#define MPICXX_HANDLE(Class, Handle, null_handle)              \
 public:                                                       \
  Class() noexcept : handle_(null_handle) {}                   \
  constexpr Class(Handle handle) noexcept : handle_(handle) {} \
  Class& operator=(Handle handle) noexcept {                   \
    return handle_ = handle, *this;                            \
  }                                                            \
  operator Handle() const noexcept {                           \
    return handle_;                                            \
  }                                                            \
  bool operator==(const Class& other) const noexcept {         \
    return handle_ == other.handle_;                           \
  }                                                            \
  bool operator!=(const Class& other) const noexcept {         \
    return handle_ != other.handle_;                           \
  }                                                            \
  bool operator==(Handle other) const noexcept {               \
    return handle_ == other;                                   \
  }                                                            \
  bool operator!=(Handle other) const noexcept {               \
    return handle_ != other;                                   \
  }                                                            \
                                                               \
 protected:                                                    \
  Handle handle_;                                              \
  friend struct detail::Access;

class Status {
 public:
  Status() noexcept : handle_() {}
  Status(const MPI_Status& status) noexcept : handle_(status) {}
  Status& operator=(const MPI_Status& status) noexcept { return handle_ = status, *this; }
  operator MPI_Status() const noexcept { return handle_; }
  int Get_count(const Datatype& datatype) const;
  int Get_elements(const Datatype& datatype) const;
  bool Is_cancelled() const;
  int Get_source() const;
  int Get_tag() const;
  int Get_error() const;
  void Set_source(int source);
  void Set_tag(int tag);
  void Set_error(int error);
  void Set_cancelled(bool flag);
  void Set_elements(const Datatype& datatype, int count);

 private:
  MPI_Status handle_;
  friend struct detail::Access;
};

class Group {
  MPICXX_HANDLE(Group, MPI_Group, MPI_GROUP_NULL)

 public:
  static int Compare(const Group& group1, const Group& group2);
  static Group Difference(const Group& group1, const Group& group2);
  static Group Intersect(const Group& group1, const Group& group2);
  static Group Union(const Group& group1, const Group& group2);
  static void Translate_ranks(const Group& group1, int n, const int ranks1[], const Group& group2,
                              int ranks2[]);
  Group Excl(int n, const int ranks[]) const;
  Group Incl(int n, const int ranks[]) const;
  Group Range_excl(int n, const int ranges[][3]) const;
  Group Range_incl(int n, const int ranges[][3]) const;
  int Get_rank() const;
  int Get_size() const;
  void Free();
};

class Info {
  MPICXX_HANDLE(Info, MPI_Info, MPI_INFO_NULL)

 public:
  static Info Create();
  void Delete(const char* key);
  Info Dup() const;
  void Free();
  bool Get(const char* key, int valuelen, char* value) const;
  int Get_nkeys() const;
  void Get_nthkey(int n, char* key) const;
  bool Get_valuelen(const char* key, int& valuelen) const;
  void Set(const char* key, const char* value);
};

class Datatype {
  MPICXX_HANDLE(Datatype, MPI_Datatype, MPI_DATATYPE_NULL)

 public:
  typedef int Copy_attr_function(const Datatype& oldtype, int type_keyval, void* extra_state,
                                 const void* attribute_val_in, void* attribute_val_out, bool& flag);
  typedef int Delete_attr_function(Datatype& datatype, int type_keyval, void* attribute_val,
                                   void* extra_state);
  static int NULL_COPY_FN(const Datatype& oldtype, int type_keyval, void* extra_state,
                          const void* attribute_val_in, void* attribute_val_out, bool& flag);
  static int DUP_FN(const Datatype& oldtype, int type_keyval, void* extra_state,
                    const void* attribute_val_in, void* attribute_val_out, bool& flag);
  static int NULL_DELETE_FN(Datatype& datatype, int type_keyval, void* attribute_val,
                            void* extra_state);
  void Commit();
  void Free();
  Datatype Create_contiguous(int count) const;
  Datatype Create_vector(int count, int blocklength, int stride) const;
  Datatype Create_hvector(int count, int blocklength, Aint stride) const;
  Datatype Create_indexed(int count, const int array_of_blocklengths[],
                          const int array_of_displacements[]) const;
  Datatype Create_hindexed(int count, const int array_of_blocklengths[],
                           const Aint array_of_displacements[]) const;
  Datatype Create_indexed_block(int count, int blocklength,
                                const int array_of_displacements[]) const;
  static Datatype Create_struct(int count, const int array_of_blocklengths[],
                                const Aint array_of_displacements[],
                                const Datatype array_of_types[]);
  Datatype Create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                           const int array_of_starts[], int order) const;
  Datatype Create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                         const int array_of_distribs[], const int array_of_dargs[],
                         const int array_of_psizes[], int order) const;
  Datatype Create_resized(Aint lb, Aint extent) const;
  Datatype Dup() const;
  static Datatype Create_f90_complex(int p, int r);
  static Datatype Create_f90_real(int p, int r);
  static Datatype Create_f90_integer(int r);
  static Datatype Match_size(int typeclass, int size);
  int Get_size() const;
  void Get_extent(Aint& lb, Aint& extent) const;
  void Get_true_extent(Aint& true_lb, Aint& true_extent) const;
  void Get_envelope(int& num_integers, int& num_addresses, int& num_datatypes, int& combiner) const;
  void Get_contents(int max_integers, int max_addresses, int max_datatypes, int array_of_integers[],
                    Aint array_of_addresses[], Datatype array_of_datatypes[]) const;
  void Pack(const void* inbuf, int incount, void* outbuf, int outsize, int& position,
            const Comm& comm) const;
  int Pack_size(int incount, const Comm& comm) const;
  void Unpack(const void* inbuf, int insize, void* outbuf, int outcount, int& position,
              const Comm& comm) const;
  void Pack_external(const char* datarep, const void* inbuf, int incount, void* outbuf,
                     Aint outsize, Aint& position) const;
  Aint Pack_external_size(const char* datarep, int incount) const;
  void Unpack_external(const char* datarep, const void* inbuf, Aint insize, Aint& position,
                       void* outbuf, int outcount) const;
  static int Create_keyval(Copy_attr_function* copy_fn, Delete_attr_function* delete_fn,
                           void* extra_state);
  static void Free_keyval(int& type_keyval);
  void Delete_attr(int type_keyval);
  bool Get_attr(int type_keyval, void* attribute_val) const;
  void Set_attr(int type_keyval, const void* attribute_val);
  void Get_name(char* type_name, int& resultlen) const;
  void Set_name(const char* type_name);
};

typedef void User_function(const void* invec, void* inoutvec, int len, const Datatype& datatype);
typedef void Datarep_extent_function(const Datatype& datatype, Aint& file_extent,
                                     void* extra_state);
typedef void Datarep_conversion_function(void* userbuf, Datatype& datatype, int count,
                                         void* filebuf, Offset position, void* extra_state);

class Op {
  MPICXX_HANDLE(Op, MPI_Op, MPI_OP_NULL)

 public:
  void Init(User_function* function, bool commute);
  void Free();
  bool Is_commutative() const;
  void Reduce_local(const void* inbuf, void* inoutbuf, int count, const Datatype& datatype) const;
};

class Errhandler {
 public:
  Errhandler() noexcept : handle_(MPI_ERRHANDLER_NULL), throws_(false) {}
  Errhandler(MPI_Errhandler handle) noexcept;
  constexpr Errhandler(MPI_Errhandler handle, bool throws) noexcept
      : handle_(handle), throws_(throws) {}
  Errhandler& operator=(MPI_Errhandler handle) noexcept { return *this = Errhandler(handle); }
  // Of ERRORS_THROW_EXCEPTIONS: the handler of communicators that throws.
  operator MPI_Errhandler() const noexcept;
  bool operator==(const Errhandler& other) const noexcept {
    return throws_ == other.throws_ && (throws_ || handle_ == other.handle_);
  }
  bool operator!=(const Errhandler& other) const noexcept { return !(*this == other); }
  void Free();

 private:
  MPI_Errhandler handle_;
  bool throws_;
  friend struct detail::Access;
};

class Request {
  MPICXX_HANDLE(Request, MPI_Request, MPI_REQUEST_NULL)

 public:
  void Cancel() const;
  void Free();
  bool Get_status(Status& status) const;
  bool Get_status() const;
  bool Test(Status& status);
  bool Test();
  void Wait(Status& status);
  void Wait();
  static bool Testall(int count, Request array_of_requests[], Status array_of_statuses[]);
  static bool Testall(int count, Request array_of_requests[]);
  static bool Testany(int count, Request array_of_requests[], int& indx, Status& status);
  static bool Testany(int count, Request array_of_requests[], int& indx);
  static int Testsome(int incount, Request array_of_requests[], int array_of_indices[],
                      Status array_of_statuses[]);
  static int Testsome(int incount, Request array_of_requests[], int array_of_indices[]);
  static void Waitall(int count, Request array_of_requests[], Status array_of_statuses[]);
  static void Waitall(int count, Request array_of_requests[]);
  static int Waitany(int count, Request array_of_requests[], Status& status);
  static int Waitany(int count, Request array_of_requests[]);
  static int Waitsome(int incount, Request array_of_requests[], int array_of_indices[],
                      Status array_of_statuses[]);
  static int Waitsome(int incount, Request array_of_requests[], int array_of_indices[]);
};

class Prequest : public Request {
 public:
  Prequest() noexcept : Request() {}
  constexpr Prequest(MPI_Request handle) noexcept : Request(handle) {}
  Prequest(const Request& request) noexcept : Request(request) {}
  void Start();
  static void Startall(int count, Prequest array_of_requests[]);
};

class Grequest : public Request {
 public:
  typedef int Query_function(void* extra_state, Status& status);
  typedef int Free_function(void* extra_state);
  typedef int Cancel_function(void* extra_state, bool complete);
  Grequest() noexcept : Request() {}
  constexpr Grequest(MPI_Request handle) noexcept : Request(handle) {}
  Grequest(const Request& request) noexcept : Request(request) {}
  static Grequest Start(Query_function* query_fn, Free_function* free_fn,
                        Cancel_function* cancel_fn, void* extra_state);
  void Complete();
};

}  // namespace MPI

#endif
