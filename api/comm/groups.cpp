// SPDX-License-Identifier: BSD-3-Clause
// Groups: what they are and how they are made (MPI-5.0 §7.3).
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "api/comm/group_handle.h"
#include "api/env/world.h"
#include "api/errors/error.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Stores what `read` says of a group.
template <class Read>
int read_group(const char* function, MPI_Group group, const char* name, int* result, Read read) {
  const Group* object = find_group(group);
  if (object == nullptr) return raise_not_group(function, group);
  if (result == nullptr) return raise(function, MPI_ERR_ARG, null_pointer(name));
  *result = read(*object);
  return MPI_SUCCESS;
}

int my_rank_in(const Group& group) {
  const int rank = group.size() == 0 ? -1 : group.rank_of(world.engine->me());
  return rank < 0 ? MPI_UNDEFINED : rank;
}

// A group out of two.
template <class Combine>
int combine(const char* function, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup,
            Combine act) {
  const Group* first = find_group(group1);
  if (first == nullptr) return raise_not_group(function, group1, "group1");
  const Group* second = find_group(group2);
  if (second == nullptr) return raise_not_group(function, group2, "group2");
  if (newgroup == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("newgroup"));
  *newgroup = hand_over(act(*first, *second));
  return MPI_SUCCESS;
}

// Why `ranks` are no distinct ranks of the group; empty if they are.
std::string fault_of(const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= group.size()) {
      return fmt::format("argument `ranks` has {}; valid are 0..{}", rank, group.size() - 1);
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      return fmt::format("argument `ranks` has {} twice; each rank may be there once", rank);
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return {};
}

// A group of some ranks of another, or of all others.
int select(const char* function, const Group& group, const std::vector<int>& ranks, bool take,
           MPI_Group* newgroup) {
  if (newgroup == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("newgroup"));
  if (const std::string fault = fault_of(group, ranks); !fault.empty()) {
    return raise(function, MPI_ERR_RANK, fault);
  }
  *newgroup = hand_over(take ? group.including(ranks) : group.excluding(ranks));
  return MPI_SUCCESS;
}

int select_listed(const char* function, MPI_Group group, int n, const int* ranks, bool take,
                  MPI_Group* newgroup) {
  const Group* object = find_group(group);
  if (object == nullptr) return raise_not_group(function, group);
  if (n < 0)
    return raise(function, MPI_ERR_ARG,
                 fmt::format("argument `n` is {}; it must not be negative", n));
  if (n > 0 && ranks == nullptr) {
    return raise(function, MPI_ERR_ARG,
                 "argument `ranks` is a null pointer; it must be an array of ranks");
  }
  return select(function, *object, std::vector<int>(ranks, ranks + n), take, newgroup);
}

// The ranks of (first, last, stride); false if it is no range.
bool expand(const int range[3], int size, std::vector<int>& ranks) {
  const auto [first, last, stride] = std::array{range[0], range[1], range[2]};
  if (stride == 0) return false;
  for (long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
    ranks.push_back(static_cast<int>(rank));
    if (rank < 0 || rank >= size) break;  // reported by who looks at the ranks
  }
  return true;
}

int select_ranges(const char* function, MPI_Group group, int n, int ranges[][3], bool take,
                  MPI_Group* newgroup) {
  const Group* object = find_group(group);
  if (object == nullptr) return raise_not_group(function, group);
  if (n < 0)
    return raise(function, MPI_ERR_ARG,
                 fmt::format("argument `n` is {}; it must not be negative", n));
  if (n > 0 && ranges == nullptr) {
    return raise(function, MPI_ERR_ARG,
                 "argument `ranges` is a null pointer; it must be an array of triplets");
  }
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    if (!expand(ranges[i], object->size(), ranks)) {
      return raise(function, MPI_ERR_ARG,
                   fmt::format("the stride of range {} is 0; it must not be", i));
    }
  }
  return select(function, *object, ranks, take, newgroup);
}

int result_of(Similarity similarity) {
  switch (similarity) {
    case Similarity::identical:
      return MPI_IDENT;
    case Similarity::similar:
      return MPI_SIMILAR;
    case Similarity::unequal:
      break;
  }
  return MPI_UNEQUAL;
}

int translate(const Group& from, int rank, const Group& to) {
  if (rank == MPI_PROC_NULL) return MPI_PROC_NULL;
  const int found = to.size() == 0 ? -1 : to.rank_of(from.member(rank));
  return found < 0 ? MPI_UNDEFINED : found;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Group_size)
extern "C" int PMPI_Group_size(MPI_Group group, int* size) {
  return read_group("MPI_Group_size", group, "size", size, [](const Group& g) { return g.size(); });
}

TESSERA_WEAK_ALIAS(MPI_Group_rank)
extern "C" int PMPI_Group_rank(MPI_Group group, int* rank) {
  return read_group("MPI_Group_rank", group, "rank", rank, my_rank_in);
}

TESSERA_WEAK_ALIAS(MPI_Group_translate_ranks)
extern "C" int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[],
                                          MPI_Group group2, int ranks2[]) {
  constexpr const char* function = "MPI_Group_translate_ranks";
  const Group* from = find_group(group1);
  if (from == nullptr) return raise_not_group(function, group1, "group1");
  const Group* to = find_group(group2);
  if (to == nullptr) return raise_not_group(function, group2, "group2");
  if (n < 0)
    return raise(function, MPI_ERR_ARG,
                 fmt::format("argument `n` is {}; it must not be negative", n));
  if (n > 0 && (ranks1 == nullptr || ranks2 == nullptr)) {
    return raise(function, MPI_ERR_ARG, null_pointer(ranks1 == nullptr ? "ranks1" : "ranks2"));
  }
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= from->size())) {
      return raise(function, MPI_ERR_RANK,
                   fmt::format("argument `ranks1[{}]` is {}; valid are 0..{} and MPI_PROC_NULL", i,
                               ranks1[i], from->size() - 1));
    }
  }
  for (int i = 0; i < n; ++i) ranks2[i] = translate(*from, ranks1[i], *to);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Group_compare)
extern "C" int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  const Group* second = find_group(group2);
  if (second == nullptr) return raise_not_group("MPI_Group_compare", group2, "group2");
  return read_group("MPI_Group_compare", group1, "result", result,
                    [&](const Group& first) { return result_of(first.compare(*second)); });
}

TESSERA_WEAK_ALIAS(MPI_Group_union)
extern "C" int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_union", group1, group2, newgroup,
                 [](const Group& a, const Group& b) { return a.united_with(b); });
}

TESSERA_WEAK_ALIAS(MPI_Group_intersection)
extern "C" int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_intersection", group1, group2, newgroup,
                 [](const Group& a, const Group& b) { return a.intersected_with(b); });
}

TESSERA_WEAK_ALIAS(MPI_Group_difference)
extern "C" int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_difference", group1, group2, newgroup,
                 [](const Group& a, const Group& b) { return a.without(b); });
}

TESSERA_WEAK_ALIAS(MPI_Group_incl)
extern "C" int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return select_listed("MPI_Group_incl", group, n, ranks, true, newgroup);
}

TESSERA_WEAK_ALIAS(MPI_Group_excl)
extern "C" int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return select_listed("MPI_Group_excl", group, n, ranks, false, newgroup);
}

TESSERA_WEAK_ALIAS(MPI_Group_range_incl)
extern "C" int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return select_ranges("MPI_Group_range_incl", group, n, ranges, true, newgroup);
}

TESSERA_WEAK_ALIAS(MPI_Group_range_excl)
extern "C" int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return select_ranges("MPI_Group_range_excl", group, n, ranges, false, newgroup);
}

// MPI_GROUP_EMPTY may be freed like any other: functions return it for groups that turn out empty.
TESSERA_WEAK_ALIAS(MPI_Group_free)
extern "C" int PMPI_Group_free(MPI_Group* group) {
  if (group == nullptr) return raise("MPI_Group_free", MPI_ERR_ARG, null_pointer("group"));
  Group* object = find_group(*group);
  if (object == nullptr) return raise_not_group("MPI_Group_free", *group);
  if (*group != MPI_GROUP_EMPTY) object->release();
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
