// SPDX-License-Identifier: BSD-3-Clause
// Start and end of MPI, and the buffer of the process.
#include "check/checker.h"

using namespace tessera::check;

extern "C" int MPI_Init(int* argc, char*** argv) {
  static const auto next = next_function<decltype(&MPI_Init)>("MPI_Init");
  const Call call("MPI_Init", __builtin_return_address(0), false);
  const int code = next(argc, argv);
  if (code == MPI_SUCCESS) Checker::instance().began(MPI_THREAD_SINGLE, call.site());
  return code;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static const auto next = next_function<decltype(&MPI_Init_thread)>("MPI_Init_thread");
  const Call call("MPI_Init_thread", __builtin_return_address(0), false);
  const int code = next(argc, argv, required, provided);
  if (code == MPI_SUCCESS) Checker::instance().began(*provided, call.site());
  return code;
}

// Attributes of MPI_COMM_SELF are deleted first, and what their callbacks free is freed in time.
extern "C" int MPI_Finalize() {
  static const auto next = next_function<decltype(&MPI_Finalize)>("MPI_Finalize");
  const Call call("MPI_Finalize", __builtin_return_address(0), false);
  if (Checker::instance().sessions() == 0) Checker::instance().pending.drop_kept();
  const int code = next();
  if (code == MPI_SUCCESS) Checker::instance().ended();
  return code;
}

extern "C" int MPI_Session_finalize(MPI_Session* session) {
  static const auto next = next_function<decltype(&MPI_Session_finalize)>("MPI_Session_finalize");
  Call call("MPI_Session_finalize", __builtin_return_address(0), false);
  Checker& checker = Checker::instance();
  const auto before = value_of(session);
  if (!checker.in_world() && checker.sessions() == 1) checker.pending.drop_kept();
  const int code = next(session);
  call.freed(code, Kind::session, before);
  if (code == MPI_SUCCESS) checker.session_ended();
  return code;
}

// What has been noted so far is told first, as in any call.
extern "C" int MPI_Abort(MPI_Comm comm, int errorcode) {
  static const auto next = next_function<decltype(&MPI_Abort)>("MPI_Abort");
  const Call call("MPI_Abort", __builtin_return_address(0), false);
  return next(comm, errorcode);
}

extern "C" int MPI_Buffer_attach(void* buffer, int size) {
  static const auto next = next_function<decltype(&MPI_Buffer_attach)>("MPI_Buffer_attach");
  Call call("MPI_Buffer_attach", __builtin_return_address(0), false);
  const int code = next(buffer, size);
  call.made(code, Kind::attached_buffer, &buffer);
  return code;
}

extern "C" int MPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  static const auto next = next_function<decltype(&MPI_Buffer_attach_c)>("MPI_Buffer_attach_c");
  Call call("MPI_Buffer_attach_c", __builtin_return_address(0), false);
  const int code = next(buffer, size);
  call.made(code, Kind::attached_buffer, &buffer);
  return code;
}

// `buffer_addr` is the address of a pointer, which gets that of the buffer.
extern "C" int MPI_Buffer_detach(void* buffer_addr, int* size) {
  static const auto next = next_function<decltype(&MPI_Buffer_detach)>("MPI_Buffer_detach");
  Call call("MPI_Buffer_detach", __builtin_return_address(0), false);
  const int code = next(buffer_addr, size);
  if (code == MPI_SUCCESS)
    call.freed(code, Kind::attached_buffer, value_of(static_cast<void**>(buffer_addr)));
  return code;
}

extern "C" int MPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  static const auto next = next_function<decltype(&MPI_Buffer_detach_c)>("MPI_Buffer_detach_c");
  Call call("MPI_Buffer_detach_c", __builtin_return_address(0), false);
  const int code = next(buffer_addr, size);
  if (code == MPI_SUCCESS)
    call.freed(code, Kind::attached_buffer, value_of(static_cast<void**>(buffer_addr)));
  return code;
}
