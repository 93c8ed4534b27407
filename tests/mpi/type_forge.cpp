// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes by every constructor of MPI, in the forms with int, with MPI_Count, and of
// MPI-1.
#include "type_forge.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

// The forms of MPI-1 are meant.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using Numbers = std::vector<MPI_Count>;

std::vector<int> ints(const Numbers& values) {
  return {values.begin(), values.end()};
}
std::vector<MPI_Aint> addresses(const Numbers& values) {
  return {values.begin(), values.end()};
}

// A constructor that fails is a failure of the test: nothing can be compared.
void must(int code, const char* maker) {
  if (code == MPI_SUCCESS) return;
  std::fprintf(stderr, "type_forge: %s failed with code %d\n", maker, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// lengths[i] copies of the child in a row, from at[i] units on.
TypeMap blocks(const TypeMap& child, const Numbers& lengths, const Numbers& at, MPI_Aint unit) {
  TypeMap map;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (MPI_Count k = 0; k < lengths[i]; ++k) map.add(child, at[i] * unit + k * child.extent());
  }
  return map;
}

TypeMap steps(const TypeMap& child, MPI_Count count, MPI_Count length, MPI_Aint stride) {
  Numbers at;
  for (MPI_Count i = 0; i < count; ++i) at.push_back(i * stride);
  return blocks(child, Numbers(at.size(), length), at, 1);
}

// The elements of a C or Fortran array whose index in dimension d is one of indices[d], in memory
// order.
TypeMap array(const TypeMap& child, const Numbers& sizes, const std::vector<Numbers>& indices,
              int order) {
  std::vector<std::size_t> by_speed(sizes.size());  // the slowest first
  std::iota(by_speed.begin(), by_speed.end(), std::size_t{0});
  if (order == MPI_ORDER_FORTRAN) std::reverse(by_speed.begin(), by_speed.end());
  Numbers places = {0};
  for (const std::size_t d : by_speed) {
    Numbers longer;
    for (const MPI_Count place : places) {
      for (const MPI_Count i : indices[d]) longer.push_back(place * sizes[d] + i);
    }
    places = std::move(longer);
  }
  TypeMap map = blocks(child, Numbers(places.size(), 1), places, child.extent());
  const MPI_Count whole =
      std::accumulate(sizes.begin(), sizes.end(), MPI_Count{1}, std::multiplies<>());
  map.lower = 0;
  map.upper = whole * child.extent();
  return map;
}

// What a process at `place` of `processes` owns in one dimension (MPI-5.0 §5.1.4).
Numbers share(MPI_Count size, int distribution, int argument, int processes, int place) {
  Numbers mine;
  const MPI_Count block = argument != MPI_DISTRIBUTE_DFLT_DARG ? argument
                          : distribution == MPI_DISTRIBUTE_BLOCK
                              ? (size + processes - 1) / processes
                              : 1;
  for (MPI_Count i = 0; i < size; ++i) {
    if (distribution == MPI_DISTRIBUTE_NONE || i / block % processes == place) mine.push_back(i);
  }
  return mine;
}

}  // namespace

const char* name_of(Maker maker) {
  static const char* const names[] = {"contiguous", "vector",        "hvector",        "indexed",
                                      "hindexed",   "indexed_block", "hindexed_block", "struct",
                                      "subarray",   "darray",        "resized",        "dup"};
  return names[static_cast<std::size_t>(maker)];
}

Typed Forge::predefined(std::size_t i) {
  if (i < basics().size())
    return {basics()[i].type, TypeMap::of(basics()[i]), basics()[i].name, false};
  const Pair& pair = pairs()[i - basics().size()];
  return {pair.type, TypeMap::of(pair), pair.name, false};
}

Typed Forge::any_predefined() {
  return predefined(
      static_cast<std::size_t>(number(0, static_cast<MPI_Count>(predefined_types()) - 1)));
}

Typed Forge::tree(int depth) {
  constexpr std::size_t largest = 1'000;  // entries
  if (depth == 0) return any_predefined();
  for (;;) {
    const Typed child = tree(depth - 1);
    if (child.map.entries.size() > largest / 4) continue;
    Typed made = wrap(static_cast<Maker>(number(0, kMakers - 1)), child);
    if (made.map.entries.size() <= largest) return made;
  }
}

Typed Forge::wrap(Maker maker, const Typed& child) {
  static constexpr std::array<Typed (Forge::*)(const Typed&), kMakers> all = {
      &Forge::contiguous, &Forge::vector,        &Forge::hvector,        &Forge::indexed,
      &Forge::hindexed,   &Forge::indexed_block, &Forge::hindexed_block, &Forge::structure,
      &Forge::subarray,   &Forge::darray,        &Forge::resized,        &Forge::dup};
  Typed made = (this->*all[static_cast<std::size_t>(maker)])(child);
  made.name = std::string(name_of(maker)) + "(" + child.name + ")";
  return made;
}

Forge::Numbers Forge::numbers(std::size_t n, MPI_Count least, MPI_Count most) {
  Numbers all(n);
  for (MPI_Count& value : all) value = number(least, most);
  return all;
}

Typed Forge::contiguous(const Typed& child) {
  const MPI_Count count = number(0, 5);
  MPI_Datatype type;
  must(form(false) == Form::plain ? MPI_Type_contiguous(static_cast<int>(count), child.type, &type)
                                  : MPI_Type_contiguous_c(count, child.type, &type),
       "contiguous");
  return {type, blocks(child.map, {count}, {0}, 1), ""};
}

Typed Forge::vector(const Typed& child) {
  const MPI_Count count = number(0, 5), length = number(0, 4), stride = number(-5, 8);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_vector(static_cast<int>(count), static_cast<int>(length),
                             static_cast<int>(stride), child.type, &type)
           : MPI_Type_vector_c(count, length, stride, child.type, &type),
       "vector");
  return {type, steps(child.map, count, length, stride * child.map.extent()), ""};
}

Typed Forge::hvector(const Typed& child) {
  const MPI_Count count = number(0, 5), length = number(0, 4), stride = number(-40, 80);
  const int n = static_cast<int>(count), l = static_cast<int>(length);
  MPI_Datatype type;
  const Form how = form(true);
  must(how == Form::plain   ? MPI_Type_create_hvector(n, l, stride, child.type, &type)
       : how == Form::large ? MPI_Type_create_hvector_c(count, length, stride, child.type, &type)
                            : MPI_Type_hvector(n, l, stride, child.type, &type),
       "hvector");
  return {type, steps(child.map, count, length, stride), ""};
}

Typed Forge::indexed(const Typed& child) {
  const std::size_t n = static_cast<std::size_t>(number(0, 6));
  const Numbers lengths = numbers(n, 0, 3), at = numbers(n, -5, 20);
  MPI_Datatype type;
  must(form(false) == Form::plain ? MPI_Type_indexed(static_cast<int>(n), ints(lengths).data(),
                                                     ints(at).data(), child.type, &type)
                                  : MPI_Type_indexed_c(static_cast<MPI_Count>(n), lengths.data(),
                                                       at.data(), child.type, &type),
       "indexed");
  return {type, blocks(child.map, lengths, at, child.map.extent()), ""};
}

Typed Forge::hindexed(const Typed& child) {
  const std::size_t n = static_cast<std::size_t>(number(0, 6));
  const Numbers lengths = numbers(n, 0, 3), at = numbers(n, -100, 300);
  std::vector<int> l = ints(lengths);
  std::vector<MPI_Aint> a = addresses(at);
  const int count = static_cast<int>(n);
  MPI_Datatype type;
  const Form how = form(true);
  must(how == Form::plain ? MPI_Type_create_hindexed(count, l.data(), a.data(), child.type, &type)
       : how == Form::large
           ? MPI_Type_create_hindexed_c(count, lengths.data(), at.data(), child.type, &type)
           : MPI_Type_hindexed(count, l.data(), a.data(), child.type, &type),
       "hindexed");
  return {type, blocks(child.map, lengths, at, 1), ""};
}

Typed Forge::indexed_block(const Typed& child) {
  const std::size_t n = static_cast<std::size_t>(number(0, 6));
  const MPI_Count length = number(0, 3);
  const Numbers at = numbers(n, -5, 20);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_create_indexed_block(static_cast<int>(n), static_cast<int>(length),
                                           ints(at).data(), child.type, &type)
           : MPI_Type_create_indexed_block_c(static_cast<MPI_Count>(n), length, at.data(),
                                             child.type, &type),
       "indexed_block");
  return {type, blocks(child.map, Numbers(n, length), at, child.map.extent()), ""};
}

Typed Forge::hindexed_block(const Typed& child) {
  const std::size_t n = static_cast<std::size_t>(number(0, 6));
  const MPI_Count length = number(0, 3);
  const Numbers at = numbers(n, -100, 300);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_create_hindexed_block(static_cast<int>(n), static_cast<int>(length),
                                            addresses(at).data(), child.type, &type)
           : MPI_Type_create_hindexed_block_c(static_cast<MPI_Count>(n), length, at.data(),
                                              child.type, &type),
       "hindexed_block");
  return {type, blocks(child.map, Numbers(n, length), at, 1), ""};
}

Typed Forge::structure(const Typed& child) {
  if (number(0, 3) == 0) return structure_with_markers(child);
  const Typed other = any_predefined();
  const Numbers lengths = numbers(3, 0, 3);
  Numbers at = numbers(3, -60, 300);
  if (number(0, 2) != 0) {  // as structs are: in order, without overlaps
    at[0] = number(-16, 16);
    at[1] = at[0] + lengths[0] * other.map.extent() + number(0, 12) - child.map.true_lb();
    at[2] = at[1] + lengths[1] * std::max<MPI_Aint>(child.map.extent(), child.map.true_ub()) +
            number(0, 12);
  }
  const MPI_Datatype types[] = {other.type, child.type, other.type};
  TypeMap map = blocks(other.map, {lengths[0]}, {at[0]}, 1);
  map.add(blocks(child.map, {lengths[1]}, {at[1]}, 1), 0);
  map.add(blocks(other.map, {lengths[2]}, {at[2]}, 1), 0);
  std::vector<int> l = ints(lengths);
  std::vector<MPI_Aint> a = addresses(at);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_create_struct(3, l.data(), a.data(), types, &type)
           : MPI_Type_create_struct_c(3, lengths.data(), at.data(), types, &type),
       "struct");
  return {type, std::move(map), ""};
}

// As MPI-1 programs gave a struct its bounds.
Typed Forge::structure_with_markers(const Typed& child) {
  int lengths[] = {1, static_cast<int>(number(0, 3)), 1};
  MPI_Aint at[] = {number(-20, 0), number(-10, 20), number(60, 300)};
  MPI_Datatype types[] = {MPI_LB, child.type, MPI_UB};
  TypeMap map = blocks(child.map, {lengths[1]}, {at[1]}, 1);
  map.lower = std::min<MPI_Aint>(map.lower.value_or(at[0]), at[0]);
  map.upper = std::max<MPI_Aint>(map.upper.value_or(at[2]), at[2]);
  MPI_Datatype type;
  must(MPI_Type_struct(3, lengths, at, types, &type), "struct of MPI-1");
  return {type, std::move(map), ""};
}

Typed Forge::subarray(const Typed& child) {
  const std::size_t dimensions = static_cast<std::size_t>(number(1, 4));
  const Numbers sizes = numbers(dimensions, 1, 5);
  const int order = number(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  Numbers part, start;
  std::vector<Numbers> indices;
  for (const MPI_Count size : sizes) {
    part.push_back(number(1, size));
    start.push_back(number(0, size - part.back()));
    indices.emplace_back(static_cast<std::size_t>(part.back()));
    std::iota(indices.back().begin(), indices.back().end(), start.back());
  }
  const int n = static_cast<int>(dimensions);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_create_subarray(n, ints(sizes).data(), ints(part).data(), ints(start).data(),
                                      order, child.type, &type)
           : MPI_Type_create_subarray_c(n, sizes.data(), part.data(), start.data(), order,
                                        child.type, &type),
       "subarray");
  return {type, array(child.map, sizes, indices, order), ""};
}

Typed Forge::darray(const Typed& child) {
  const std::size_t dimensions = static_cast<std::size_t>(number(1, 3));
  const Numbers sizes = numbers(dimensions, 1, 6);
  const int order = number(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  std::vector<int> kinds, arguments, grid, coordinates;
  std::vector<Numbers> indices;
  int processes = 1, rank = 0;
  for (const MPI_Count size : sizes) {
    static const int all[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    kinds.push_back(all[number(0, 2)]);
    const bool none = kinds.back() == MPI_DISTRIBUTE_NONE;
    grid.push_back(none ? 1 : static_cast<int>(number(1, 3)));
    const MPI_Count least =
        kinds.back() == MPI_DISTRIBUTE_BLOCK ? (size + grid.back() - 1) / grid.back() : 1;
    arguments.push_back(none || number(0, 1) == 0 ? MPI_DISTRIBUTE_DFLT_DARG
                                                  : static_cast<int>(number(least, least + 2)));
    coordinates.push_back(static_cast<int>(number(0, grid.back() - 1)));
    processes *= grid.back();
    rank = rank * grid.back() + coordinates.back();  // the process grid is in C order
    indices.push_back(share(size, kinds.back(), arguments.back(), grid.back(), coordinates.back()));
  }
  const int n = static_cast<int>(dimensions);
  MPI_Datatype type;
  must(form(false) == Form::plain
           ? MPI_Type_create_darray(processes, rank, n, ints(sizes).data(), kinds.data(),
                                    arguments.data(), grid.data(), order, child.type, &type)
           : MPI_Type_create_darray_c(processes, rank, n, sizes.data(), kinds.data(),
                                      arguments.data(), grid.data(), order, child.type, &type),
       "darray");
  return {type, array(child.map, sizes, indices, order), ""};
}

Typed Forge::resized(const Typed& child) {
  const MPI_Count lb = number(-24, 8);
  const MPI_Count extent =
      number(0, 2) == 0 ? number(0, 120) : child.map.true_ub() - lb + number(0, 16);
  MPI_Datatype type;
  must(form(false) == Form::plain ? MPI_Type_create_resized(child.type, lb, extent, &type)
                                  : MPI_Type_create_resized_c(child.type, lb, extent, &type),
       "resized");
  TypeMap map = child.map;
  map.lower = lb;
  map.upper = lb + extent;
  return {type, std::move(map), ""};
}

Typed Forge::dup(const Typed& child) {
  MPI_Datatype type;
  must(MPI_Type_dup(child.type, &type), "dup");
  return {type, child.map, ""};
}
