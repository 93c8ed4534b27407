// SPDX-License-Identifier: BSD-3-Clause
// Local reductions in one process: every predefined operation on every kind of number, in gigabytes
// of traffic per second.
//
// MPI_Reduce_local reads two operands and writes one: traffic is three times the size, which is the
// bytes of one operand. <operation>_<type>_by_limit is the share that the library reaches of what a
// loop by hand over doubles, b[i] += a[i] with the widest registers of the processor, moves in the
// same memory, measured just before. The sizes fit the first-level cache (at 4 KiB the call itself
// counts as well), the second-level cache, and neither. Buffers begin at a cache line; those of the
// figures ..._as_malloc begin 16 bytes after one, as malloc(3) gives large ones. Run on one rank.
//
// long double is calculated by the x87, one at a time, whatever the memory does:
// <operation>_long_double_by_x87 is the share of what a loop by hand reaches there that loads two,
// adds and stores.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr std::size_t kLine = 64;

typedef double Vector16 __attribute__((vector_size(16)));
typedef double Vector32 __attribute__((vector_size(32)));
typedef double Vector64 __attribute__((vector_size(64)));

template <class Vector>
[[gnu::always_inline]] inline void add_one(const char* in, char* inout) {
  Vector a, b;
  std::memcpy(&a, in, sizeof(Vector));
  std::memcpy(&b, inout, sizeof(Vector));
  b += a;
  std::memcpy(inout, &b, sizeof(Vector));
}

// Four vectors per step; whole steps only.
template <class Vector>
[[gnu::always_inline]] inline void add_doubles(const char* in, char* inout, std::size_t bytes) {
  constexpr std::size_t width = sizeof(Vector);
  for (std::size_t at = 0; at + 4 * width <= bytes; at += 4 * width) {
    add_one<Vector>(in + at, inout + at);
    add_one<Vector>(in + at + width, inout + at + width);
    add_one<Vector>(in + at + 2 * width, inout + at + 2 * width);
    add_one<Vector>(in + at + 3 * width, inout + at + 3 * width);
  }
}

using Limit = void (*)(const char*, char*, std::size_t);

[[gnu::noinline]] void limit_16(const char* in, char* inout, std::size_t bytes) {
  add_doubles<Vector16>(in, inout, bytes);
}
#if defined(__x86_64__)
[[gnu::noinline, gnu::target("avx2")]] void limit_32(const char* in, char* inout,
                                                     std::size_t bytes) {
  add_doubles<Vector32>(in, inout, bytes);
}
[[gnu::noinline, gnu::target("avx512f")]] void limit_64(const char* in, char* inout,
                                                        std::size_t bytes) {
  add_doubles<Vector64>(in, inout, bytes);
}
#endif

[[gnu::noinline]] void limit_x87(const char* in, char* inout, std::size_t bytes) {
  const auto* a = reinterpret_cast<const long double*>(in);
  auto* b = reinterpret_cast<long double*>(inout);
  for (std::size_t i = 0; i + 4 <= bytes / sizeof(long double); i += 4) {
    b[i] += a[i];
    b[i + 1] += a[i + 1];
    b[i + 2] += a[i + 2];
    b[i + 3] += a[i + 3];
  }
}

Limit widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return limit_64;
  if (__builtin_cpu_supports("avx2")) return limit_32;
#endif
  return limit_16;
}

// Two operands, not a multiple of 4 KiB from each other. Zeros: no operation makes anything else of
// them. Pairs are therefore equal and none is taken: a loop that stores only what is taken writes
// nothing here, and jumps are foreseen.
class Operands {
 public:
  Operands(std::size_t bytes, std::size_t offset)
      : bytes_(bytes), distance_((bytes + 4095) / 4096 * 4096 + 2048 + 2 * kLine), offset_(offset) {
    void* memory = nullptr;
    if (posix_memalign(&memory, 4096, 2 * distance_) != 0)
      refuse("--sizes", std::to_string(bytes), "less");
    memory_.reset(static_cast<char*>(memory));
    std::memset(memory, 0, 2 * distance_);
  }
  std::size_t bytes() const { return bytes_; }
  char* in() const { return memory_.get() + offset_; }
  char* inout() const { return memory_.get() + distance_ + offset_; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::size_t bytes_, distance_, offset_;
  std::unique_ptr<char, Free> memory_;
};

struct Named {
  const char* name;
  MPI_Datatype type;
};
struct Operation {
  const char* name;
  MPI_Op op;
};

template <class Body>
double gigabytes_per_second(const Operands& operands, const Options& options, Body body) {
  const double seconds = seconds_per_iteration(options, [&](long iterations) {
    for (long i = 0; i < iterations; ++i) body();
  });
  return 3 * static_cast<double>(operands.bytes()) / seconds / 1e9;
}

void measure(const std::string& figure, const Operation& operation, MPI_Datatype type,
             const Operands& operands, const Options& options) {
  if (!options.wants(figure)) return;

  MPI_Aint lower = 0, extent = 1;
  MPI_Type_get_extent(type, &lower, &extent);
  const int count = static_cast<int>(operands.bytes() / static_cast<std::size_t>(extent));
  Options half = options;
  half.budget /= 2;
  const auto by_hand = [&](Limit loop) {
    return gigabytes_per_second(operands, half,
                                [&] { loop(operands.in(), operands.inout(), operands.bytes()); });
  };
  const double limit = by_hand(widest());
  const double library = gigabytes_per_second(operands, half, [&] {
    MPI_Reduce_local(operands.in(), operands.inout(), count, type, operation.op);
  });
  print_figure(figure, operands.bytes(), library, "GB/s");
  print_figure(figure + "_by_limit", operands.bytes(), library / limit, "times");
  if (type != MPI_LONG_DOUBLE && type != MPI_C_LONG_DOUBLE_COMPLEX) return;
  print_figure(figure + "_by_x87", operands.bytes(), library / by_hand(limit_x87), "times");
}

void measure_all(const std::vector<Operation>& operations, const std::vector<Named>& types,
                 const Operands& operands, const std::string& suffix, const Options& options) {
  for (const Operation& operation : operations) {
    for (const Named& type : types)
      measure(std::string(operation.name) + "_" + type.name + suffix, operation, type.type,
              operands, options);
  }
}

void measure_size(std::size_t bytes, const Options& options) {
  const std::vector<Named> whole = {{"int8", MPI_INT8_T},     {"int16", MPI_INT16_T},
                                    {"int32", MPI_INT32_T},   {"int64", MPI_INT64_T},
                                    {"uint8", MPI_UINT8_T},   {"uint16", MPI_UINT16_T},
                                    {"uint32", MPI_UINT32_T}, {"uint64", MPI_UINT64_T}};
  const std::vector<Named> real = {
      {"float", MPI_FLOAT}, {"double", MPI_DOUBLE}, {"long_double", MPI_LONG_DOUBLE}};
  const std::vector<Named> complex = {{"float_complex", MPI_C_FLOAT_COMPLEX},
                                      {"double_complex", MPI_C_DOUBLE_COMPLEX},
                                      {"long_double_complex", MPI_C_LONG_DOUBLE_COMPLEX}};
  const std::vector<Named> pairs = {
      {"float_int", MPI_FLOAT_INT}, {"double_int", MPI_DOUBLE_INT},
      {"long_int", MPI_LONG_INT},   {"2int", MPI_2INT},
      {"short_int", MPI_SHORT_INT}, {"long_double_int", MPI_LONG_DOUBLE_INT}};
  const std::vector<Operation> sums = {{"sum", MPI_SUM}, {"prod", MPI_PROD}};
  const std::vector<Operation> orders = {{"max", MPI_MAX}, {"min", MPI_MIN}};
  const std::vector<Operation> bits = {{"band", MPI_BAND}, {"bor", MPI_BOR}, {"bxor", MPI_BXOR}};
  const std::vector<Operation> logic = {{"land", MPI_LAND}, {"lor", MPI_LOR}, {"lxor", MPI_LXOR}};
  const Operands operands(bytes, 0), as_malloc(bytes, 16);
  for (const auto& operations : {sums, orders}) {
    measure_all(operations, whole, operands, "", options);
    measure_all(operations, real, operands, "", options);
  }
  measure_all(sums, complex, operands, "", options);
  measure_all(bits, whole, operands, "", options);
  measure_all(logic, whole, operands, "", options);
  measure_all(logic, {{"bool", MPI_C_BOOL}}, operands, "", options);
  measure_all({{"maxloc", MPI_MAXLOC}, {"minloc", MPI_MINLOC}}, pairs, operands, "", options);
  measure_all({{"sum", MPI_SUM}}, {{"double", MPI_DOUBLE}}, as_malloc, "_as_malloc", options);
  measure_all({{"max", MPI_MAX}}, {{"float", MPI_FLOAT}}, as_malloc, "_as_malloc", options);
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  for (const std::size_t bytes : session.options.sizes_or({4 << 10, 16 << 10, 256 << 10, 16 << 20}))
    measure_size(bytes, session.options);
  return 0;
}
