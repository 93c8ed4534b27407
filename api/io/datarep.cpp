// SPDX-License-Identifier: BSD-3-Clause
// Data representations of the program (MPI-5.0 §14.5.3).
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "api/io/arguments.h"
#include "core/io/engine.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The program's functions; of the conversions at most one form each.
struct Functions {
  MPI_Datarep_conversion_function* read;
  MPI_Datarep_conversion_function* write;
  MPI_Datarep_conversion_function_c* read_c;
  MPI_Datarep_conversion_function_c* write_c;
  MPI_Datarep_extent_function* extent;
  void* state;
};

class UserRepresentation final : public io::Representation {
 public:
  UserRepresentation(std::string name, const Functions& functions)
      : name_(std::move(name)), functions_(functions) {}

  bool converts_reading() const noexcept override { return true; }
  bool converts_writing() const noexcept override { return true; }
  bool resizes() const noexcept override { return true; }

  Result<Count> extent_of(const TypeObject& predefined) const noexcept override {
    MPI_Aint extent = 0;
    const int code = functions_.extent(handle_of(predefined), &extent, functions_.state);
    if (code == MPI_SUCCESS) return Count{extent};
    return failed("extent", code);
  }

  Count size_of(const TypeObject& type) const noexcept override {
    auto in_file = io::type_in_file(type, *this);
    return in_file.ok() ? (*in_file)->size() : 0;
  }

  Status to_file(const TypeObject& type, const void* data, Count count, Count first,
                 std::byte* stream) const noexcept override {
    if (functions_.write == nullptr && functions_.write_c == nullptr)
      return as_they_are(type, const_cast<void*>(data), count, first, stream, true);
    return convert(functions_.write, functions_.write_c, "write conversion", type,
                   const_cast<void*>(data), count, first, stream);
  }

  Status from_file(const TypeObject& type, void* data, Count count, Count first,
                   const std::byte* stream) const noexcept override {
    std::byte* bytes = const_cast<std::byte*>(stream);
    if (functions_.read == nullptr && functions_.read_c == nullptr)
      return as_they_are(type, data, count, first, bytes, false);
    return convert(functions_.read, functions_.read_c, "read conversion", type, data, count, first,
                   bytes);
  }

 private:
  Status failed(const char* what, int code) const noexcept {
    return Status::failure(
        io::kConversion,
        fmt::format("the {} function of data representation \"{}\" returned {}, not MPI_SUCCESS",
                    what, name_, code));
  }

  // Without a function the bytes pass unchanged.
  Status as_they_are(const TypeObject& type, void* data, Count count, Count first,
                     std::byte* stream, bool writing) const noexcept {
    if (size_of(type) != type.size()) {
      return Status::failure(
          io::kConversion,
          fmt::format("data representation \"{}\" has no conversion function although the data "
                      "have another size in the file",
                      name_));
    }
    PackCursor cursor(type, data, first + count);
    cursor.seek(static_cast<std::size_t>(first * type.size()));
    const auto bytes = static_cast<std::size_t>(count * type.size());
    (void)(writing ? cursor.pack(stream, bytes) : cursor.unpack(stream, bytes));
    return {};
  }

  // The buffer stays the same from call to call; `first` says how many elements came before.
  Status convert(MPI_Datarep_conversion_function* small, MPI_Datarep_conversion_function_c* large,
                 const char* what, const TypeObject& type, void* data, Count count, Count first,
                 std::byte* stream) const noexcept {
    const MPI_Datatype handle = handle_of(type);
    if (large != nullptr) {
      const int code = large(data, handle, count, stream, first, functions_.state);
      return code == MPI_SUCCESS ? Status() : failed(what, code);
    }
    const Count size = size_of(type);
    while (count > 0) {
      const int part = static_cast<int>(std::min<Count>(count, INT_MAX));
      const int code = small(data, handle, part, stream, first, functions_.state);
      if (code != MPI_SUCCESS) return failed(what, code);
      first += part;
      count -= part;
      stream += part * size;
    }
    return {};
  }

  std::string name_;
  Functions functions_;
};

int register_datarep(const char* function, const char* name, const Functions& functions) noexcept {
  if (!world.active()) return raise_not_active(function);
  const ErrorContext none = object_of(MPI_FILE_NULL);
  const std::size_t length = name != nullptr ? ::strnlen(name, MPI_MAX_DATAREP_STRING) : 0;
  if (length == 0 || length == MPI_MAX_DATAREP_STRING) {
    return raise(function, none, MPI_ERR_ARG,
                 fmt::format("argument `datarep` must be a name of 1 to {} characters",
                             MPI_MAX_DATAREP_STRING - 1));
  }
  if (functions.extent == nullptr)
    return raise(function, none, MPI_ERR_ARG,
                 "argument `dtype_file_extent_fn` is a null pointer; it must be a function");
  EngineGuard guard(world.engine->progress());
  const Status added = world.engine->files().representations().add(
      name, std::make_unique<UserRepresentation>(name, functions));
  return added.ok() ? MPI_SUCCESS : raise(function, none, added);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Register_datarep)
extern "C" int PMPI_Register_datarep(const char* datarep,
                                     MPI_Datarep_conversion_function* read_conversion_fn,
                                     MPI_Datarep_conversion_function* write_conversion_fn,
                                     MPI_Datarep_extent_function* dtype_file_extent_fn,
                                     void* extra_state) {
  return register_datarep("MPI_Register_datarep", datarep,
                          {read_conversion_fn, write_conversion_fn, nullptr, nullptr,
                           dtype_file_extent_fn, extra_state});
}

TESSERA_WEAK_ALIAS(MPI_Register_datarep_c)
extern "C" int PMPI_Register_datarep_c(const char* datarep,
                                       MPI_Datarep_conversion_function_c* read_conversion_fn,
                                       MPI_Datarep_conversion_function_c* write_conversion_fn,
                                       MPI_Datarep_extent_function* dtype_file_extent_fn,
                                       void* extra_state) {
  return register_datarep("MPI_Register_datarep_c", datarep,
                          {nullptr, nullptr, read_conversion_fn, write_conversion_fn,
                           dtype_file_extent_fn, extra_state});
}
