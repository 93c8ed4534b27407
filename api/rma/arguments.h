// SPDX-License-Identifier: BSD-3-Clause
// Arguments of functions on windows: WindowArguments.
#pragma once

#include <string>

#include "api/datatype/type_handle.h"
#include "api/rma/window_handle.h"

namespace tessera::api {

// Asks questions one by one; keeps the first wrong answer for raised().
class WindowArguments {
 public:
  WindowArguments(const char* function, MPI_Win handle) noexcept
      : function_(function), handle_(handle), window_(find_window(handle)) {}

  Win* window() const noexcept { return window_; }
  bool exists() const noexcept { return window_ != nullptr; }

  bool pointer(const void* pointer, const char* name) noexcept {
    return pointer != nullptr || fail(MPI_ERR_ARG, null_pointer(name));
  }
  bool rank(int rank, const char* name) noexcept {
    return (rank >= 0 && rank < window_->size()) || rank == MPI_PROC_NULL || bad_rank(rank, name);
  }
  bool count(Count count, const char* name) noexcept {
    return count >= 0 || bad_count(count, name);
  }
  bool type(const TypeObject* type, const char* name) noexcept {
    return (type != nullptr && type->committed()) || bad_type(type, name);
  }
  bool buffer(const void* buffer, Count count, const TypeObject& type, const char* name) noexcept {
    return (buffer != nullptr && buffer != MPI_IN_PLACE) || count == 0 || type.size() == 0 ||
           (buffer == nullptr && !type.contiguous()) || bad_buffer(buffer, name);
  }
  // Of one element of a predefined type.
  bool element(const void* buffer, const char* name) noexcept {
    return (buffer != nullptr && buffer != MPI_IN_PLACE) || bad_buffer(buffer, name);
  }
  // Assertions: only these bits.
  bool assertions(int given, int allowed, const char* names) noexcept {
    return (given & ~allowed) == 0 || bad_assertions(given, names);
  }
  bool epoch(Status allowed) noexcept {
    return allowed.ok() || (failure_ = allowed, error_class_ = MPI_ERR_RMA_SYNC, false);
  }
  bool that(bool right, int error_class, const char* text) noexcept {
    return right || fail(error_class, text);
  }

  [[gnu::cold]] bool fail(int error_class, std::string text) noexcept;
  [[gnu::cold]] int raised() const noexcept;
  const char* function() const noexcept { return function_; }

 private:
  [[gnu::cold]] bool bad_rank(int rank, const char* name) noexcept;
  [[gnu::cold]] bool bad_count(Count count, const char* name) noexcept;
  [[gnu::cold]] bool bad_type(const TypeObject* type, const char* name) noexcept;
  [[gnu::cold]] bool bad_buffer(const void* buffer, const char* name) noexcept;
  [[gnu::cold]] bool bad_assertions(int given, const char* names) noexcept;

  const char* function_;
  MPI_Win handle_;
  Win* window_;
  int error_class_ = MPI_SUCCESS;
  Status failure_;
  std::string text_;
};

}  // namespace tessera::api
