// SPDX-License-Identifier: BSD-3-Clause
// What data is: Object, Datatype, PackCursor, Op.
#pragma once
//
// Contract. All objects that a user holds by handle derive from Object and are reference counted: the handle is one
// reference, each pending operation another, so that freeing an object in use is safe. Components receive plain
// pointers that are valid during the call; who keeps one retains it.
//
// A Datatype is immutable once committed. Counts, displacements and sizes are 64 bits everywhere. `dense()` is the fast
// case: n elements are n * size() consecutive bytes at the buffer address. Everything else goes through a PackCursor, which
// walks the bytes of (buffer, count, type) in type-map order and can be interrupted and resumed at any byte.
// Sources: MPI-5.0 chapters 5 (datatypes) and 6.9 (reduction operations).
//
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/status.h"

namespace tessera {

using Count = std::int64_t;
using Aint = std::intptr_t;

enum class ObjectKind : std::
    uint32_t {  // values are unlikely in arbitrary memory: they serve as a check of handles
      none = 0,
      communicator = 0x7e55'0001,
      group,
      datatype,
      op,
      request,
      message,
      info,
      errhandler,
      window,
      file,
      session,
    };

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
  virtual void dispose() const noexcept { delete this; }  // predefined objects and pools do otherwise

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
  bool dense() const noexcept { return dense_; }
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
  bool dense_ = false;
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

  // Copies up to `bytes` bytes at the position out of (pack) or into (unpack) the buffer and advances; the number of
  // bytes copied is min(bytes, remaining()).
  std::size_t pack(void* out, std::size_t bytes) noexcept;
  std::size_t unpack(const void* in, std::size_t bytes) noexcept;
  // The bytes from the position on that lie next to each other in memory; the position stays. Empty at the end.
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
  // Whether the operation is defined for the type (MPI-5.0 §6.9.2); users' operations take any type.
  virtual bool accepts(const Datatype& type) const noexcept = 0;
  // inout[i] = in[i] op inout[i] for i in [0, count). The buffers do not overlap.
  virtual Status apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept = 0;

 protected:
  Op() noexcept : Object(ObjectKind::op) {}
  bool commutative_ = true;
  bool predefined_ = false;
};

}  // namespace tessera
