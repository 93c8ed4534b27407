// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/window_classes.h.in and cxx/functions.txt; do not
// edit. Windows, files, and the functions that belong to no class.
#ifndef MPICXX_WINDOW_CLASSES_H
#define MPICXX_WINDOW_CLASSES_H

#include "communicator_classes.h"

namespace MPI {

class Win {
  MPICXX_HANDLE(Win, MPI_Win, MPI_WIN_NULL)

 public:
  typedef int Copy_attr_function(const Win& oldwin, int win_keyval, void* extra_state,
                                 void* attribute_val_in, void* attribute_val_out, bool& flag);
  typedef int Delete_attr_function(Win& win, int win_keyval, void* attribute_val,
                                   void* extra_state);
  typedef void Errhandler_function(Win& win, int* error_code, ...);
  typedef Errhandler_function Errhandler_fn;
  static int NULL_COPY_FN(const Win& oldwin, int win_keyval, void* extra_state,
                          void* attribute_val_in, void* attribute_val_out, bool& flag);
  static int DUP_FN(const Win& oldwin, int win_keyval, void* extra_state, void* attribute_val_in,
                    void* attribute_val_out, bool& flag);
  static int NULL_DELETE_FN(Win& win, int win_keyval, void* attribute_val, void* extra_state);
  static Win Create(const void* base, Aint size, int disp_unit, const Info& info,
                    const Intracomm& comm);
  void Free();
  void Put(const void* origin_addr, int origin_count, const Datatype& origin_datatype,
           int target_rank, Aint target_disp, int target_count,
           const Datatype& target_datatype) const;
  void Get(void* origin_addr, int origin_count, const Datatype& origin_datatype, int target_rank,
           Aint target_disp, int target_count, const Datatype& target_datatype) const;
  void Accumulate(const void* origin_addr, int origin_count, const Datatype& origin_datatype,
                  int target_rank, Aint target_disp, int target_count,
                  const Datatype& target_datatype, const Op& op) const;
  void Fence(int assert) const;
  void Post(const Group& group, int assert) const;
  void Start(const Group& group, int assert) const;
  void Complete() const;
  void Wait() const;
  bool Test() const;
  void Lock(int lock_type, int rank, int assert) const;
  void Unlock(int rank) const;
  Group Get_group() const;
  void Get_name(char* win_name, int& resultlen) const;
  void Set_name(const char* win_name);
  static int Create_keyval(Copy_attr_function* win_copy_attr_fn,
                           Delete_attr_function* win_delete_attr_fn, void* extra_state);
  static void Free_keyval(int& win_keyval);
  void Delete_attr(int win_keyval);
  bool Get_attr(int win_keyval, void* attribute_val) const;
  void Set_attr(int win_keyval, const void* attribute_val);
  static Errhandler Create_errhandler(Errhandler_function* function);
  Errhandler Get_errhandler() const;
  void Set_errhandler(const Errhandler& errhandler);
  void Call_errhandler(int errorcode) const;
};

class File {
  MPICXX_HANDLE(File, MPI_File, MPI_FILE_NULL)

 public:
  typedef void Errhandler_function(File& file, int* error_code, ...);
  typedef Errhandler_function Errhandler_fn;
  static File Open(const Intracomm& comm, const char* filename, int amode, const Info& info);
  void Close();
  static void Delete(const char* filename, const Info& info);
  int Get_amode() const;
  bool Get_atomicity() const;
  Offset Get_byte_offset(Offset offset) const;
  Group Get_group() const;
  Info Get_info() const;
  Offset Get_position() const;
  Offset Get_position_shared() const;
  Offset Get_size() const;
  Aint Get_type_extent(const Datatype& datatype) const;
  void Get_view(Offset& disp, Datatype& etype, Datatype& filetype, char* datarep) const;
  void Preallocate(Offset size);
  void Seek(Offset offset, int whence);
  void Seek_shared(Offset offset, int whence);
  void Set_atomicity(bool flag);
  void Set_info(const Info& info);
  void Set_size(Offset size);
  void Set_view(Offset disp, const Datatype& etype, const Datatype& filetype, const char* datarep,
                const Info& info);
  void Sync();
  void Read(void* buf, int count, const Datatype& datatype, Status& status);
  void Read(void* buf, int count, const Datatype& datatype);
  void Read_all(void* buf, int count, const Datatype& datatype, Status& status);
  void Read_all(void* buf, int count, const Datatype& datatype);
  void Read_at(Offset offset, void* buf, int count, const Datatype& datatype, Status& status);
  void Read_at(Offset offset, void* buf, int count, const Datatype& datatype);
  void Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype, Status& status);
  void Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype);
  void Read_ordered(void* buf, int count, const Datatype& datatype, Status& status);
  void Read_ordered(void* buf, int count, const Datatype& datatype);
  void Read_shared(void* buf, int count, const Datatype& datatype, Status& status);
  void Read_shared(void* buf, int count, const Datatype& datatype);
  void Write(const void* buf, int count, const Datatype& datatype, Status& status);
  void Write(const void* buf, int count, const Datatype& datatype);
  void Write_all(const void* buf, int count, const Datatype& datatype, Status& status);
  void Write_all(const void* buf, int count, const Datatype& datatype);
  void Write_at(Offset offset, const void* buf, int count, const Datatype& datatype,
                Status& status);
  void Write_at(Offset offset, const void* buf, int count, const Datatype& datatype);
  void Write_at_all(Offset offset, const void* buf, int count, const Datatype& datatype,
                    Status& status);
  void Write_at_all(Offset offset, const void* buf, int count, const Datatype& datatype);
  void Write_ordered(const void* buf, int count, const Datatype& datatype, Status& status);
  void Write_ordered(const void* buf, int count, const Datatype& datatype);
  void Write_shared(const void* buf, int count, const Datatype& datatype, Status& status);
  void Write_shared(const void* buf, int count, const Datatype& datatype);
  Request Iread(void* buf, int count, const Datatype& datatype);
  Request Iread_at(Offset offset, void* buf, int count, const Datatype& datatype);
  Request Iread_shared(void* buf, int count, const Datatype& datatype);
  Request Iwrite(const void* buf, int count, const Datatype& datatype);
  Request Iwrite_at(Offset offset, const void* buf, int count, const Datatype& datatype);
  Request Iwrite_shared(const void* buf, int count, const Datatype& datatype);
  void Read_all_begin(void* buf, int count, const Datatype& datatype);
  void Read_all_end(void* buf, Status& status);
  void Read_all_end(void* buf);
  void Read_at_all_begin(Offset offset, void* buf, int count, const Datatype& datatype);
  void Read_at_all_end(void* buf, Status& status);
  void Read_at_all_end(void* buf);
  void Read_ordered_begin(void* buf, int count, const Datatype& datatype);
  void Read_ordered_end(void* buf, Status& status);
  void Read_ordered_end(void* buf);
  void Write_all_begin(const void* buf, int count, const Datatype& datatype);
  void Write_all_end(const void* buf, Status& status);
  void Write_all_end(const void* buf);
  void Write_at_all_begin(Offset offset, const void* buf, int count, const Datatype& datatype);
  void Write_at_all_end(const void* buf, Status& status);
  void Write_at_all_end(const void* buf);
  void Write_ordered_begin(const void* buf, int count, const Datatype& datatype);
  void Write_ordered_end(const void* buf, Status& status);
  void Write_ordered_end(const void* buf);
  static Errhandler Create_errhandler(Errhandler_function* function);
  Errhandler Get_errhandler() const;
  void Set_errhandler(const Errhandler& errhandler);
  void Call_errhandler(int errorcode) const;
};

inline void Attach_buffer(void* buffer, int size);
inline int Detach_buffer(void*& buffer);
inline void Compute_dims(int nnodes, int ndims, int dims[]);
inline Aint Get_address(const void* location);
inline void* Alloc_mem(Aint size, const Info& info);
inline void Free_mem(void* base);
inline int Add_error_class();
inline int Add_error_code(int errorclass);
inline void Add_error_string(int errorcode, const char* string);
inline int Get_error_class(int errorcode);
inline void Get_error_string(int errorcode, char* string, int& resultlen);
inline void Get_processor_name(char* name, int& resultlen);
inline void Get_version(int& version, int& subversion);
inline void Init(int& argc, char**& argv);
inline void Init();
inline int Init_thread(int& argc, char**& argv, int required);
inline int Init_thread(int required);
inline bool Is_initialized();
inline bool Is_finalized();
inline bool Is_thread_main();
inline int Query_thread();
inline void Finalize();
inline double Wtime();
inline double Wtick();
inline void Open_port(const Info& info, char* port_name);
inline void Close_port(const char* port_name);
inline void Lookup_name(const char* service_name, const Info& info, char* port_name);
inline void Publish_name(const char* service_name, const Info& info, const char* port_name);
inline void Unpublish_name(const char* service_name, const Info& info, const char* port_name);
inline void Register_datarep(const char* datarep, Datarep_conversion_function* read_conversion_fn,
                             Datarep_conversion_function* write_conversion_fn,
                             Datarep_extent_function* dtype_file_extent_fn, void* extra_state);

#undef MPICXX_HANDLE

}  // namespace MPI

#endif
