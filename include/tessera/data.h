// SPDX-License-Identifier: BSD-3-Clause
// What data is: Object, Datatype, PackCursor, Op; and op: loops for the predefined reductions.
#pragma once
//
// Contract. All objects that a user holds by handle derive from Object and are reference counted:
// the handle is one reference, each pending operation another, so that freeing an object in use is
// safe. Components receive plain pointers that are valid during the call; who keeps one retains it.
//
// A Datatype is immutable once committed. Counts, displacements and sizes are 64 bits everywhere.
// `contiguous()` is the fast case: n elements are n * size() consecutive bytes at the buffer
// address. Everything else goes through a PackCursor, which walks the bytes of (buffer, count,
// type) in type-map order and can be interrupted and resumed at any byte. Sources: MPI-5.0 chapters
// 5 (datatypes) and 6.9 (reduction operations).
//
// Framework op. A component offers loops for predefined operations on basic types, to be used
// instead of the engine's own (priority 20). On the first use of an operation on a type, and not
// before, the engine opens the components of a higher priority and those that the user named, asks
// them in that order, and keeps the first loop for the life of the process. All processes of a job
// must have equal loops: results are combined in any order. A loop has no state and may run on
// several threads at once. Its result for an element depends on the two operands only, never on the
// place or the count, does not depend on which operand is which (NaN excepted), and is that of the
// standard wherever that result is representable; what happens elsewhere (overflow, NaN) is for the
// component's documentation to say.
//
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/component.h"
#include "tessera/status.h"

#define TESSERA_INTERFACE_op 5

namespace tessera {

using Count = std::int64_t;
using Aint = std::intptr_t;

// Values that are unlikely in arbitrary memory: they serve as a check of handles.
// clang-format off
enum class ObjectKind : std::uint32_t {
  none = 0, communicator = 0x7e55'0001, group, datatype, op, request, message, info, errhandler, window, file, session
};
// clang-format on

class Object {
 public:
  explicit Object(ObjectKind kind) noexcept : kind_(kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ObjectKind kind() const noexcept { return kind_; }
  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    // The last holder needs no read-modify-write: nobody else can change the count.
    if (references_.load(std::memory_order_acquire) == 1 ||
        references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      dispose();
    }
  }

 protected:
  virtual ~Object() { kind_ = ObjectKind::none; }
  virtual void dispose() const noexcept { delete this; }  // not predefined ones, nor in pools
  // For pools that keep objects: without a holder it is no object of its kind; then it has one
  // again.
  bool sole() const noexcept { return references_.load(std::memory_order_acquire) <= 1; }
  void retire() noexcept { kind_ = ObjectKind::none; }
  void revive(ObjectKind kind) noexcept {
    kind_ = kind;
    references_.store(1, std::memory_order_relaxed);
  }

 private:
  ObjectKind kind_;
  mutable std::atomic<std::uint32_t> references_{1};
};

class Datatype : public Object {
 public:
  Count size() const noexcept { return size_; }  // bytes of data in one element
  Aint lb() const noexcept { return lb_; }
  Aint extent() const noexcept { return extent_; }
  Aint true_lb() const noexcept { return true_lb_; }
  Aint true_extent() const noexcept { return true_extent_; }
  bool contiguous() const noexcept { return contiguous_; }
  bool committed() const noexcept { return committed_; }
  bool predefined() const noexcept { return predefined_; }
  // Predefined types are never counted: no shared cache line is written on their behalf.
  void hold() const noexcept {
    if (!predefined_) retain();
  }
  void drop() const noexcept {
    if (!predefined_) release();
  }

 protected:
  Datatype() noexcept : Object(ObjectKind::datatype) {}
  Count size_ = 0;
  Aint lb_ = 0;
  Aint extent_ = 0;
  Aint true_lb_ = 0;
  Aint true_extent_ = 0;
  bool contiguous_ = false;
  bool committed_ = false;
  bool predefined_ = false;
};

// A position in the bytes of (buffer, count, type). Cheap to construct and copy; allocates nothing.
// The type must be committed and outlive the cursor; the cursor is not thread safe.
class PackCursor {
 public:
  // The buffer is written only by unpack() and run().
  PackCursor(const Datatype& type, const void* buffer, Count count) noexcept;

  std::size_t total() const noexcept { return total_; }
  std::size_t position() const noexcept { return position_; }
  std::size_t remaining() const noexcept { return total_ - position_; }

  // Copies up to `bytes` bytes at the position out of (pack) or into (unpack) the buffer and
  // advances; the number of bytes copied is min(bytes, remaining()).
  std::size_t pack(void* out, std::size_t bytes) noexcept;
  std::size_t unpack(const void* in, std::size_t bytes) noexcept;
  // The bytes from the position on that lie next to each other in memory; the position stays. Empty
  // at the end.
  std::span<std::byte> run() const noexcept;
  void seek(std::size_t position) noexcept;  // 0 <= position <= total()

 private:
  const Datatype* type_;
  std::byte* buffer_;
  Count count_;
  std::size_t total_;
  std::size_t position_ = 0;
};

// A reduction operation, predefined or the user's.
class Op : public Object {
 public:
  bool commutative() const noexcept { return commutative_; }
  bool predefined() const noexcept { return predefined_; }
  // Whether the operation is defined for the type (MPI-5.0 §6.9.2); users' operations take any
  // type.
  virtual bool accepts(const Datatype& type) const noexcept = 0;
  // inout[i] = in[i] op inout[i] for i in [0, count). The buffers do not overlap.
  virtual Status apply(const void* in, void* inout, Count count,
                       const Datatype& type) const noexcept = 0;

 protected:
  Op() noexcept : Object(ObjectKind::op) {}
  bool commutative_ = true;
  bool predefined_ = false;
};

// What the bytes of a basic datatype mean to this machine: signed and unsigned integers,
// floating-point, complex and truth values (l) of so many bits; for complex numbers of each part.
// f80 is long double, c80 two of them.
// clang-format off
enum class Number : std::uint8_t {
  none, i8, i16, i32, i64, i128, u8, u16, u32, u64, f32, f64, f80, f128, c32, c64, c80, c128, l8, l16, l32, l64, l128
};
// clang-format on

namespace op {

// clang-format off
enum class Operation : std::uint8_t {
  sum, product, maximum, minimum, bit_and, bit_or, bit_xor, logical_and, logical_or, logical_xor, maximum_place, minimum_place
};
// clang-format on

// inout[i] = in[i] op inout[i] for i in [0, count). The buffers do not overlap and may have any
// alignment.
using Loop = void (*)(const void* in, void* inout, Count count) noexcept;

class Component : public tessera::Component {
 public:
  virtual Status open(const Host& host) noexcept = 0;
  // The loop for numbers of a kind, or null. For maximum_place and minimum_place (MPI_MAXLOC,
  // MPI_MINLOC) the elements are structs of C: a number, then an index of that kind; for the others
  // index is none. Valid until close().
  virtual Loop loop(Operation operation, Number number, Number index) noexcept = 0;
};

}  // namespace op

}  // namespace tessera
