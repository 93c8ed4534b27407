// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_WINDOWS_H
#define MPICXX_WINDOWS_H

#include "window_classes.h"

namespace MPI {

inline void Win::Free() {
  detail::check(MPI_Win_free(&handle_));
}

inline void Win::Put(const void* origin_addr, int origin_count, const Datatype& origin_datatype,
                     int target_rank, Aint target_disp, int target_count,
                     const Datatype& target_datatype) const {
  detail::check(MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                        target_count, target_datatype, handle_));
}

inline void Win::Get(void* origin_addr, int origin_count, const Datatype& origin_datatype,
                     int target_rank, Aint target_disp, int target_count,
                     const Datatype& target_datatype) const {
  detail::check(MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                        target_count, target_datatype, handle_));
}

inline void Win::Accumulate(const void* origin_addr, int origin_count,
                            const Datatype& origin_datatype, int target_rank, Aint target_disp,
                            int target_count, const Datatype& target_datatype, const Op& op) const {
  detail::check(MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                               target_count, target_datatype, op, handle_));
}

inline void Win::Fence(int assert) const {
  detail::check(MPI_Win_fence(assert, handle_));
}

inline void Win::Post(const Group& group, int assert) const {
  detail::check(MPI_Win_post(group, assert, handle_));
}

inline void Win::Start(const Group& group, int assert) const {
  detail::check(MPI_Win_start(group, assert, handle_));
}

inline void Win::Complete() const {
  detail::check(MPI_Win_complete(handle_));
}

inline void Win::Wait() const {
  detail::check(MPI_Win_wait(handle_));
}

inline bool Win::Test() const {
  int result = 0;
  detail::check(MPI_Win_test(handle_, &result));
  return result != 0;
}

inline void Win::Lock(int lock_type, int rank, int assert) const {
  detail::check(MPI_Win_lock(lock_type, rank, assert, handle_));
}

inline void Win::Unlock(int rank) const {
  detail::check(MPI_Win_unlock(rank, handle_));
}

inline Group Win::Get_group() const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Win_get_group(handle_, &result));
  return result;
}

inline void Win::Get_name(char* win_name, int& resultlen) const {
  detail::check(MPI_Win_get_name(handle_, win_name, &resultlen));
}

inline void Win::Set_name(const char* win_name) {
  detail::check(MPI_Win_set_name(handle_, win_name));
}

inline void Win::Free_keyval(int& win_keyval) {
  detail::check(MPI_Win_free_keyval(&win_keyval));
}

inline void Win::Delete_attr(int win_keyval) {
  detail::check(MPI_Win_delete_attr(handle_, win_keyval));
}

inline bool Win::Get_attr(int win_keyval, void* attribute_val) const {
  int result = 0;
  detail::check(MPI_Win_get_attr(handle_, win_keyval, attribute_val, &result));
  return result != 0;
}

inline Errhandler Win::Get_errhandler() const {
  MPI_Errhandler result = MPI_ERRHANDLER_NULL;
  detail::check(MPI_Win_get_errhandler(handle_, &result));
  return result;
}

inline void Win::Call_errhandler(int errorcode) const {
  detail::check(MPI_Win_call_errhandler(handle_, errorcode));
}

}  // namespace MPI

#endif
