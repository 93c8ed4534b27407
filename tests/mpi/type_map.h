// SPDX-License-Identifier: BSD-3-Clause
// Type maps written out by hand, entry by entry: what the standard says a datatype is (MPI-5.0
// §5.1).
#pragma once
//
// As slow and as plain as the definitions read, and without a look at the library: sizes and
// alignments are those of the C types, bounds follow from the entries. Tests compare what MPI makes
// and moves with this.
//
#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// A predefined datatype with one element.
struct Basic {
  MPI_Datatype type;
  const char* name;
  int size;       // bytes
  int alignment;  // as member of a struct
  int external;   // bytes in external32 (MPI-5.0 table 14.2)
  int parts;      // 2 for complex numbers
  bool extended;  // a part is a long double
};

// All of the ABI that this compiler has.
std::span<const Basic> basics();
const Basic& basic_of(MPI_Datatype type);

// A predefined value with an index, laid out as a struct.
struct Pair {
  MPI_Datatype type;
  const char* name;
  MPI_Datatype value, index;
};
std::span<const Pair> pairs();

struct Entry {
  MPI_Aint at;
  const Basic* basic;
};

struct TypeMap {
  std::vector<Entry> entries;
  std::optional<MPI_Aint> lower, upper;  // the markers that count, if there are any

  static TypeMap of(const Basic& basic) { return {{{0, &basic}}, {}, {}}; }
  static TypeMap of(const Pair& pair);

  // A copy of `other` that is `shift` bytes further.
  void add(const TypeMap& other, MPI_Aint shift);

  MPI_Count size() const;
  MPI_Aint true_lb() const;
  MPI_Aint true_ub() const;
  MPI_Aint lb() const { return lower ? *lower : true_lb(); }
  MPI_Aint ub() const;
  MPI_Aint extent() const { return ub() - lb(); }
  // The basic datatype of all entries; null if there are several or none.
  const Basic* only_basic() const;
  // Whether a byte belongs to two entries of `count` elements.
  bool overlaps(long count) const;
};

// Memory in which `count` elements of a type lie, with a margin at both ends that nothing may
// touch.
class Room {
 public:
  Room(const TypeMap& map, long count);

  void* base() { return bytes_.data() + origin_; }  // the buffer argument of MPI
  void fill(unsigned seed);
  // Calls visit(address, basic) for every entry in the order of the type map.
  template <class Visit>
  void each(Visit visit) {
    std::byte* at = bytes_.data() + origin_;
    const MPI_Aint step = map_->extent();
    for (long i = 0; i < count_; ++i, at += step) {
      for (const Entry& e : map_->entries) visit(at + e.at, *e.basic);
    }
  }
  // The data as one contiguous row of bytes, and the way back for the first bytes of it.
  std::vector<std::byte> gather();
  void scatter(std::span<const std::byte> data);
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  static constexpr MPI_Aint kMargin = 64;
  const TypeMap* map_;
  long count_;
  MPI_Aint origin_;
  std::vector<std::byte> bytes_;
};

// A row of bytes that follows from the seed.
void fill(std::span<std::byte> bytes, unsigned seed);
