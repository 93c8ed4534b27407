// SPDX-License-Identifier: BSD-3-Clause
// Packing, unpacking and local reductions in one process: gigabytes of data per second, beside
// loops by hand.
//
// Each layout is packed by MPI_Pack (pack_*) and unpacked by MPI_Unpack (unpack_*), and both are
// also done by the loop that a programmer would write instead: *_by_hand is how often the library's
// speed contains that of the loop, measured just before. The size is the number of bytes of data: a
// few KiB, what fits the second-level cache, and more than any cache holds (for the faces of a
// cube: as much as a cube of 128 MiB has). Run on one rank.
#include <cstring>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

// The loops are written once; the way decides who is read and who is written.
struct Pack {
  template <std::size_t n>
  static void copy(char* stream, char* memory) {
    std::memcpy(stream, memory, n);
  }
  static void copy(char* stream, char* memory, std::size_t n) { std::memcpy(stream, memory, n); }
};
struct Unpack {
  template <std::size_t n>
  static void copy(char* stream, char* memory) {
    std::memcpy(memory, stream, n);
  }
  static void copy(char* stream, char* memory, std::size_t n) { std::memcpy(memory, stream, n); }
};

// A layout for about `wanted` bytes of data: type() makes the datatype, by_hand<Way>() is the loop,
// data() and span() are the bytes of data and of the memory in which they lie.

// Blocks of `block` bytes, every second one taken.
template <std::size_t block>
struct Vector {
  explicit Vector(std::size_t wanted) : count(wanted / block) {}
  MPI_Datatype type() const {
    MPI_Datatype made;
    MPI_Type_vector(static_cast<int>(count), block / 8, block / 4, MPI_DOUBLE, &made);
    return made;
  }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    for (std::size_t i = 0; i < count; ++i)
      Way::template copy<block>(stream + i * block, memory + i * 2 * block);
  }
  std::size_t data() const { return count * block; }
  std::size_t span() const { return 2 * data(); }
  std::size_t count;
};

// Blocks of four doubles at irregular places.
struct Indexed {
  explicit Indexed(std::size_t wanted) : places(wanted / 32) {
    for (std::size_t i = 0, at = 0; i < places.size(); ++i, at += 5 + i % 4)
      places[i] = static_cast<int>(at);
  }
  MPI_Datatype type() const {
    MPI_Datatype made;
    MPI_Type_create_indexed_block(static_cast<int>(places.size()), 4, places.data(), MPI_DOUBLE,
                                  &made);
    return made;
  }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    const int* at = places.data();
    for (std::size_t i = 0, n = places.size(); i < n; ++i)
      Way::template copy<32>(stream + i * 32, memory + at[i] * 8L);
  }
  std::size_t data() const { return places.size() * 32; }
  std::size_t span() const { return places.size() * 64; }
  std::vector<int> places;
};

// {int, three doubles, char}: 29 of 40 bytes.
struct Particle {
  int id;
  double position[3];
  char tag;
};
struct Structs {
  explicit Structs(std::size_t wanted) : count(wanted / 29) {}
  MPI_Datatype type() const {
    const int lengths[] = {1, 3, 1};
    const MPI_Aint at[] = {offsetof(Particle, id), offsetof(Particle, position),
                           offsetof(Particle, tag)};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype fields, particle, all;
    MPI_Type_create_struct(3, lengths, at, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(Particle), &particle);
    MPI_Type_contiguous(static_cast<int>(count), particle, &all);
    MPI_Type_free(&fields);
    MPI_Type_free(&particle);
    return all;
  }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    for (std::size_t i = 0; i < count; ++i, memory += sizeof(Particle), stream += 29) {
      Way::template copy<4>(stream, memory + offsetof(Particle, id));
      Way::template copy<24>(stream + 4, memory + offsetof(Particle, position));
      Way::template copy<1>(stream + 28, memory + offsetof(Particle, tag));
    }
  }
  std::size_t data() const { return count * 29; }
  std::size_t span() const { return count * sizeof(Particle); }
  std::size_t count;
};

int square_root(std::size_t area) {
  return static_cast<int>(std::sqrt(static_cast<double>(area)));
}

// Faces of a cube of doubles: one layer in the middle or in the fastest dimension.
constexpr int kLargestEdge = 256;
struct Face {
  explicit Face(std::size_t wanted) : edge(std::min(kLargestEdge, square_root(wanted / 8))) {}
  MPI_Datatype type(int y, int z) const {
    const int sizes[] = {edge, edge, edge}, part[] = {edge, y, z}, start[] = {0, 0, 1};
    MPI_Datatype made;
    MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &made);
    return made;
  }
  std::size_t span() const { return static_cast<std::size_t>(edge) * edge * edge * 8; }
  int edge;
};
struct MiddleFace : Face {
  using Face::Face;
  MPI_Datatype type() const { return Face::type(1, edge - 1); }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    const std::size_t row = static_cast<std::size_t>(edge - 1) * 8;
    for (long x = 0; x < edge; ++x, stream += row)
      Way::copy(stream, memory + (x * edge * edge + 1) * 8, row);
  }
  std::size_t data() const { return static_cast<std::size_t>(edge) * (edge - 1) * 8; }
};
struct FastestFace : Face {
  using Face::Face;
  MPI_Datatype type() const { return Face::type(edge, 1); }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    for (long x = 0; x < edge; ++x) {
      for (long y = 0; y < edge; ++y, stream += 8)
        Way::template copy<8>(stream, memory + ((x * edge + y) * edge + 1) * 8);
    }
  }
  std::size_t data() const { return static_cast<std::size_t>(edge) * edge * 8; }
};

// Every second element of every second row of a matrix: a vector of vectors.
struct Nested {
  explicit Nested(std::size_t wanted) : part(square_root(wanted / 8)) {}
  MPI_Datatype type() const {
    MPI_Datatype row, all;
    MPI_Type_vector(part, 1, 2, MPI_DOUBLE, &row);
    MPI_Type_create_hvector(part, 1, 4L * part * 8, row, &all);
    MPI_Type_free(&row);
    return all;
  }
  template <class Way>
  void by_hand(char* stream, char* memory) const {
    for (long i = 0; i < part; ++i) {
      for (long j = 0; j < part; ++j, stream += 8)
        Way::template copy<8>(stream, memory + (4 * i * part + 2 * j) * 8);
    }
  }
  std::size_t data() const { return static_cast<std::size_t>(part) * part * 8; }
  std::size_t span() const { return 4 * data(); }
  int part;
};

// Keeps the compiler from proving that a loop repeats itself.
void touch(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

template <class Body>
double gigabytes_per_second(std::size_t bytes, const Options& options, Body body) {
  const double seconds = seconds_per_iteration(options, [&](long iterations) {
    for (long i = 0; i < iterations; ++i) body();
  });
  return static_cast<double>(bytes) / seconds / 1e9;
}

template <class Body>
void report(const std::string& figure, std::size_t bytes, const Options& options, Body body) {
  if (options.wants(figure))
    print_figure(figure, bytes, gigabytes_per_second(bytes, options, body), "GB/s");
}

// The library's speed, and how it compares with that of the loop.
template <class Body, class Loop>
void report_both(const std::string& figure, std::size_t bytes, const Options& options, Body body,
                 Loop loop) {
  if (!options.wants(figure)) return;
  const double by_hand = gigabytes_per_second(bytes, options, loop);
  const double library = gigabytes_per_second(bytes, options, body);
  print_figure(figure, bytes, library, "GB/s");
  print_figure(figure + "_by_hand", bytes, library / by_hand, "times");
}

template <class Layout>
void measure(const std::string& name, std::size_t wanted, const Options& options) {
  const Layout layout(wanted);
  const std::size_t bytes = layout.data();
  const int size = static_cast<int>(bytes);
  MPI_Datatype type = layout.type();
  MPI_Type_commit(&type);
  std::vector<char> memory(layout.span(), 1), stream(bytes, 2);
  report_both(
      "pack_" + name, bytes, options,
      [&] {
        int position = 0;
        MPI_Pack(memory.data(), 1, type, stream.data(), size, &position, MPI_COMM_SELF);
      },
      [&] {
        layout.template by_hand<Pack>(stream.data(), memory.data());
        touch(stream.data());
      });
  report_both(
      "unpack_" + name, bytes, options,
      [&] {
        int position = 0;
        MPI_Unpack(stream.data(), size, &position, memory.data(), 1, type, MPI_COMM_SELF);
      },
      [&] {
        layout.template by_hand<Unpack>(stream.data(), memory.data());
        touch(memory.data());
      });
  MPI_Type_free(&type);
}

void measure_layouts(std::size_t wanted, const Options& options) {
  measure<Vector<8>>("vector_8", wanted, options);
  measure<Vector<64>>("vector_64", wanted, options);
  measure<Vector<1024>>("vector_1k", wanted, options);
  measure<Indexed>("indexed_32", wanted, options);
  measure<Structs>("struct", wanted, options);
  measure<MiddleFace>("face_middle", wanted, options);
  measure<FastestFace>("face_fastest", wanted, options);
  measure<Nested>("nested", wanted, options);
}

// Bytes of one operand; the loop reads two and writes one.
void measure_reduction(const char* name, MPI_Datatype type, MPI_Op op, std::size_t bytes,
                       const Options& options) {
  int size = 1;
  MPI_Type_size(type, &size);
  std::vector<double> in(bytes / 8, 0.0), inout(bytes / 8, 0.0);
  report(name, bytes, options, [&] {
    MPI_Reduce_local(in.data(), inout.data(), static_cast<int>(bytes) / size, type, op);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  for (const std::size_t wanted : session.options.sizes_or({4 << 10, 256 << 10, 16 << 20}))
    measure_layouts(wanted, session.options);
  for (const std::size_t bytes :
       {std::size_t{16} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
    measure_reduction("sum_double", MPI_DOUBLE, MPI_SUM, bytes, session.options);
    measure_reduction("max_float", MPI_FLOAT, MPI_MAX, bytes, session.options);
    measure_reduction("prod_int", MPI_INT, MPI_PROD, bytes, session.options);
  }
  return 0;
}
