// SPDX-License-Identifier: BSD-3-Clause
// The predefined reduction operations: which types they take, and their loops
// (MPI-5.0 §6.9.2, §6.9.4, §12.3.4).
#include "core/op/predefined.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <mutex>
#include <new>

#include "core/datatype/predefined.h"
#include "core/op/kernels.h"

namespace tessera {
namespace {

using op::Operation;

// Whether the standard defines the operation for the group of types; and whatever it defines for C
// integers also for MPI_CHAR, which then is the integer type `char` of C. The standard calls that
// erroneous, but other implementations accept it, and widely used benchmarks rely on it.
bool defined(Operation operation, BasicGroup group) noexcept {
  if (group == BasicGroup::c_char) group = BasicGroup::integer;
  const bool whole = group == BasicGroup::integer || group == BasicGroup::fortran_integer ||
                     group == BasicGroup::address;
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
      return group == BasicGroup::integer || group == BasicGroup::address ||
             group == BasicGroup::logical;
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
  const auto found = std::find_if(pairs().begin(), pairs().end(),
                                  [&](const PairType& p) { return p.kind == kind; });
  return found == pairs().end() ? nullptr : &*found;
}

// The engine's own loop with what it takes; `own` is null where there is none.
op::Wanted wanted(Operation operation, Kind kind, const char* name) noexcept {
  op::Wanted found{operation, Number::none, Number::none, nullptr, name, "a pair"};
  if (const Basic* basic = find_basic(kind)) {
    found.number = basic->number;
    found.type_name = basic->name;
    if (defined(operation, basic->group)) found.own = op::number_loop(operation, basic->number);
  } else if (const PairType* pair = find_pair(kind)) {
    found.number = find_basic(pair->value)->number;
    found.index = find_basic(pair->index)->number;
    if (pair->name != nullptr) found.type_name = pair->name;
    found.own = op::pair_loop(operation, found.number, found.index);
  }
  return found;
}

// Who is asked before the engine's own loops are used. The mutex also keeps questions apart.
struct Source {
  std::mutex mutex;
  op::LoopSource* current = nullptr;
};
Source& source() noexcept {
  static Source only;
  return only;
}

// A reduction with one loop per type. A loop is null until the source was asked for it, and where
// there is none.
class Reduction final : public Op {
 public:
  Reduction(Operation operation, const char* name) noexcept : operation_(operation), name_(name) {
    predefined_ = true;
    use_own_loops();
    for (std::size_t i = 0; i < loops_.size(); ++i) defined_[i] = loops_[i] != nullptr;
  }
  bool accepts(const Datatype& type) const noexcept override { return defined_[index_of(type)]; }
  Status apply(const void* in, void* inout, Count count,
               const Datatype& type) const noexcept override {
    const op::Loop found = loops_[index_of(type)].load(std::memory_order_acquire);
    if (found == nullptr) [[unlikely]]
      return apply_first(in, inout, count, as_object(type));
    found(in, inout, count);
    return {};
  }
  void use_own_loops() noexcept {
    for (std::size_t i = 0; i < loops_.size(); ++i)
      loops_[i] = wanted(operation_, kind_at(i), name_).own;
  }
  void ask_again() noexcept {
    for (auto& loop : loops_) loop = nullptr;
  }

 private:
  void dispose() const noexcept override {}
  // The kind of derived types is 0, which stands for none here as well.
  static std::size_t index_of(const Datatype& type) noexcept {
    return as_object(type).kind() & 0xff;
  }
  static Kind kind_at(std::size_t i) noexcept { return static_cast<Kind>(0x200 + i); }
  Status find(std::size_t i, op::Loop& loop) const noexcept;
  Status apply_first(const void* in, void* inout, Count count,
                     const TypeObject& type) const noexcept;
  Status refuse(const TypeObject& type) const noexcept;

  Operation operation_;
  const char* name_;
  std::bitset<256> defined_;
  mutable std::array<std::atomic<op::Loop>, 256> loops_{};
};

Status Reduction::find(std::size_t i, op::Loop& loop) const noexcept {
  const std::lock_guard lock(source().mutex);
  loop = loops_[i].load(std::memory_order_relaxed);
  if (loop != nullptr) return {};
  const op::Wanted question = wanted(operation_, kind_at(i), name_);
  loop = question.own;
  if (source().current != nullptr) {
    if (Status s = source().current->choose(question, loop); !s) return s;
  }
  loops_[i].store(loop, std::memory_order_release);
  return {};
}

Status Reduction::apply_first(const void* in, void* inout, Count count,
                              const TypeObject& type) const noexcept {
  if (!accepts(type)) return refuse(type);
  op::Loop loop = nullptr;
  if (Status s = find(index_of(type), loop); !s) return s;
  loop(in, inout, count);
  return {};
}

Status Reduction::refuse(const TypeObject& type) const noexcept {
  const char* name = type.name()[0] != 0 ? type.name()
                     : type.predefined() ? "a type without a name"
                                         : "a derived datatype";
  return Status::failure(
      Errc::operation,
      fmt::format(
          "{} is not defined for {}; it takes the predefined {}{}", name_, name,
          taken_types(operation_),
          type.predefined() ? "" : " only (MPI_Op_create makes operations for derived types)"));
}

// MPI_REPLACE and MPI_NO_OP, which one-sided communication uses.
class Transfer final : public Op {
 public:
  explicit Transfer(bool replaces) noexcept : replaces_(replaces) {
    predefined_ = true;
    commutative_ = false;
  }
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count,
               const Datatype& type) const noexcept override {
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

struct Index {
  std::array<const Op*, 32> by_handle{};
  std::array<Reduction*, op::kOperations> reductions{};
};

std::size_t slot(MPI_Op handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle) - 0x20;
}

// Static room for objects that are never destroyed, since exit handlers may still reduce; a process
// without memory has them, too.
template <class T, std::size_t kMost>
class Room {
 public:
  template <class... Arguments>
  T* make(Arguments... arguments) noexcept {
    return new (places_[used_++]) T(arguments...);
  }

 private:
  alignas(T) std::byte places_[kMost][sizeof(T)];
  std::size_t used_ = 0;
};

const Index& index() noexcept {
  static const Index all = [] {
    static Room<Reduction, op::kOperations> reductions;
    static Room<Transfer, 2> transfers;
    Index made{};
    const auto add = [&](MPI_Op handle, Operation operation, const char* name) {
      made.by_handle[slot(handle)] = made.reductions[static_cast<std::size_t>(operation)] =
          reductions.make(operation, name);
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
    made.by_handle[slot(MPI_REPLACE)] = transfers.make(true);
    made.by_handle[slot(MPI_NO_OP)] = transfers.make(false);
    return made;
  }();
  return all;
}

}  // namespace

const Op* predefined_op(std::uintptr_t handle) noexcept {
  const std::uintptr_t position = handle - 0x20;
  return position < index().by_handle.size() ? index().by_handle[position] : nullptr;
}

std::optional<op::Operation> operation_of(const Op& op) noexcept {
  const auto& all = index().reductions;
  const auto found = std::find(all.begin(), all.end(), &op);
  if (found == all.end()) return {};
  return static_cast<op::Operation>(found - all.begin());
}

namespace op {

void attach_loop_source(LoopSource& candidate) noexcept {
  const std::lock_guard lock(source().mutex);
  if (source().current != nullptr) return;
  source().current = &candidate;
  for (Reduction* reduction : index().reductions) reduction->ask_again();
}

void detach_loop_source(LoopSource& candidate) noexcept {
  const std::lock_guard lock(source().mutex);
  if (source().current != &candidate) return;
  source().current = nullptr;
  for (Reduction* reduction : index().reductions) reduction->use_own_loops();
}

}  // namespace op

}  // namespace tessera
