// SPDX-License-Identifier: BSD-3-Clause
// What is said about wrong arguments of functions on files.
#include "api/io/arguments.h"

#include <fmt/format.h>

namespace tessera::api {

bool FileArguments::fail(Errc code, std::string text) noexcept {
  wrong_ = Status::failure(code, text);
  return false;
}

int FileArguments::raised() const noexcept {
  if (!wrong_.ok()) return raised(wrong_);
  if (!world.active()) return raise_not_active(function_);
  return raise(
      function_, object_of(MPI_FILE_NULL), MPI_ERR_FILE,
      handle_ == MPI_FILE_NULL
          ? std::string("the file is MPI_FILE_NULL; it must be one that MPI_File_open returned")
          : fmt::format("argument `fh` is no file: {}; it must be one that MPI_File_open "
                        "returned",
                        why_none(handle_, ObjectKind::file)));
}

int FileArguments::raised(Status failure) const noexcept {
  return raise(function_, object_of(handle_), failure);
}

bool FileArguments::count(Count count) noexcept {
  return count >= 0 ||
         fail(io::kCount, fmt::format("argument `count` is {}; it must not be negative", count));
}

bool FileArguments::type(const TypeObject* type, const char* name) noexcept {
  if (type != nullptr && type->committed()) return true;
  return fail(Errc::type,
              type == nullptr
                  ? fmt::format("argument `{}` is no datatype: it is MPI_DATATYPE_NULL, was freed, "
                                "or never was one",
                                name)
                  : fmt::format("argument `{}` is a datatype that was not committed; call "
                                "MPI_Type_commit first",
                                name));
}

bool FileArguments::buffer(const void* buffer, Count count, const TypeObject& type) noexcept {
  const bool in_place = buffer == MPI_IN_PLACE;
  if ((buffer != nullptr && !in_place) || count == 0 || type.size() == 0 ||
      (buffer == nullptr && !type.contiguous()))
    return true;
  return fail(io::kBuffer,
              in_place ? "argument `buf` is MPI_IN_PLACE; it must be a buffer here"
                       : "argument `buf` is a null pointer although there is data to transfer");
}

bool FileArguments::not_negative(io::Offset value, const char* name) noexcept {
  return value >= 0 ||
         fail(Errc::argument,
              fmt::format("argument `{}` is {}; it must not be negative", name, value));
}

bool FileArguments::info(MPI_Info info) noexcept {
  return info == MPI_INFO_NULL || find_info(info) != nullptr ||
         fail(Errc::argument, "argument `info` is no info object; MPI_INFO_NULL stands for none");
}

bool FileArguments::direction(bool writing) noexcept {
  if (writing ? file_->writable() : file_->readable()) return true;
  return writing
             ? fail(io::kReadOnly, "the file was opened with MPI_MODE_RDONLY; it cannot be written")
             : fail(io::kAccess, "the file was opened with MPI_MODE_WRONLY; it cannot be read");
}

bool FileArguments::positioned() noexcept {
  return !file_->sequential() ||
         fail(Errc::unsupported,
              "the file was opened with MPI_MODE_SEQUENTIAL; only the functions with the shared "
              "file pointer access it");
}

bool FileArguments::whence(int whence) noexcept {
  return whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END ||
         fail(Errc::argument, fmt::format("argument `whence` is {}; it must be MPI_SEEK_SET, "
                                          "MPI_SEEK_CUR or MPI_SEEK_END",
                                          whence));
}

}  // namespace tessera::api
