// SPDX-License-Identifier: BSD-3-Clause
// The texts of wrong arguments of functions on windows.
#include "api/rma/arguments.h"

#include <fmt/format.h>

namespace tessera::api {

bool WindowArguments::fail(int error_class, std::string text) noexcept {
  error_class_ = error_class;
  text_ = std::move(text);
  return false;
}

int WindowArguments::raised() const noexcept {
  if (window_ == nullptr) return raise_not_window(function_, handle_);
  if (!failure_.ok()) return raise(function_, *window_, failure_);
  return raise(function_, *window_, error_class_, text_);
}

bool WindowArguments::bad_rank(int rank, const char* name) noexcept {
  return fail(MPI_ERR_RANK, fmt::format("argument `{}` is {}; ranks of the window are 0..{}", name,
                                        rank, window_->size() - 1));
}

bool WindowArguments::bad_count(Count count, const char* name) noexcept {
  return fail(MPI_ERR_COUNT,
              fmt::format("argument `{}` is {}; it must be at least 0", name, count));
}

bool WindowArguments::bad_type(const TypeObject* type, const char* name) noexcept {
  if (type == nullptr) return fail(MPI_ERR_TYPE, fmt::format("argument `{}` is no datatype", name));
  return fail(MPI_ERR_TYPE,
              fmt::format("argument `{}` is not committed; call MPI_Type_commit first", name));
}

bool WindowArguments::bad_buffer(const void* buffer, const char* name) noexcept {
  const char* const what = buffer == nullptr
                               ? "a null pointer, but there is data to move; pass its address"
                               : "MPI_IN_PLACE; it must be a buffer here";
  return fail(MPI_ERR_BUFFER, fmt::format("argument `{}` is {}", name, what));
}

bool WindowArguments::bad_assertions(int given, const char* names) noexcept {
  return fail(MPI_ERR_ASSERT,
              fmt::format("argument `assert` is {}; it may combine {}, or be 0", given, names));
}

}  // namespace tessera::api
