// SPDX-License-Identifier: BSD-3-Clause
// What the engine does for components that stand in front of collectives.
#include "core/coll/services.h"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>

#include "core/boot/boot.h"
#include "core/comm/communicator.h"
#include "core/datatype/predefined.h"
#include "core/op/predefined.h"
#include "core/progress/progress.h"
#include "framework/help.h"

namespace tessera::coll {

namespace {

constexpr std::uint16_t kFirstOp = 0x20;  // handle values of operations (MPI-5.0 table A.2)
constexpr std::uint16_t kEndOp = 0x40;

const char* operation_name(std::uint16_t handle) noexcept {
  const struct {
    MPI_Op handle;
    const char* name;
  } names[] = {{MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},     {MPI_MAX, "MPI_MAX"},
               {MPI_MIN, "MPI_MIN"},         {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
               {MPI_BXOR, "MPI_BXOR"},       {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
               {MPI_LXOR, "MPI_LXOR"},       {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"},
               {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};
  for (const auto& op : names) {
    if (reinterpret_cast<std::uintptr_t>(op.handle) == handle) return op.name;
  }
  return nullptr;
}

std::string text_of(std::string_view topic, std::string_view what, std::string_view next_step) {
  const std::string_view both[] = {what, next_step};
  return format_help(topic, "{0}", next_step.empty() ? "" : "{1}", both);
}

}  // namespace

const Datatype& EngineServices::byte() const noexcept {
  return byte_type();
}

std::uint64_t EngineServices::signature(const Datatype& type, Count count) const noexcept {
  const Signature& one = as_object(type).signature();
  return count == 1 ? one.hash : one.times(count).hash;
}

std::uint16_t EngineServices::handle(const Datatype& type) const noexcept {
  return static_cast<std::uint16_t>(as_object(type).handle());
}

std::uint16_t EngineServices::handle(const Op& op) const noexcept {
  if (!op.predefined()) return 0;
  for (std::uint16_t handle = kFirstOp; handle < kEndOp; ++handle) {
    if (predefined_op(handle) == &op) return handle;
  }
  return 0;
}

const char* EngineServices::name(std::uint16_t handle) const noexcept {
  if (handle < kEndOp) return operation_name(handle);
  const TypeObject* const type = predefined_type(handle);
  return type != nullptr ? type->name() : nullptr;
}

// All communicators are the engine's.
bool EngineServices::fatal(const Communicator& comm) const noexcept {
  const Errhandler::Action action = static_cast<const Comm&>(comm).errhandler().action();
  return action == Errhandler::Action::fatal || action == Errhandler::Action::abort;
}

void EngineServices::tell(std::string_view topic, std::string_view what,
                          std::string_view next_step) const noexcept {
  try {
    print_help(text_of(topic, what, next_step));
  } catch (const std::bad_alloc&) {  // nothing is said
  }
}

Status EngineServices::failure(Errc code, std::string_view topic, std::string_view what,
                               std::string_view next_step) const noexcept {
  try {
    return Status::failure(code, text_of(topic, what, next_step));
  } catch (const std::bad_alloc&) {
    return code;
  }
}

bool EngineServices::ending() const noexcept {
  return boot_.aborted();
}

// The output of the program so far belongs before the end.
void EngineServices::abort() const noexcept {
  constexpr int status = 1;
  std::fflush(nullptr);
  boot_.abort(status);
  ::_exit(status);
}

void EngineServices::limit_naps(std::int64_t longest_us) const noexcept {
  progress_.limit_naps(longest_us);
}

}  // namespace tessera::coll
