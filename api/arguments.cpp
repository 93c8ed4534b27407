// SPDX-License-Identifier: BSD-3-Clause
// What is said about wrong arguments.
#include "api/arguments.h"

#include <fmt/format.h>

namespace tessera::api {

bool Arguments::fail(int error_class, std::string text) noexcept {
  error_class_ = error_class;
  text_ = std::move(text);
  return false;
}

int Arguments::raised() const noexcept {
  if (comm_ == nullptr && error_class_ == MPI_SUCCESS) return raise_not_comm(function_, handle_);
  return raise(function_, handle_, error_class_, text_);
}

bool Arguments::bad_count(Count count, const char* name) noexcept {
  return fail(MPI_ERR_COUNT,
              fmt::format("argument `{}` is {}; it must not be negative", name, count));
}

bool Arguments::bad_type(const TypeObject* type, const char* name, MPI_Datatype handle) noexcept {
  if (type == nullptr) {
    const std::string why = handle != nullptr
                                ? why_none(handle, ObjectKind::datatype)
                                : "it is MPI_DATATYPE_NULL, was freed, or never was one";
    return fail(MPI_ERR_TYPE,
                fmt::format("argument `{}` is no datatype: {}; it must be a predefined one or from "
                            "a function that makes types",
                            name, why));
  }
  return fail(
      MPI_ERR_TYPE,
      fmt::format("argument `{}` is a datatype that was not committed; call MPI_Type_commit first",
                  name));
}

bool Arguments::bad_room(Count count, const TypeObject& type, const char* name) noexcept {
  return fail(MPI_ERR_COUNT,
              fmt::format("argument `{}` is {}; so many elements of {} bytes each (extent {}) are "
                          "more than any memory holds",
                          name, count, type.size(), type.extent()));
}

bool Arguments::bad_buffer(const void* buffer, const char* name) noexcept {
  const char* what = buffer == nullptr
                         ? "a null pointer although there is data to transfer; pass its address"
                         : "MPI_IN_PLACE; it must be a buffer here";
  return fail(MPI_ERR_BUFFER, fmt::format("argument `{}` is {}", name, what));
}

bool Arguments::bad_rank(int rank, const char* name, bool any) noexcept {
  return fail(MPI_ERR_RANK,
              fmt::format("argument `{}` is {}; valid ranks are 0..{}{}", name, rank,
                          comm_->remote_size() - 1,
                          any ? ", MPI_ANY_SOURCE and MPI_PROC_NULL" : " and MPI_PROC_NULL"));
}

bool Arguments::bad_tag(int tag, const char* name, bool any) noexcept {
  return fail(MPI_ERR_TAG, fmt::format("argument `{}` is {}; valid tags are 0..{}{}", name, tag,
                                       kMaxTag, any ? " and MPI_ANY_TAG" : ""));
}

bool Arguments::bad_kind(bool intra) noexcept {
  return fail(MPI_ERR_COMM,
              intra ? "argument `comm` is an intercommunicator; it must be an intracommunicator"
                    : "argument `comm` is an intracommunicator; it must be an intercommunicator");
}

bool Arguments::bad_member(int rank, int size, int error_class, const char* name) noexcept {
  return fail(error_class,
              fmt::format("argument `{}` is {}; valid are 0..{}", name, rank, size - 1));
}

bool Arguments::bad_pointer(const char* name) noexcept {
  return fail(MPI_ERR_ARG, null_pointer(name));
}

bool Arguments::bad_input(const char* name) noexcept {
  return fail(MPI_ERR_ARG,
              fmt::format("argument `{}` is a null pointer; it must point to what is read", name));
}

}  // namespace tessera::api
