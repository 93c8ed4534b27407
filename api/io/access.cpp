// SPDX-License-Identifier: BSD-3-Clause
// Carrying out data access calls.
#include "api/io/access.h"

#include <fmt/format.h>

#include <cstring>

#include "api/p2p/blocking_call.h"
#include "api/p2p/point_to_point.h"
#include "core/io/engine.h"
#include "core/io/operation.h"

namespace tessera::api {
namespace {

using io::Operation;

bool right(FileArguments& arguments, const FileAccess& access) noexcept {
  const TypeObject* type = find_type(access.type);
  if (access.where != Where::shared && !arguments.positioned()) return false;
  if (access.where == Where::explicit_offset && !arguments.not_negative(access.offset, "offset"))
    return false;
  return arguments.count(access.count) && arguments.type(type) &&
         arguments.buffer(access.buffer, access.count, *type) &&
         arguments.direction(access.writing);
}

Status prepare(Operation& operation, const FileArguments& arguments,
               const FileAccess& access) noexcept {
  return operation.prepare(*arguments.file(), {access.writing, const_cast<void*>(access.buffer),
                                               access.count, find_type(access.type)});
}

// Where the access lies; pointers are moved by it at once, by the amount asked for.
Status place(Operation& operation, io::File& file, const FileAccess& access) noexcept {
  if (access.where == Where::explicit_offset) return operation.at(access.offset);
  const io::Pointer pointer =
      access.where == Where::shared ? io::Pointer::shared : io::Pointer::individual;
  auto from = file.advance(pointer, operation.etypes());
  return from.ok() ? operation.at(*from) : from.status();
}

int report(const FileArguments& arguments, const MessageStatus& outcome,
           MPI_Status* status) noexcept {
  set_status(status, outcome);
  return arguments.result(outcome.error);
}

// An access by all: checks, takes part whatever is wrong here, and says how it went.
void carry_out(const FileArguments& arguments, const FileAccess& access,
               MessageStatus& outcome) noexcept {
  io::File& file = *arguments.file();
  Operation operation;
  Status mine = arguments.wrong();
  if (mine.ok()) mine = prepare(operation, arguments, access);
  const bool ordered = access.where == Where::shared;
  if (ordered) {
    auto turn = file.take_turn(mine.ok() ? operation.etypes() : 0, mine);
    if (mine.ok()) mine = turn.ok() ? operation.at(*turn) : turn.status();
  } else if (mine.ok()) {
    mine = place(operation, file, access);
  }
  if (!file.positioned()) {
    file.run_in_turn(mine.ok() ? &operation : nullptr);
  } else if (mine.ok()) {
    file.run_together(operation, mine);
  } else {
    file.run_together(access.writing, mine);
  }
  if (mine.ok()) {
    operation.conclude(outcome);
  } else {
    outcome.error = mine;
  }
}

// No other collective access may be called while a split one is in progress.
bool no_split(FileArguments& arguments) noexcept {
  const char* kind = arguments.file()->split().kind;
  return kind == nullptr ||
         arguments.fail(Errc::unsupported,
                        fmt::format("MPI_File_{0}_begin is in progress; MPI_File_{0}_end must be "
                                    "called before another collective access",
                                    kind));
}

}  // namespace

int access_alone(const FileAccess& access, MPI_Status* status) noexcept {
  FileArguments arguments(access.function, access.fh);
  if (arguments.file() == nullptr || !right(arguments, access)) return arguments.raised();
  Operation operation;
  if (Status s = prepare(operation, arguments, access); !s) return arguments.raised(s);
  if (Status s = place(operation, *arguments.file(), access); !s) return arguments.raised(s);
  operation.run();
  MessageStatus outcome;
  operation.conclude(outcome);
  return report(arguments, outcome, status);
}

int start_alone(const FileAccess& access, MPI_Request* request) noexcept {
  FileArguments arguments(access.function, access.fh);
  if (arguments.file() == nullptr || !right(arguments, access) ||
      !arguments.pointer(request, "request"))
    return arguments.raised();
  io::File& file = *arguments.file();
  Operation operation;
  if (Status s = prepare(operation, arguments, access); !s) return arguments.raised(s);
  EngineGuard guard(world.engine->progress());
  if (Status s = place(operation, file, access); !s) return arguments.raised(s);
  auto* started = new io::FileRequest(std::move(operation));
  *request = hand_over(started, file.comm());
  return arguments.result(started->submit(world.engine->files().worker()));
}

// Each process by itself: that is all the standard asks for, and it needs no process to be inside
// MPI for another one's to complete.
int start_together(const FileAccess& access, MPI_Request* request) noexcept {
  FileArguments arguments(access.function, access.fh);
  if (arguments.file() == nullptr || !no_split(arguments)) return arguments.raised();
  return start_alone(access, request);
}

int access_together(const FileAccess& access, MPI_Status* status) noexcept {
  FileArguments arguments(access.function, access.fh);
  if (arguments.file() == nullptr || !no_split(arguments)) return arguments.raised();
  BlockingCall call(access.function, arguments.file()->comm());
  (void)right(arguments, access);
  MessageStatus outcome;
  carry_out(arguments, access, outcome);
  return report(arguments, outcome, status);
}

int begin_together(const FileAccess& access, const char* kind) noexcept {
  FileArguments arguments(access.function, access.fh);
  if (arguments.file() == nullptr || !no_split(arguments)) return arguments.raised();
  io::File& file = *arguments.file();
  BlockingCall call(access.function, file.comm());
  const bool good = right(arguments, access);
  MessageStatus outcome;
  carry_out(arguments, access, outcome);
  if (!good) return arguments.raised();
  file.split() = {kind, access.buffer, outcome};
  return MPI_SUCCESS;
}

int end_together(const char* function, MPI_File fh, const char* kind, const void* buffer,
                 MPI_Status* status) noexcept {
  FileArguments arguments(function, fh);
  if (arguments.file() == nullptr) return arguments.raised();
  io::File::Split& split = arguments.file()->split();
  if (split.kind == nullptr || std::strcmp(split.kind, kind) != 0) {
    arguments.fail(
        Errc::unsupported,
        split.kind == nullptr
            ? fmt::format("MPI_File_{}_begin was not called before", kind)
            : fmt::format("MPI_File_{}_begin is in progress; its own end must come", split.kind));
    return arguments.raised();
  }
  if (buffer != split.buffer) {
    arguments.fail(io::kBuffer, "argument `buf` is another one than that of the begin");
    return arguments.raised();
  }
  const io::File::Split ended = std::exchange(split, {});
  return report(arguments, ended.status, status);
}

}  // namespace tessera::api
