// SPDX-License-Identifier: BSD-3-Clause
// Views, and positions in them (MPI-5.0 §14.3, §14.4.3-14.4.4, §14.5.1).
#include <fmt/format.h>

#include <cstring>

#include "api/io/arguments.h"
#include "api/io/notes.h"
#include "api/p2p/blocking_call.h"

using namespace tessera;
using namespace tessera::api;

namespace {

io::Whence whence_of(int whence) noexcept {
  return whence == MPI_SEEK_SET   ? io::Whence::set
         : whence == MPI_SEEK_CUR ? io::Whence::current
                                  : io::Whence::end;
}

bool right_view(FileArguments& arguments, const TypeObject* etype, const TypeObject* filetype,
                const char* datarep, MPI_Info info) noexcept {
  return arguments.type(etype, "etype") && arguments.type(filetype, "filetype") &&
         arguments.pointer(datarep, "datarep") && arguments.info(info);
}

// A type of the user's as it was given; predefined ones are themselves.
MPI_Datatype shared_handle(const TypeObject& type) noexcept {
  type.hold();
  return handle_of(type);
}

template <class Extent>
int type_extent(const char* function, MPI_File fh, MPI_Datatype datatype, Extent* extent) noexcept {
  FileArguments arguments(function, fh);
  const TypeObject* type = find_type(datatype);
  if (arguments.file() == nullptr || (type == nullptr && !arguments.type(type)) ||
      !arguments.pointer(extent, "extent"))
    return arguments.raised();
  auto in_file = io::type_in_file(*type, arguments.file()->representation());
  if (!in_file.ok()) return arguments.raised(in_file.status());
  *extent = (*in_file)->extent();
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_File_set_view)
extern "C" int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                  MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  FileArguments arguments("MPI_File_set_view", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  io::File& file = *arguments.file();
  BlockingCall call(arguments.function(), file.comm());
  const TypeObject* etype_object = find_type(etype);
  const TypeObject* filetype_object = find_type(filetype);
  (void)right_view(arguments, etype_object, filetype_object, datarep, info);
  const Status set = file.set_view({disp, disp == MPI_DISPLACEMENT_CURRENT, etype_object,
                                    filetype_object, datarep != nullptr ? datarep : ""},
                                   arguments.wrong());
  if (!set.ok()) return arguments.raised(set);
  std::vector<std::string> notes;
  const Status hints = file.set_hints(find_info(info), notes, {});
  print_notes(notes, file.comm());
  return arguments.result(hints);
}

TESSERA_WEAK_ALIAS(MPI_File_get_view)
extern "C" int PMPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype,
                                  MPI_Datatype* filetype, char* datarep) {
  FileArguments arguments("MPI_File_get_view", fh);
  if (arguments.file() == nullptr || !arguments.pointer(disp, "disp") ||
      !arguments.pointer(etype, "etype") || !arguments.pointer(filetype, "filetype") ||
      !arguments.pointer(datarep, "datarep"))
    return arguments.raised();
  io::File& file = *arguments.file();
  *disp = file.view().displacement();
  *etype = shared_handle(file.etype());
  *filetype = shared_handle(file.filetype());
  // No more than the name: it is never too long, and programs count on less room than the longest.
  const std::string& name = file.representation_name();
  std::memcpy(datarep, name.c_str(), name.size() + 1);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_get_type_extent)
extern "C" int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return type_extent("MPI_File_get_type_extent", fh, datatype, extent);
}

TESSERA_WEAK_ALIAS(MPI_File_get_type_extent_c)
extern "C" int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  return type_extent("MPI_File_get_type_extent_c", fh, datatype, extent);
}

TESSERA_WEAK_ALIAS(MPI_File_seek)
extern "C" int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  FileArguments arguments("MPI_File_seek", fh);
  if (arguments.file() == nullptr || !arguments.whence(whence) || !arguments.positioned())
    return arguments.raised();
  return arguments.result(arguments.file()->seek(offset, whence_of(whence)));
}

TESSERA_WEAK_ALIAS(MPI_File_get_position)
extern "C" int PMPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  FileArguments arguments("MPI_File_get_position", fh);
  if (arguments.file() == nullptr || !arguments.pointer(offset, "offset") ||
      !arguments.positioned())
    return arguments.raised();
  *offset = arguments.file()->position();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_get_byte_offset)
extern "C" int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  FileArguments arguments("MPI_File_get_byte_offset", fh);
  if (arguments.file() == nullptr || !arguments.not_negative(offset, "offset") ||
      !arguments.pointer(disp, "disp") || !arguments.positioned())
    return arguments.raised();
  const io::View& view = arguments.file()->view();
  MPI_Offset position = 0;
  if (__builtin_mul_overflow(offset, view.etype_size(), &position)) {
    arguments.fail(
        Errc::argument,
        fmt::format("argument `offset` is {}; bytes so far away cannot be counted", offset));
    return arguments.raised();
  }
  *disp = view.offset_of(position);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_seek_shared)
extern "C" int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  FileArguments arguments("MPI_File_seek_shared", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  BlockingCall call(arguments.function(), arguments.file()->comm());
  (void)(arguments.whence(whence) && arguments.positioned());
  return arguments.result(
      arguments.file()->seek_shared(offset, whence_of(whence), arguments.wrong()));
}

TESSERA_WEAK_ALIAS(MPI_File_get_position_shared)
extern "C" int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  FileArguments arguments("MPI_File_get_position_shared", fh);
  if (arguments.file() == nullptr || !arguments.pointer(offset, "offset") ||
      !arguments.positioned())
    return arguments.raised();
  auto position = arguments.file()->shared_position();
  if (!position.ok()) return arguments.raised(position.status());
  *offset = *position;
  return MPI_SUCCESS;
}
