// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the tool interface share: variables by name.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

// One performance variable in a session of its own, started.
class Counter {
 public:
  Counter(const char* name, int var_class, void* object = nullptr) {
    int index = -1;
    CHECK(MPI_T_pvar_session_create(&session_) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index(name, var_class, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session_, index, object, &handle_, &count_) == MPI_SUCCESS);
    MPI_T_pvar_start(session_, handle_);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() { MPI_T_pvar_session_free(&session_); }

  std::vector<unsigned long long> values() const {
    std::vector<unsigned long long> values(static_cast<std::size_t>(count_), ~0ull);
    CHECK(MPI_T_pvar_read(session_, handle_, values.data()) == MPI_SUCCESS);
    return values;
  }
  unsigned long long value() const { return values().front(); }
  int count() const { return count_; }
  MPI_T_pvar_session session() const { return session_; }
  MPI_T_pvar_handle handle() const { return handle_; }

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
  int count_ = 0;
};

// One control variable.
class Control {
 public:
  explicit Control(const char* name, void* object = nullptr) {
    int index = -1;
    CHECK(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_handle_alloc(index, object, &handle_, &count_) == MPI_SUCCESS);
  }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ~Control() { MPI_T_cvar_handle_free(&handle_); }

  template <class T>
  T read() const {
    T value{};
    CHECK(MPI_T_cvar_read(handle_, &value) == MPI_SUCCESS);
    return value;
  }
  template <class T>
  int write(T value) const {
    return MPI_T_cvar_write(handle_, &value);
  }
  std::string text() const {
    std::vector<char> room(static_cast<std::size_t>(count_));
    CHECK(MPI_T_cvar_read(handle_, room.data()) == MPI_SUCCESS);
    return room.data();
  }
  MPI_T_cvar_handle handle() const { return handle_; }
  int count() const { return count_; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  int count_ = 0;
};

// Rank 0 goes on when rank 1 has come here, so that nothing arrives there before.
inline void await_receiver() {
  if (rank_in(MPI_COMM_WORLD) == 0)
    MPI_Recv(nullptr, 0, MPI_CHAR, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank_in(MPI_COMM_WORLD) == 1)
    MPI_Send(nullptr, 0, MPI_CHAR, 0, 99, MPI_COMM_WORLD);
}

inline int start_tools() {
  int provided = -1;
  return MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
}
