// SPDX-License-Identifier: BSD-3-Clause
// What a handle is that stands for no object of the kind wanted.
#include "api/handle.h"

#include <fmt/format.h>

#include <array>

#include "api/p2p/request_handle.h"

namespace tessera::api {
namespace {

struct Name {
  ObjectKind kind;
  const char* text;
  const char* ended;
};

constexpr Name kRequest{ObjectKind::request, "a request", "it was completed or freed before"};
constexpr std::array kNames{
    kRequest,
    Name{ObjectKind::communicator, "a communicator", "it was freed"},
    Name{ObjectKind::group, "a group", "it was freed"},
    Name{ObjectKind::datatype, "a datatype", "it was freed"},
    Name{ObjectKind::op, "an operation", "it was freed"},
    Name{ObjectKind::message, "a matched message", "it was received before"},
    Name{ObjectKind::info, "an info object", "it was freed"},
    Name{ObjectKind::errhandler, "an error handler", "it was freed"},
    Name{ObjectKind::window, "a window", "it was freed"},
    Name{ObjectKind::file, "a file", "it was closed"},
    Name{ObjectKind::session, "a session", "it was finalized"},
};

struct Predefined {
  std::uintptr_t handle;
  const char* name;
};

// The null handles, and those that are most often taken for something else.
const std::array kPredefined{
    Predefined{number_of(MPI_COMM_NULL), "MPI_COMM_NULL"},
    Predefined{number_of(MPI_COMM_WORLD), "MPI_COMM_WORLD"},
    Predefined{number_of(MPI_COMM_SELF), "MPI_COMM_SELF"},
    Predefined{number_of(MPI_GROUP_NULL), "MPI_GROUP_NULL"},
    Predefined{number_of(MPI_GROUP_EMPTY), "MPI_GROUP_EMPTY"},
    Predefined{number_of(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL"},
    Predefined{number_of(MPI_OP_NULL), "MPI_OP_NULL"},
    Predefined{number_of(MPI_REQUEST_NULL), "MPI_REQUEST_NULL"},
    Predefined{number_of(MPI_MESSAGE_NULL), "MPI_MESSAGE_NULL"},
    Predefined{number_of(MPI_INFO_NULL), "MPI_INFO_NULL"},
    Predefined{number_of(MPI_ERRHANDLER_NULL), "MPI_ERRHANDLER_NULL"},
    Predefined{number_of(MPI_WIN_NULL), "MPI_WIN_NULL"},
    Predefined{number_of(MPI_FILE_NULL), "MPI_FILE_NULL"},
    Predefined{number_of(MPI_SESSION_NULL), "MPI_SESSION_NULL"},
};

std::string predefined(std::uintptr_t handle) {
  if (handle == 0) return "it is a null pointer, which is no handle";
  for (const Predefined& one : kPredefined)
    if (one.handle == handle) return fmt::format("it is {}", one.name);
  return fmt::format("{:#x} is a predefined handle of another kind", handle);
}

const Name* name_of(std::uint32_t word) noexcept {
  const auto kind = static_cast<ObjectKind>(word & ~kEnded);
  for (const Name& name : kNames)
    if (name.kind == kind) return &name;
  return nullptr;
}

// The word at an address that says what kind of object lies there; a request has its life in it.
std::uint32_t word_at(std::uintptr_t place) noexcept {
  const auto word = static_cast<std::uint32_t>(reinterpret_cast<const Object*>(place)->kind());
  const std::uint32_t without = word & ~kLives;
  return without == static_cast<std::uint32_t>(ObjectKind::request) ? without : word;
}

}  // namespace

std::string why_none(std::uintptr_t handle, ObjectKind wanted) {
  if (handle < predefined_end) return predefined(handle);
  const std::string never = fmt::format("{:#x} was never a handle", handle);
  if (!is_place(place_of_request(handle), all_places)) return never;
  const std::uint32_t word = word_at(place_of_request(handle));
  // Between its lives a request is nothing.
  if (wanted == ObjectKind::request && word == 0) return kRequest.ended;
  const Name* const name = name_of(word);
  if (name == nullptr) return never;
  if (name->kind == wanted) return name->ended;
  return (word & kEnded) == 0 ? fmt::format("it is {}", name->text)
                              : fmt::format("it was {}, and is none any more", name->text);
}

}  // namespace tessera::api
