// SPDX-License-Identifier: BSD-3-Clause
// Constructors of arrays: subarray and darray. Source: MPI-5.0 §5.1.3, §5.1.4.
//
// An array is built from its fastest dimension up: a part of each dimension is
// placed, and the result gets the extent of the whole dimension, so that the
// next one may repeat it.
//
#include <fmt/format.h>

#include <memory>

#include "core/datatype/maker.h"

namespace tessera {
namespace {

template <class... Parts>
Status wrong(fmt::format_string<Parts...> text, Parts&&... parts) noexcept {
  return Status::failure(Errc::argument, fmt::format(text, std::forward<Parts>(parts)...));
}

struct Drop {
  void operator()(const TypeObject* type) const noexcept { type->drop(); }
};
using Part = std::unique_ptr<const TypeObject, Drop>;

Part part_of(const TypeObject& old) noexcept {
  old.hold();
  return Part(&old);
}

bool is_order(int order) noexcept {
  return order == static_cast<int>(Order::c) || order == static_cast<int>(Order::fortran);
}

Status wrong_order(int order) noexcept {
  return wrong(
      "argument `order` is {}; valid are MPI_ORDER_C ({}) and "
      "MPI_ORDER_FORTRAN ({})",
      order, static_cast<int>(Order::c), static_cast<int>(Order::fortran));
}

// The dimension that is the n-th fastest.
std::size_t dimension(std::size_t n, std::size_t dimensions, int order) noexcept {
  return order == static_cast<int>(Order::fortran) ? n : dimensions - 1 - n;
}

Status check_subarray(Counts sizes, Counts subsizes, Counts starts, int order) noexcept {
  if (sizes.empty()) return wrong("argument `ndims` is 0; it must be positive");
  if (!is_order(order)) return wrong_order(order);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 1)
      return wrong("argument `array_of_sizes[{}]` is {}; it must be positive", i, sizes[i]);
    if (subsizes[i] < 1 || subsizes[i] > sizes[i]) {
      return wrong(
          "argument `array_of_subsizes[{}]` is {}; valid are 1..{}, "
          "the size of this dimension",
          i, subsizes[i], sizes[i]);
    }
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      return wrong(
          "argument `array_of_starts[{}]` is {}; valid are 0..{}, so "
          "that the part ends inside the array",
          i, starts[i], sizes[i] - subsizes[i]);
    }
  }
  return {};
}

// The blocks of one process in one dimension.
struct Share {
  Count first;   // index of the first element
  Count length;  // of a whole block
  Count blocks;  // whole ones
  Count step;    // from block to block
  Count rest;    // elements of a last block that is shorter
};

Share share_of(Count gsize, Count length, Count processes, Count place) noexcept {
  const Count first = place * length;
  const Count step = processes * length;
  if (first >= gsize) return {0, length, 0, step, 0};
  const Count blocks = (gsize - first) / step + ((gsize - first) % step >= length ? 1 : 0);
  const Count begun = blocks * step;
  return {first, length, blocks, step,
          begun < gsize - first ? std::min(length, gsize - first - begun) : 0};
}

Status check_dimension(const DistributedArray& a, std::size_t i) noexcept {
  if (a.gsizes[i] < 1)
    return wrong("argument `array_of_gsizes[{}]` is {}; it must be positive", i, a.gsizes[i]);
  if (a.processes[i] < 1)
    return wrong("argument `array_of_psizes[{}]` is {}; it must be positive", i, a.processes[i]);
  const int argument = a.arguments[i];
  switch (static_cast<Distribution>(a.distributions[i])) {
    case Distribution::none:
      if (a.processes[i] == 1) return {};
      return wrong(
          "argument `array_of_psizes[{}]` is {}; it must be 1 where the "
          "distribution is MPI_DISTRIBUTE_NONE",
          i, a.processes[i]);
    case Distribution::block:
      if (argument == kDefaultDistribution ||
          (argument > 0 && (Checked(argument) * a.processes[i] - a.gsizes[i]).value() >= 0)) {
        return {};
      }
      return wrong(
          "argument `array_of_dargs[{}]` is {}; valid are "
          "MPI_DISTRIBUTE_DFLT_DARG and block sizes of at least "
          "{}, so that {} blocks cover {} elements",
          i, argument, (a.gsizes[i] - 1) / a.processes[i] + 1, a.processes[i], a.gsizes[i]);
    case Distribution::cyclic:
      if (argument > 0) return {};
      return wrong(
          "argument `array_of_dargs[{}]` is {}; valid are "
          "MPI_DISTRIBUTE_DFLT_DARG and positive block sizes",
          i, argument);
  }
  return wrong(
      "argument `array_of_distribs[{}]` is {}; valid are "
      "MPI_DISTRIBUTE_NONE, _BLOCK and _CYCLIC",
      i, a.distributions[i]);
}

Status check_darray(const DistributedArray& a) noexcept {
  if (a.gsizes.empty()) return wrong("argument `ndims` is 0; it must be positive");
  if (a.size < 1) return wrong("argument `size` is {}; it must be positive", a.size);
  if (a.rank < 0 || a.rank >= a.size)
    return wrong("argument `rank` is {}; valid are 0..{}", a.rank, a.size - 1);
  if (!is_order(a.order)) return wrong_order(a.order);
  Checked processes = 1;
  for (std::size_t i = 0; i < a.gsizes.size(); ++i) {
    if (const Status right = check_dimension(a, i); !right) return right;
    processes = processes * a.processes[i];
  }
  if (!processes.ok() || processes.value() != a.size) {
    return wrong(
        "argument `array_of_psizes` describes a grid of {} processes; "
        "it must be `size`, {}",
        processes.value(), a.size);
  }
  return {};
}

Count block_length(const DistributedArray& a, std::size_t i) noexcept {
  const bool by_default = a.arguments[i] == kDefaultDistribution;
  switch (static_cast<Distribution>(a.distributions[i])) {
    case Distribution::block:
      return by_default ? (a.gsizes[i] - 1) / a.processes[i] + 1 : a.arguments[i];
    case Distribution::cyclic:
      return by_default ? 1 : a.arguments[i];
    default:
      return a.gsizes[i];
  }
}

// Where the process is in the grid, whose order is always that of C.
std::vector<int> place_in_grid(const DistributedArray& a) {
  std::vector<int> place(a.processes.size());
  int rest = a.rank;
  for (std::size_t i = a.processes.size(); i-- > 0;) {
    place[i] = rest % a.processes[i];
    rest /= a.processes[i];
  }
  return place;
}

// One dimension more: `share` of `size` elements, each a copy of `old`.
Result<TypeObject*> widen(const TypeObject& old, const Share& share, Count size,
                          std::shared_ptr<const Recipe> recipe) {
  Maker maker(old);
  const Checked extent = old.extent();
  maker.place(old, extent * share.first, share.length, share.blocks, extent * share.step);
  maker.place(old, extent * share.first + extent * share.step * share.blocks, share.rest);
  maker.bound(0, extent * size);
  return maker.finish(std::move(recipe));
}

// `share(i)` is what is taken of dimension i. The recipe goes to the last,
// which is the whole.
template <class ShareOf>
Result<TypeObject*> build(Counts sizes, int order, const TypeObject& old, Recipe&& recipe,
                          ShareOf share) {
  Part part = part_of(old);
  auto kept = std::make_shared<const Recipe>(std::move(recipe));
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const std::size_t i = dimension(n, sizes.size(), order);
    auto wider = widen(*part, share(i), sizes[i], n + 1 == sizes.size() ? kept : nullptr);
    if (!wider.ok()) return wider.status();
    part.reset(*wider);
  }
  return const_cast<TypeObject*>(part.release());
}

}  // namespace

Result<TypeObject*> make_subarray(Counts sizes, Counts subsizes, Counts starts, int order,
                                  const TypeObject& old, RecipeForm form) {
  if (const Status right = check_subarray(sizes, subsizes, starts, order); !right) return right;
  Recipe recipe(Combiner::subarray, form);
  recipe.integer(static_cast<int>(sizes.size()));
  for (const Counts values : {sizes, subsizes, starts}) {
    for (const Count value : values) recipe.count(value);
  }
  recipe.integer(order).type(old);
  return build(sizes, order, old, std::move(recipe), [&](std::size_t i) {
    return Share{starts[i], subsizes[i], 1, 0, 0};
  });
}

Result<TypeObject*> make_darray(const DistributedArray& array, const TypeObject& old,
                                RecipeForm form) {
  if (const Status right = check_darray(array); !right) return right;
  Recipe recipe(Combiner::darray, form);
  recipe.integer(array.size).integer(array.rank).integer(static_cast<int>(array.gsizes.size()));
  for (const Count size : array.gsizes) recipe.count(size);
  for (const auto values : {array.distributions, array.arguments, array.processes}) {
    for (const int value : values) recipe.integer(value);
  }
  recipe.integer(array.order).type(old);
  const std::vector<int> place = place_in_grid(array);
  return build(array.gsizes, array.order, old, std::move(recipe), [&](std::size_t i) {
    return share_of(array.gsizes[i], block_length(array, i), array.processes[i], place[i]);
  });
}

}  // namespace tessera
