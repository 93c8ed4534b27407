// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations of the program: each is called through a function of ours that marks the
// thread.
#include <array>
#include <atomic>
#include <utility>

#include "check/checker.h"

using namespace tessera::check;

namespace {

// MPI gives the function of an operation no argument that says which operation it is. So there is a
// function for each of so many operations; those that a program makes beyond are called directly.
constexpr std::size_t kOperations = 64;

template <class Function>
struct Table {
  struct Entry {
    Function* function;
    Site made;
  };
  std::array<Entry, kOperations> entries{};
  std::atomic<std::size_t> used{0};

  // The place for a new operation, or kOperations.
  std::size_t take(Function* function, const Site& made) noexcept {
    const std::size_t i = used.fetch_add(1);
    if (i >= kOperations) return kOperations;
    entries[i] = {function, made};
    return i;
  }
};
constinit Table<MPI_User_function> narrow;
constinit Table<MPI_User_function_c> wide;

template <std::size_t i>
void call_narrow(void* in, void* inout, int* count, MPI_Datatype* type) {
  const InOperation mark(narrow.entries[i].made);
  narrow.entries[i].function(in, inout, count, type);
}
template <std::size_t i>
void call_wide(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  const InOperation mark(wide.entries[i].made);
  wide.entries[i].function(in, inout, count, type);
}

template <std::size_t... i>
constexpr std::array<MPI_User_function*, kOperations> narrow_functions(std::index_sequence<i...>) {
  return {call_narrow<i>...};
}
template <std::size_t... i>
constexpr std::array<MPI_User_function_c*, kOperations> wide_functions(std::index_sequence<i...>) {
  return {call_wide<i>...};
}
constexpr auto kNarrow = narrow_functions(std::make_index_sequence<kOperations>());
constexpr auto kWide = wide_functions(std::make_index_sequence<kOperations>());

}  // namespace

extern "C" int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  static const auto next = next_function<decltype(&MPI_Op_create)>("MPI_Op_create");
  Call call("MPI_Op_create", __builtin_return_address(0), false);
  const std::size_t place = user_fn != nullptr ? narrow.take(user_fn, call.site()) : kOperations;
  const int code = next(place < kOperations ? kNarrow[place] : user_fn, commute, op);
  call.made(code, Kind::op, op);
  return code;
}

extern "C" int MPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  static const auto next = next_function<decltype(&MPI_Op_create_c)>("MPI_Op_create_c");
  Call call("MPI_Op_create_c", __builtin_return_address(0), false);
  const std::size_t place = user_fn != nullptr ? wide.take(user_fn, call.site()) : kOperations;
  const int code = next(place < kOperations ? kWide[place] : user_fn, commute, op);
  call.made(code, Kind::op, op);
  return code;
}
