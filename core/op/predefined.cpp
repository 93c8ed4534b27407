// SPDX-License-Identifier: BSD-3-Clause
// The predefined operations on the numbers of C.
#include "core/op/predefined.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/datatype/type_object.h"

namespace tessera {
namespace {

using Kernel = void (*)(const void* in, void* inout, Count count);

template <class T, class Combine>
void combine(const void* in, void* inout, Count count) {
  const T* left = static_cast<const T*>(in);
  T* right = static_cast<T*>(inout);
  for (Count i = 0; i < count; ++i) right[i] = static_cast<T>(Combine()(left[i], right[i]));
}

struct Largest {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
struct Smallest {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};

template <class Combine>
Kernel kernel_of(const TypeObject& type) {
  const auto is = [&](MPI_Datatype handle) { return type.handle() == reinterpret_cast<std::uintptr_t>(handle); };
  if (is(MPI_INT) || is(MPI_INT32_T)) return combine<int, Combine>;
  if (is(MPI_LONG) || is(MPI_LONG_LONG) || is(MPI_INT64_T)) return combine<long, Combine>;
  if (is(MPI_UNSIGNED) || is(MPI_UINT32_T)) return combine<unsigned, Combine>;
  if (is(MPI_UNSIGNED_LONG) || is(MPI_UINT64_T)) return combine<unsigned long, Combine>;
  if (is(MPI_FLOAT)) return combine<float, Combine>;
  if (is(MPI_DOUBLE)) return combine<double, Combine>;
  return nullptr;
}

class Simple final : public Op {
 public:
  explicit Simple(Kernel (*find)(const TypeObject&)) : find_(find) { predefined_ = true; }
  bool accepts(const Datatype& type) const noexcept override {
    return find_(static_cast<const TypeObject&>(type)) != nullptr;
  }
  Status apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept override {
    const Kernel kernel = find_(static_cast<const TypeObject&>(type));
    if (kernel == nullptr) return Status::failure(Errc::operation, "the operation is not defined for this datatype");
    kernel(in, inout, count);
    return {};
  }

 private:
  void dispose() const noexcept override {}
  Kernel (*find_)(const TypeObject&);
};

}  // namespace

const Op* predefined_op(std::uintptr_t handle) noexcept {
  static const Simple sum(kernel_of<std::plus<>>), product(kernel_of<std::multiplies<>>), largest(kernel_of<Largest>),
      smallest(kernel_of<Smallest>);
  if (handle == reinterpret_cast<std::uintptr_t>(MPI_SUM)) return &sum;
  if (handle == reinterpret_cast<std::uintptr_t>(MPI_PROD)) return &product;
  if (handle == reinterpret_cast<std::uintptr_t>(MPI_MAX)) return &largest;
  if (handle == reinterpret_cast<std::uintptr_t>(MPI_MIN)) return &smallest;
  return nullptr;
}

}  // namespace tessera
