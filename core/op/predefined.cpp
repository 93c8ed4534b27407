// SPDX-License-Identifier: BSD-3-Clause
// The predefined reduction operations: which types they take, and their loops
// (MPI-5.0 §6.9.2, §6.9.4, §12.3.4).
#include "core/op/predefined.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include "core/datatype/predefined.h"
#include "core/op/kernels.h"

namespace tessera {
namespace {

using op::Operation;

// Whether the standard defines the operation for the group of types.
bool defined(Operation operation, BasicGroup group) noexcept {
  const bool whole =
      group == BasicGroup::integer || group == BasicGroup::fortran_integer || group == BasicGroup::address;
  switch (operation) {
    case Operation::maximum:
    case Operation::minimum:
      return whole || group == BasicGroup::floating;
    case Operation::sum:
    case Operation::product:
      return whole || group == BasicGroup::floating || group == BasicGroup::complex;
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::logical_xor:
      return group == BasicGroup::integer || group == BasicGroup::address || group == BasicGroup::logical;
    case Operation::bit_and:
    case Operation::bit_or:
    case Operation::bit_xor:
      return whole || group == BasicGroup::byte;
    default:
      return false;
  }
}

const char* taken_types(Operation operation) noexcept {
  switch (operation) {
    case Operation::maximum:
    case Operation::minimum:
      return "integers and floating-point numbers";
    case Operation::sum:
    case Operation::product:
      return "integers, floating-point and complex numbers";
    case Operation::logical_and:
    case Operation::logical_or:
    case Operation::logical_xor:
      return "C integers and logicals";
    case Operation::bit_and:
    case Operation::bit_or:
    case Operation::bit_xor:
      return "integers and MPI_BYTE";
    default:
      return "pairs such as MPI_DOUBLE_INT and MPI_2INT";
  }
}

const PairType* find_pair(Kind kind) noexcept {
  const auto found =
      std::find_if(pairs().begin(), pairs().end(), [&](const PairType& p) { return p.kind == kind; });
  return found == pairs().end() ? nullptr : &*found;
}

op::Loop loop_of(Operation operation, Kind kind) noexcept {
  if (const Basic* basic = find_basic(kind)) {
    return defined(operation, basic->group) ? op::number_loop(operation, basic->number) : nullptr;
  }
  const PairType* pair = find_pair(kind);
  if (pair == nullptr) return nullptr;
  return op::pair_loop(operation, find_basic(pair->value)->number, find_basic(pair->index)->number);
}

const TypeObject& object(const Datatype& type) noexcept {
  return static_cast<const TypeObject&>(type);  // the engine makes all types
}

// A reduction with one loop per type, found when the operation is first used.
class Reduction final : public Op {
 public:
  Reduction(Operation operation, const char* name) noexcept : operation_(operation), name_(name) {
    predefined_ = true;
    for (Kind i = 0; i < loops_.size(); ++i) loops_[i] = loop_of(operation, static_cast<Kind>(0x200 + i));
  }
  bool accepts(const Datatype& type) const noexcept override { return loop(type) != nullptr; }
  Status apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept override {
    const op::Loop found = loop(type);
    if (found == nullptr) [[unlikely]]
      return refuse(object(type));
    found(in, inout, count);
    return {};
  }

 private:
  void dispose() const noexcept override {}
  // The kind of derived types is 0, which stands for none here as well.
  op::Loop loop(const Datatype& type) const noexcept { return loops_[object(type).kind() & 0xff]; }
  Status refuse(const TypeObject& type) const noexcept {
    const char* name = type.name()[0] != 0 ? type.name()
                       : type.predefined() ? "a type without a name"
                                           : "a derived datatype";
    return Status::failure(
        Errc::operation,
        fmt::format("{} is not defined for {}; it takes the predefined {}{}", name_, name,
                    taken_types(operation_),
                    type.predefined() ? "" : " only (MPI_Op_create makes operations for derived types)"));
  }

  Operation operation_;
  const char* name_;
  std::array<op::Loop, 256> loops_{};
};

// MPI_REPLACE and MPI_NO_OP, which one-sided communication uses.
class Transfer final : public Op {
 public:
  explicit Transfer(bool replaces) noexcept : replaces_(replaces) {
    predefined_ = true;
    commutative_ = false;
  }
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept override {
    if (!replaces_) return {};
    PackCursor from(type, in, count);
    PackCursor to(type, inout, count);
    for (auto run = from.run(); !run.empty(); run = from.run()) {
      to.unpack(run.data(), run.size());
      from.seek(from.position() + run.size());
    }
    return {};
  }

 private:
  void dispose() const noexcept override {}
  bool replaces_;
};

using Index = std::array<const Op*, 32>;

std::size_t slot(MPI_Op handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle) - 0x20;
}

// Never destroyed: exit handlers may still reduce.
const Index& index() noexcept {
  static const Index all = [] {
    Index made{};
    const auto add = [&](MPI_Op handle, Operation operation, const char* name) {
      made[slot(handle)] = new Reduction(operation, name);
    };
    add(MPI_SUM, Operation::sum, "MPI_SUM");
    add(MPI_PROD, Operation::product, "MPI_PROD");
    add(MPI_MAX, Operation::maximum, "MPI_MAX");
    add(MPI_MIN, Operation::minimum, "MPI_MIN");
    add(MPI_BAND, Operation::bit_and, "MPI_BAND");
    add(MPI_BOR, Operation::bit_or, "MPI_BOR");
    add(MPI_BXOR, Operation::bit_xor, "MPI_BXOR");
    add(MPI_LAND, Operation::logical_and, "MPI_LAND");
    add(MPI_LOR, Operation::logical_or, "MPI_LOR");
    add(MPI_LXOR, Operation::logical_xor, "MPI_LXOR");
    add(MPI_MAXLOC, Operation::maximum_place, "MPI_MAXLOC");
    add(MPI_MINLOC, Operation::minimum_place, "MPI_MINLOC");
    made[slot(MPI_REPLACE)] = new Transfer(true);
    made[slot(MPI_NO_OP)] = new Transfer(false);
    return made;
  }();
  return all;
}

}  // namespace

const Op* predefined_op(std::uintptr_t handle) noexcept {
  const std::uintptr_t position = handle - 0x20;
  return position < std::tuple_size_v<Index> ? index()[position] : nullptr;
}

}  // namespace tessera
