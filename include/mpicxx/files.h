// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_FILES_H
#define MPICXX_FILES_H

#include "window_classes.h"

namespace MPI {

inline File File::Open(const Intracomm& comm, const char* filename, int amode, const Info& info) {
  MPI_File result = MPI_FILE_NULL;
  detail::check(MPI_File_open(comm, filename, amode, info, &result));
  return result;
}

inline void File::Close() {
  detail::check(MPI_File_close(&handle_));
}

inline void File::Delete(const char* filename, const Info& info) {
  detail::check(MPI_File_delete(filename, info));
}

inline int File::Get_amode() const {
  int result = 0;
  detail::check(MPI_File_get_amode(handle_, &result));
  return result;
}

inline bool File::Get_atomicity() const {
  int result = 0;
  detail::check(MPI_File_get_atomicity(handle_, &result));
  return result != 0;
}

inline Offset File::Get_byte_offset(Offset offset) const {
  MPI_Offset result = 0;
  detail::check(MPI_File_get_byte_offset(handle_, offset, &result));
  return result;
}

inline Group File::Get_group() const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_File_get_group(handle_, &result));
  return result;
}

inline Info File::Get_info() const {
  MPI_Info result = MPI_INFO_NULL;
  detail::check(MPI_File_get_info(handle_, &result));
  return result;
}

inline Offset File::Get_position() const {
  MPI_Offset result = 0;
  detail::check(MPI_File_get_position(handle_, &result));
  return result;
}

inline Offset File::Get_position_shared() const {
  MPI_Offset result = 0;
  detail::check(MPI_File_get_position_shared(handle_, &result));
  return result;
}

inline Offset File::Get_size() const {
  MPI_Offset result = 0;
  detail::check(MPI_File_get_size(handle_, &result));
  return result;
}

inline Aint File::Get_type_extent(const Datatype& datatype) const {
  MPI_Aint result = 0;
  detail::check(MPI_File_get_type_extent(handle_, datatype, &result));
  return result;
}

inline void File::Get_view(Offset& disp, Datatype& etype, Datatype& filetype, char* datarep) const {
  detail::check(MPI_File_get_view(handle_, &disp, detail::address(etype), detail::address(filetype),
                                  datarep));
}

inline void File::Preallocate(Offset size) {
  detail::check(MPI_File_preallocate(handle_, size));
}

inline void File::Seek(Offset offset, int whence) {
  detail::check(MPI_File_seek(handle_, offset, whence));
}

inline void File::Seek_shared(Offset offset, int whence) {
  detail::check(MPI_File_seek_shared(handle_, offset, whence));
}

inline void File::Set_atomicity(bool flag) {
  detail::check(MPI_File_set_atomicity(handle_, flag));
}

inline void File::Set_info(const Info& info) {
  detail::check(MPI_File_set_info(handle_, info));
}

inline void File::Set_size(Offset size) {
  detail::check(MPI_File_set_size(handle_, size));
}

inline void File::Set_view(Offset disp, const Datatype& etype, const Datatype& filetype,
                           const char* datarep, const Info& info) {
  detail::check(MPI_File_set_view(handle_, disp, etype, filetype, datarep, info));
}

inline void File::Sync() {
  detail::check(MPI_File_sync(handle_));
}

inline void File::Read(void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_read(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Read(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Read_all(void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_read_all(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Read_all(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_all(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Read_at(Offset offset, void* buf, int count, const Datatype& datatype,
                          Status& status) {
  detail::check(MPI_File_read_at(handle_, offset, buf, count, datatype, detail::address(status)));
}

inline void File::Read_at(Offset offset, void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_at(handle_, offset, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype,
                              Status& status) {
  detail::check(
      MPI_File_read_at_all(handle_, offset, buf, count, datatype, detail::address(status)));
}

inline void File::Read_at_all(Offset offset, void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_at_all(handle_, offset, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Read_ordered(void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_read_ordered(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Read_ordered(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_ordered(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Read_shared(void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_read_shared(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Read_shared(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_shared(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write(const void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_write(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Write(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write_all(const void* buf, int count, const Datatype& datatype, Status& status) {
  detail::check(MPI_File_write_all(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Write_all(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_all(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write_at(Offset offset, const void* buf, int count, const Datatype& datatype,
                           Status& status) {
  detail::check(MPI_File_write_at(handle_, offset, buf, count, datatype, detail::address(status)));
}

inline void File::Write_at(Offset offset, const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_at(handle_, offset, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write_at_all(Offset offset, const void* buf, int count, const Datatype& datatype,
                               Status& status) {
  detail::check(
      MPI_File_write_at_all(handle_, offset, buf, count, datatype, detail::address(status)));
}

inline void File::Write_at_all(Offset offset, const void* buf, int count,
                               const Datatype& datatype) {
  detail::check(MPI_File_write_at_all(handle_, offset, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write_ordered(const void* buf, int count, const Datatype& datatype,
                                Status& status) {
  detail::check(MPI_File_write_ordered(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Write_ordered(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_ordered(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline void File::Write_shared(const void* buf, int count, const Datatype& datatype,
                               Status& status) {
  detail::check(MPI_File_write_shared(handle_, buf, count, datatype, detail::address(status)));
}

inline void File::Write_shared(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_shared(handle_, buf, count, datatype, MPI_STATUS_IGNORE));
}

inline Request File::Iread(void* buf, int count, const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iread(handle_, buf, count, datatype, &result));
  return result;
}

inline Request File::Iread_at(Offset offset, void* buf, int count, const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iread_at(handle_, offset, buf, count, datatype, &result));
  return result;
}

inline Request File::Iread_shared(void* buf, int count, const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iread_shared(handle_, buf, count, datatype, &result));
  return result;
}

inline Request File::Iwrite(const void* buf, int count, const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iwrite(handle_, buf, count, datatype, &result));
  return result;
}

inline Request File::Iwrite_at(Offset offset, const void* buf, int count,
                               const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iwrite_at(handle_, offset, buf, count, datatype, &result));
  return result;
}

inline Request File::Iwrite_shared(const void* buf, int count, const Datatype& datatype) {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_File_iwrite_shared(handle_, buf, count, datatype, &result));
  return result;
}

inline void File::Read_all_begin(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_all_begin(handle_, buf, count, datatype));
}

inline void File::Read_all_end(void* buf, Status& status) {
  detail::check(MPI_File_read_all_end(handle_, buf, detail::address(status)));
}

inline void File::Read_all_end(void* buf) {
  detail::check(MPI_File_read_all_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline void File::Read_at_all_begin(Offset offset, void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_at_all_begin(handle_, offset, buf, count, datatype));
}

inline void File::Read_at_all_end(void* buf, Status& status) {
  detail::check(MPI_File_read_at_all_end(handle_, buf, detail::address(status)));
}

inline void File::Read_at_all_end(void* buf) {
  detail::check(MPI_File_read_at_all_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline void File::Read_ordered_begin(void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_read_ordered_begin(handle_, buf, count, datatype));
}

inline void File::Read_ordered_end(void* buf, Status& status) {
  detail::check(MPI_File_read_ordered_end(handle_, buf, detail::address(status)));
}

inline void File::Read_ordered_end(void* buf) {
  detail::check(MPI_File_read_ordered_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline void File::Write_all_begin(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_all_begin(handle_, buf, count, datatype));
}

inline void File::Write_all_end(const void* buf, Status& status) {
  detail::check(MPI_File_write_all_end(handle_, buf, detail::address(status)));
}

inline void File::Write_all_end(const void* buf) {
  detail::check(MPI_File_write_all_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline void File::Write_at_all_begin(Offset offset, const void* buf, int count,
                                     const Datatype& datatype) {
  detail::check(MPI_File_write_at_all_begin(handle_, offset, buf, count, datatype));
}

inline void File::Write_at_all_end(const void* buf, Status& status) {
  detail::check(MPI_File_write_at_all_end(handle_, buf, detail::address(status)));
}

inline void File::Write_at_all_end(const void* buf) {
  detail::check(MPI_File_write_at_all_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline void File::Write_ordered_begin(const void* buf, int count, const Datatype& datatype) {
  detail::check(MPI_File_write_ordered_begin(handle_, buf, count, datatype));
}

inline void File::Write_ordered_end(const void* buf, Status& status) {
  detail::check(MPI_File_write_ordered_end(handle_, buf, detail::address(status)));
}

inline void File::Write_ordered_end(const void* buf) {
  detail::check(MPI_File_write_ordered_end(handle_, buf, MPI_STATUS_IGNORE));
}

inline Errhandler File::Get_errhandler() const {
  MPI_Errhandler result = MPI_ERRHANDLER_NULL;
  detail::check(MPI_File_get_errhandler(handle_, &result));
  return result;
}

inline void File::Call_errhandler(int errorcode) const {
  detail::check(MPI_File_call_errhandler(handle_, errorcode));
}

}  // namespace MPI

#endif
