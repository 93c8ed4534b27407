// SPDX-License-Identifier: BSD-3-Clause
// A file as a whole: size, group, mode, hints, consistency (MPI-5.0 §14.2.4-14.2.8, §14.6).
#include <fmt/format.h>

#include "api/comm/group_handle.h"
#include "api/env/memory_kinds.h"
#include "api/io/arguments.h"
#include "api/io/notes.h"
#include "api/p2p/blocking_call.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// A size is set by all processes, in a file that can be written at any place.
bool right_size(FileArguments& arguments, MPI_Offset size) noexcept {
  return arguments.not_negative(size, "size") && arguments.direction(true) &&
         arguments.positioned();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_File_set_size)
extern "C" int PMPI_File_set_size(MPI_File fh, MPI_Offset size) {
  FileArguments arguments("MPI_File_set_size", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  BlockingCall call(arguments.function(), arguments.file()->comm());
  (void)right_size(arguments, size);
  return arguments.result(arguments.file()->set_size(size, arguments.wrong()));
}

TESSERA_WEAK_ALIAS(MPI_File_preallocate)
extern "C" int PMPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  FileArguments arguments("MPI_File_preallocate", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  BlockingCall call(arguments.function(), arguments.file()->comm());
  (void)right_size(arguments, size);
  return arguments.result(arguments.file()->preallocate(size, arguments.wrong()));
}

TESSERA_WEAK_ALIAS(MPI_File_get_size)
extern "C" int PMPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  FileArguments arguments("MPI_File_get_size", fh);
  if (arguments.file() == nullptr || !arguments.pointer(size, "size")) return arguments.raised();
  auto now = arguments.file()->size();
  if (!now.ok()) return arguments.raised(now.status());
  *size = *now;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_get_group)
extern "C" int PMPI_File_get_group(MPI_File fh, MPI_Group* group) {
  FileArguments arguments("MPI_File_get_group", fh);
  if (arguments.file() == nullptr || !arguments.pointer(group, "group")) return arguments.raised();
  Ref<Group> members = arguments.file()->comm().group();
  *group = hand_over(members.take());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_get_amode)
extern "C" int PMPI_File_get_amode(MPI_File fh, int* amode) {
  FileArguments arguments("MPI_File_get_amode", fh);
  if (arguments.file() == nullptr || !arguments.pointer(amode, "amode")) return arguments.raised();
  *amode = arguments.file()->amode();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_set_info)
extern "C" int PMPI_File_set_info(MPI_File fh, MPI_Info info) {
  FileArguments arguments("MPI_File_set_info", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  io::File& file = *arguments.file();
  BlockingCall call(arguments.function(), file.comm());
  (void)arguments.info(info);
  std::vector<std::string> notes;
  const Status set = file.set_hints(find_info(info), notes, arguments.wrong());
  print_notes(notes, file.comm());
  return arguments.result(set);
}

TESSERA_WEAK_ALIAS(MPI_File_get_info)
extern "C" int PMPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  FileArguments arguments("MPI_File_get_info", fh);
  if (arguments.file() == nullptr || !arguments.pointer(info_used, "info_used"))
    return arguments.raised();
  Info* info = new Info();
  for (const auto& [key, value] : arguments.file()->hints().in_force()) info->set(key, value);
  info->set("filename", arguments.file()->name());
  info->set(kMemoryKindsKey, kMemoryKinds);
  *info_used = handle_of<MPI_Info>(info);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_set_atomicity)
extern "C" int PMPI_File_set_atomicity(MPI_File fh, int flag) {
  FileArguments arguments("MPI_File_set_atomicity", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  BlockingCall call(arguments.function(), arguments.file()->comm());
  return arguments.result(arguments.file()->set_atomicity(flag != 0, arguments.wrong()));
}

TESSERA_WEAK_ALIAS(MPI_File_get_atomicity)
extern "C" int PMPI_File_get_atomicity(MPI_File fh, int* flag) {
  FileArguments arguments("MPI_File_get_atomicity", fh);
  if (arguments.file() == nullptr || !arguments.pointer(flag, "flag")) return arguments.raised();
  *flag = arguments.file()->atomic() ? 1 : 0;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_sync)
extern "C" int PMPI_File_sync(MPI_File fh) {
  FileArguments arguments("MPI_File_sync", fh);
  if (arguments.file() == nullptr) return arguments.raised();
  BlockingCall call(arguments.function(), arguments.file()->comm());
  return arguments.result(arguments.file()->sync({}));
}
