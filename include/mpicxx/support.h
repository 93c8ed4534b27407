// SPDX-License-Identifier: BSD-3-Clause
// What the classes of the C++ interface rest on: exceptions, access to handles, truth values.
#ifndef MPICXX_SUPPORT_H
#define MPICXX_SUPPORT_H

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "../mpi.h"
#include "../mpix.h"

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define MPICXX_EXCEPTIONS
#endif

// The macros of <cstdio> become constants of the same names and values.
#if defined(SEEK_SET)
namespace MPI {
namespace detail {
enum { stdio_seek_set = SEEK_SET, stdio_seek_cur = SEEK_CUR, stdio_seek_end = SEEK_END };
}  // namespace detail
}  // namespace MPI
#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END
const int SEEK_SET = MPI::detail::stdio_seek_set;
const int SEEK_CUR = MPI::detail::stdio_seek_cur;
const int SEEK_END = MPI::detail::stdio_seek_end;
#endif

namespace MPI {

typedef MPI_Aint Aint;
typedef MPI_Offset Offset;
class Comm;
class Datatype;
class File;
class Win;

// An error: its code, class and text, as they were when it happened.
class Exception : public std::exception {
 public:
  explicit Exception(int error_code) : code_(error_code), class_(MPI_ERR_UNKNOWN) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_class(error_code, &class_);
    MPI_Error_string(error_code, text, &length);
    text_.assign(text, static_cast<std::size_t>(length));
  }
  int Get_error_code() const noexcept { return code_; }
  int Get_error_class() const noexcept { return class_; }
  const char* Get_error_string() const noexcept { return text_.c_str(); }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  int code_;
  int class_;
  std::string text_;
};

namespace detail {

// What this thread's next C++ function to return from C has to throw. A template, so that headers
// alone define the variables.
template <class Unused>
struct Waiting {
  static thread_local bool is_there;
  static thread_local std::exception_ptr what;
};
template <class Unused>
thread_local bool Waiting<Unused>::is_there = false;
template <class Unused>
thread_local std::exception_ptr Waiting<Unused>::what;

#if defined(MPICXX_EXCEPTIONS)
// The first one counts.
inline void keep(std::exception_ptr what) {
  if (Waiting<void>::is_there) return;
  Waiting<void>::what = what;
  Waiting<void>::is_there = true;
}

inline void keep_error(int code) {
  keep(std::make_exception_ptr(Exception(code)));
}

inline void throw_again() {
  std::exception_ptr what;
  std::swap(what, Waiting<void>::what);
  Waiting<void>::is_there = false;
  std::rethrow_exception(what);
}

// Runs a callback of the program on behalf of C.
template <class Body>
int guarded(const Body& body) {
  try {
    return body();
  } catch (...) {
    keep(std::current_exception());
    return MPI_ERR_OTHER;
  }
}
#else
inline void keep_error(int code) {
  std::fprintf(stderr, "MPI::ERRORS_THROW_EXCEPTIONS without exceptions: %s\n",
               Exception(code).what());
  std::abort();
}

inline void throw_again() {}

template <class Body>
int guarded(const Body& body) {
  return body();
}
#endif

// After each call of C. Its code was the error handler's business.
inline void check(int) {
  if (Waiting<void>::is_there) throw_again();
}

// The way to the handle inside an object, and to those of an array of objects, which are nothing
// but their handles.
struct Access {
  template <class Object>
  static auto of(Object& object) -> decltype(&object.handle_) {
    return &object.handle_;
  }
};

template <class Object>
auto address(Object& object) -> decltype(Access::of(object)) {
  return Access::of(object);
}

template <class Object>
auto address(Object* objects) -> decltype(Access::of(*objects)) {
  return objects != nullptr ? Access::of(*objects) : nullptr;
}

// Truth values as C has them.
inline std::vector<int> integers(const bool values[], int n) {
  return n > 0 ? std::vector<int>(values, values + n) : std::vector<int>();
}

}  // namespace detail
}  // namespace MPI

#endif
