// SPDX-License-Identifier: BSD-3-Clause
// Packing, unpacking and local reductions in one process: gigabytes of data per second, beside loops by hand.
//
// Each layout is packed by MPI_Pack (pack_*), unpacked by MPI_Unpack (unpack_*), and packed by the loop that a
// programmer would write instead (hand_*). The size is the number of bytes of data. Run on one rank.
#include <cstring>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr std::size_t kData =
    256 << 10;  // bytes packed at once: inside the second-level cache with the holes

struct Layout {
  const char* name;
  MPI_Datatype (*make)();
  void (*by_hand)(char* out, const char* in);
  std::size_t data;  // bytes
};

// Blocks of `block` bytes, every second one taken.
template <int block>
MPI_Datatype vector_type() {
  MPI_Datatype type;
  MPI_Type_vector(static_cast<int>(kData) / block, block / 8, block / 4, MPI_DOUBLE, &type);
  return type;
}
template <int block>
void vector_by_hand(char* out, const char* in) {
  for (std::size_t i = 0; i < kData / block; ++i) std::memcpy(out + i * block, in + i * 2 * block, block);
}

// Blocks of four doubles at irregular places.
const std::vector<int>& places() {
  static const std::vector<int> all = [] {
    std::vector<int> made;
    for (int i = 0, at = 0; i < static_cast<int>(kData) / 32; ++i, at += 5 + i % 4) made.push_back(at);
    return made;
  }();
  return all;
}
MPI_Datatype indexed_type() {
  MPI_Datatype type;
  MPI_Type_create_indexed_block(static_cast<int>(places().size()), 4, places().data(), MPI_DOUBLE, &type);
  return type;
}
void indexed_by_hand(char* out, const char* in) {
  const int* at = places().data();
  for (std::size_t i = 0; i < kData / 32; ++i) std::memcpy(out + i * 32, in + at[i] * 8, 32);
}

// {int, three doubles, char}: 29 of 40 bytes.
struct Particle {
  int id;
  double position[3];
  char tag;
};
constexpr std::size_t kParticles = kData / 29;
MPI_Datatype struct_type() {
  const int lengths[] = {1, 3, 1};
  const MPI_Aint at[] = {offsetof(Particle, id), offsetof(Particle, position), offsetof(Particle, tag)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype fields, particle, all;
  MPI_Type_create_struct(3, lengths, at, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Particle), &particle);
  MPI_Type_contiguous(static_cast<int>(kParticles), particle, &all);
  MPI_Type_free(&fields);
  MPI_Type_free(&particle);
  return all;
}
void struct_by_hand(char* out, const char* in) {
  for (std::size_t i = 0; i < kParticles; ++i, in += sizeof(Particle), out += 29) {
    std::memcpy(out, in + offsetof(Particle, id), 4);
    std::memcpy(out + 4, in + offsetof(Particle, position), 24);
    std::memcpy(out + 28, in + offsetof(Particle, tag), 1);
  }
}

// Faces of a cube of doubles: one layer of `n` in the slowest, the middle or the fastest dimension.
constexpr int kEdge = 128;
MPI_Datatype face_type(int x, int y, int z) {
  const int sizes[] = {kEdge, kEdge, kEdge}, part[] = {x, y, z}, start[] = {0, 0, 1};
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  return type;
}
MPI_Datatype middle_face() {
  return face_type(kEdge, 1, kEdge - 1);
}
void middle_by_hand(char* out, const char* in) {
  constexpr std::size_t row = (kEdge - 1) * 8;
  for (int x = 0; x < kEdge; ++x) std::memcpy(out + x * row, in + (x * kEdge * kEdge + 1) * 8, row);
}
MPI_Datatype fastest_face() {
  return face_type(kEdge, kEdge, 1);
}
void fastest_by_hand(char* out, const char* in) {
  for (int x = 0; x < kEdge; ++x) {
    for (int y = 0; y < kEdge; ++y, out += 8) std::memcpy(out, in + ((x * kEdge + y) * kEdge + 1) * 8, 8);
  }
}

// Every second element of every second row of a matrix: a vector of vectors.
constexpr int kSide = 256;
MPI_Datatype nested_type() {
  MPI_Datatype row, all;
  MPI_Type_vector(kSide / 2, 1, 2, MPI_DOUBLE, &row);
  MPI_Type_create_hvector(kSide / 2, 1, 2 * kSide * 8, row, &all);
  MPI_Type_free(&row);
  return all;
}
void nested_by_hand(char* out, const char* in) {
  for (int i = 0; i < kSide / 2; ++i) {
    for (int j = 0; j < kSide / 2; ++j, out += 8) std::memcpy(out, in + (2 * i * kSide + 2 * j) * 8, 8);
  }
}

constexpr Layout kLayouts[] = {
    {"vector_8", vector_type<8>, vector_by_hand<8>, kData},
    {"vector_64", vector_type<64>, vector_by_hand<64>, kData},
    {"vector_1k", vector_type<1024>, vector_by_hand<1024>, kData},
    {"indexed_32", indexed_type, indexed_by_hand, kData},
    {"struct", struct_type, struct_by_hand, kParticles * 29},
    {"face_middle", middle_face, middle_by_hand, kEdge*(kEdge - 1) * 8},
    {"face_fastest", fastest_face, fastest_by_hand, kEdge* kEdge * 8},
    {"nested", nested_type, nested_by_hand, kSide / 2 * (kSide / 2) * 8},
};

// Keeps the compiler from proving that a loop repeats itself.
void touch(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

template <class Body>
void report(const std::string& figure, std::size_t bytes, const Options& options, Body body) {
  if (!options.wants(figure)) return;
  const double seconds = seconds_per_iteration(options, [&](long iterations) {
    for (long i = 0; i < iterations; ++i) body();
  });
  print_figure(figure.c_str(), bytes, static_cast<double>(bytes) / seconds / 1e9, "GB/s");
}

void measure(const Layout& layout, const Options& options) {
  MPI_Datatype type = layout.make();
  MPI_Type_commit(&type);
  const int size = static_cast<int>(layout.data);
  std::vector<char> in(std::size_t{kEdge} * kEdge * kEdge * 8, 1), out(layout.data);
  report(std::string("pack_") + layout.name, layout.data, options, [&] {
    int position = 0;
    MPI_Pack(in.data(), 1, type, out.data(), size, &position, MPI_COMM_SELF);
  });
  report(std::string("hand_") + layout.name, layout.data, options, [&] {
    layout.by_hand(out.data(), in.data());
    touch(out.data());
  });
  report(std::string("unpack_") + layout.name, layout.data, options, [&] {
    int position = 0;
    MPI_Unpack(out.data(), size, &position, in.data(), 1, type, MPI_COMM_SELF);
  });
  MPI_Type_free(&type);
}

// Bytes of one operand; the loop reads two and writes one.
void measure_reduction(const char* name, MPI_Datatype type, MPI_Op op, std::size_t bytes,
                       const Options& options) {
  int size = 1;
  MPI_Type_size(type, &size);
  std::vector<double> in(bytes / 8, 0.0), inout(bytes / 8, 0.0);
  report(name, bytes, options,
         [&] { MPI_Reduce_local(in.data(), inout.data(), static_cast<int>(bytes) / size, type, op); });
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  for (const Layout& layout : kLayouts) measure(layout, session.options);
  for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
    measure_reduction("sum_double", MPI_DOUBLE, MPI_SUM, bytes, session.options);
    measure_reduction("max_float", MPI_FLOAT, MPI_MAX, bytes, session.options);
    measure_reduction("prod_int", MPI_INT, MPI_PROD, bytes, session.options);
  }
  return 0;
}
