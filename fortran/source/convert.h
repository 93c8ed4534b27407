// SPDX-License-Identifier: BSD-3-Clause
// Arguments of Fortran as arguments of C, and results back (MPI 5.0, chapter 19).
#pragma once
//
// Everything arrives by reference. A converter for an input is an expression; one for an output is
// an object named like the argument with a trailing underscore, whose store() runs after the call:
// on success only, except for handles that the C function takes and returns, which are stored
// always because a failing MPI_Wait may have freed the request. Nothing here allocates for up to 64
// elements, and nothing keeps state between calls.
//
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "fortran/source/sentinels.h"

namespace tessera::fortran {

using Fint = int;  // INTEGER of default kind; the build refuses compilers where it has 64 bits

// ---- handles ----

template <class Handle>
struct Numbered;
#define TESSERA_NUMBERED(type, name)                                                  \
  template <>                                                                         \
  struct Numbered<type> {                                                             \
    static int number(type handle) noexcept { return PMPI_##name##_toint(handle); }   \
    static type handle(int number) noexcept { return PMPI_##name##_fromint(number); } \
  };
TESSERA_NUMBERED(MPI_Comm, Comm)
TESSERA_NUMBERED(MPI_Datatype, Type)
TESSERA_NUMBERED(MPI_Errhandler, Errhandler)
TESSERA_NUMBERED(MPI_File, File)
TESSERA_NUMBERED(MPI_Group, Group)
TESSERA_NUMBERED(MPI_Info, Info)
TESSERA_NUMBERED(MPI_Message, Message)
TESSERA_NUMBERED(MPI_Op, Op)
TESSERA_NUMBERED(MPI_Request, Request)
TESSERA_NUMBERED(MPI_Session, Session)
TESSERA_NUMBERED(MPI_Win, Win)
#undef TESSERA_NUMBERED

// The standard ABI keeps the first page for predefined handles, whose numbers are their values.
constexpr std::uintptr_t kPredefined = 0x1000;

template <class Handle>
Handle handle(const Fint* number) noexcept {
  const auto value = static_cast<std::uintptr_t>(static_cast<unsigned>(*number));
  return value < kPredefined ? reinterpret_cast<Handle>(value) : Numbered<Handle>::handle(*number);
}

template <class Handle>
Fint number(Handle handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < kPredefined ? static_cast<Fint>(value) : Numbered<Handle>::number(handle);
}

template <class Handle>
class Out {
 public:
  explicit Out(Fint* place) noexcept : place_(place) {}
  operator Handle*() noexcept { return &handle_; }
  void store() const noexcept { *place_ = number(handle_); }

 private:
  Fint* place_;
  Handle handle_ = nullptr;
};

template <class Handle>
class InOut {
 public:
  explicit InOut(Fint* place) noexcept : place_(place), handle_(handle<Handle>(place)) {}
  operator Handle*() noexcept { return &handle_; }
  void store() const noexcept { *place_ = number(handle_); }

 private:
  Fint* place_;
  Handle handle_;
};

// ---- arrays ----

// Room for `size` elements, on the stack while they are few.
template <class Element>
class Room {
 public:
  explicit Room(std::int64_t size) : size_(size < 0 ? 0 : static_cast<std::size_t>(size)) {
    if (size_ > few_.size()) many_.reset(new Element[size_]());
  }
  Element* data() noexcept { return many_ ? many_.get() : few_.data(); }
  std::size_t size() const noexcept { return size_; }
  Element& operator[](std::size_t index) noexcept { return data()[index]; }

 private:
  std::size_t size_;
  std::array<Element, 64> few_;
  std::unique_ptr<Element[]> many_;
};

template <class Handle>
class Handles : public Room<Handle> {
 public:
  Handles(const Fint* numbers, std::int64_t size) : Room<Handle>(size) {
    for (std::size_t i = 0; i < this->size(); ++i) (*this)[i] = handle<Handle>(numbers + i);
  }
};

// ---- LOGICAL ----

extern "C" const Fint tessera_fortran_logical[2];  // .false. and .true. of the compiler

// Compilers whose .true. is 1 call any other bits undefined and test for zero; those whose .true.
// is -1 test the lowest bit.
inline int truth(const Fint* logical) noexcept {
  return tessera_fortran_logical[1] == 1 ? *logical != 0 : *logical & 1;
}
inline Fint logical(int value) noexcept {
  return tessera_fortran_logical[value != 0];
}

class Truths : public Room<int> {
 public:
  Truths(const Fint* logicals, std::int64_t size) : Room<int>(size) {
    for (std::size_t i = 0; i < this->size(); ++i) (*this)[i] = truth(logicals + i);
  }
};

// ---- strings ----

enum class Cut { trailing, both };  // which blanks do not belong to the string

inline std::string text(const char* characters, std::size_t length, Cut cut = Cut::trailing) {
  std::string_view view(characters, length);
  view = view.substr(0, view.find_last_not_of(' ') + 1);
  if (cut == Cut::both) view.remove_prefix(std::min(view.find_first_not_of(' '), view.size()));
  return std::string(view);
}

// Copies what fits and fills the rest with blanks. Returns how many characters were copied.
inline std::size_t store_text(std::string_view from, char* to, std::size_t length) noexcept {
  const std::size_t copied = std::min(from.size(), length);
  std::memcpy(to, from.data(), copied);
  std::memset(to + copied, ' ', length - copied);
  return copied;
}

template <std::size_t Longest>
class OutText {
 public:
  char* data() noexcept { return characters_; }
  std::size_t store(char* to, std::size_t length) const noexcept {
    return store_text(characters_, to, length);
  }

 private:
  char characters_[Longest + 1] = "";
};

// ---- the end ----

// `ierror` is absent, a null pointer, in calls through mpi_f08 that leave it out.
inline void finish(Fint* ierror, int code) noexcept {
  if (ierror != nullptr) *ierror = code;
}

// ---- lengths of arrays that no argument gives ----

enum class Side { in, out };
int cart_dimensions(const Fint& comm);
int blocks(const Fint& comm);  // processes that a collective call of comm exchanges data with
int neighbors(const Fint& comm, Side side);
inline int blocks_unless_in_place(const void* sendbuf, const Fint& comm) {
  return is_in_place(sendbuf) ? 0 : blocks(comm);
}

// Delivers an error that the C library cannot see to the error handler of `comm`, and returns its
// code. The text names the procedure.
int refuse(MPI_Comm comm, int error_class, const std::string& text);

}  // namespace tessera::fortran
