// SPDX-License-Identifier: BSD-3-Clause
// A datatype made again from its envelope and contents.
#include "type_rebuild.h"

#include <vector>

namespace {

// The arguments of a constructor. Counts, and in the large form displacements too, are handed out
// as MPI_Count from one place or as int and MPI_Aint from two.
struct Contents {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;
  std::size_t integer_at = 0, address_at = 0, count_at = 0;

  MPI_Count count() { return large ? counts.at(count_at++) : integers.at(integer_at++); }
  MPI_Count address() { return large ? counts.at(count_at++) : addresses.at(address_at++); }
  std::vector<MPI_Count> count_row(MPI_Count n) {
    std::vector<MPI_Count> row;
    for (MPI_Count i = 0; i < n; ++i) row.push_back(count());
    return row;
  }
  std::vector<MPI_Count> address_row(MPI_Count n) {
    std::vector<MPI_Count> row;
    for (MPI_Count i = 0; i < n; ++i) row.push_back(address());
    return row;
  }
  std::vector<int> integer_row(int n) {
    std::vector<int> row;
    for (int i = 0; i < n; ++i) row.push_back(integers.at(integer_at++));
    return row;
  }
  // Everything was used.
  bool done() const {
    return integer_at == integers.size() && address_at == addresses.size() &&
           count_at == counts.size();
  }
};

bool read(MPI_Datatype type, Contents& c) {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  if (MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &c.combiner) !=
      MPI_SUCCESS)
    return false;
  if (c.combiner == MPI_COMBINER_NAMED) return true;
  c.large = counts > 0;
  c.integers.resize(static_cast<std::size_t>(integers));
  c.addresses.resize(static_cast<std::size_t>(addresses));
  c.counts.resize(static_cast<std::size_t>(counts));
  c.types.resize(static_cast<std::size_t>(types));
  if (c.large) {
    return MPI_Type_get_contents_c(type, integers, addresses, counts, types, c.integers.data(),
                                   c.addresses.data(), c.counts.data(),
                                   c.types.data()) == MPI_SUCCESS;
  }
  return MPI_Type_get_contents(type, static_cast<int>(integers), static_cast<int>(addresses),
                               static_cast<int>(types), c.integers.data(), c.addresses.data(),
                               c.types.data()) == MPI_SUCCESS;
}

int make_blocks(Contents& c, MPI_Datatype old, MPI_Datatype* made) {
  const bool bytes =
      c.combiner == MPI_COMBINER_HINDEXED || c.combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const bool equal =
      c.combiner == MPI_COMBINER_INDEXED_BLOCK || c.combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const MPI_Count n = c.count();
  const MPI_Count length = equal ? c.count() : 0;
  const auto lengths = equal ? std::vector<MPI_Count>{} : c.count_row(n);
  const auto at = bytes ? c.address_row(n) : c.count_row(n);
  if (equal) {
    return bytes ? MPI_Type_create_hindexed_block_c(n, length, at.data(), old, made)
                 : MPI_Type_create_indexed_block_c(n, length, at.data(), old, made);
  }
  return bytes ? MPI_Type_create_hindexed_c(n, lengths.data(), at.data(), old, made)
               : MPI_Type_indexed_c(n, lengths.data(), at.data(), old, made);
}

int make_subarray(Contents& c, MPI_Datatype old, MPI_Datatype* made) {
  const int n = c.integer_row(1)[0];
  const auto sizes = c.count_row(n), part = c.count_row(n), start = c.count_row(n);
  return MPI_Type_create_subarray_c(n, sizes.data(), part.data(), start.data(), c.integer_row(1)[0],
                                    old, made);
}

int make_darray(Contents& c, MPI_Datatype old, MPI_Datatype* made) {
  const auto head = c.integer_row(3);
  const auto sizes = c.count_row(head[2]);
  const auto kinds = c.integer_row(head[2]), arguments = c.integer_row(head[2]),
             grid = c.integer_row(head[2]);
  return MPI_Type_create_darray_c(head[0], head[1], head[2], sizes.data(), kinds.data(),
                                  arguments.data(), grid.data(), c.integer_row(1)[0], old, made);
}

int make(Contents& c, const std::vector<MPI_Datatype>& types, MPI_Datatype* made) {
  const MPI_Datatype old = types.empty() ? MPI_DATATYPE_NULL : types[0];
  switch (c.combiner) {
    case MPI_COMBINER_DUP:
      return MPI_Type_dup(old, made);
    case MPI_COMBINER_CONTIGUOUS:
      return MPI_Type_contiguous_c(c.count(), old, made);
    case MPI_COMBINER_VECTOR: {
      const auto v = c.count_row(3);
      return MPI_Type_vector_c(v[0], v[1], v[2], old, made);
    }
    case MPI_COMBINER_HVECTOR: {
      const auto v = c.count_row(2);
      return MPI_Type_create_hvector_c(v[0], v[1], c.address(), old, made);
    }
    case MPI_COMBINER_STRUCT: {
      const MPI_Count n = c.count();
      const auto lengths = c.count_row(n), at = c.address_row(n);
      return MPI_Type_create_struct_c(n, lengths.data(), at.data(), types.data(), made);
    }
    case MPI_COMBINER_RESIZED: {
      const auto v = c.address_row(2);
      return MPI_Type_create_resized_c(old, v[0], v[1], made);
    }
    case MPI_COMBINER_SUBARRAY:
      return make_subarray(c, old, made);
    case MPI_COMBINER_DARRAY:
      return make_darray(c, old, made);
    default:
      return make_blocks(c, old, made);
  }
}

void free_derived(std::vector<MPI_Datatype>& types) {
  for (MPI_Datatype& type : types) {
    if (!predefined(type)) MPI_Type_free(&type);
  }
}

}  // namespace

bool predefined(MPI_Datatype type) {
  int combiner = MPI_COMBINER_NAMED;
  MPI_Count lengths[4];
  MPI_Type_get_envelope_c(type, &lengths[0], &lengths[1], &lengths[2], &lengths[3], &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

MPI_Datatype rebuild(MPI_Datatype type) {
  Contents contents;
  if (!read(type, contents)) return MPI_DATATYPE_NULL;
  if (contents.combiner == MPI_COMBINER_NAMED) return type;
  std::vector<MPI_Datatype> parts;
  for (const MPI_Datatype part : contents.types) parts.push_back(rebuild(part));
  free_derived(contents.types);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (make(contents, parts, &made) != MPI_SUCCESS) made = MPI_DATATYPE_NULL;
  free_derived(parts);
  return contents.done() ? made : MPI_DATATYPE_NULL;
}
