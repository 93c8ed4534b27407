// SPDX-License-Identifier: BSD-3-Clause
// Constructors of blocks: contiguous to struct, resized, dup.
#include "core/datatype/make.h"

#include <fmt/format.h>

#include "core/datatype/maker.h"

namespace tessera {
namespace {

Status check(const char* name, Count value) noexcept {
  if (value >= 0) return {};
  return Status::failure(Errc::argument,
                         fmt::format("argument `{}` is {}; it must not be negative", name, value));
}

Status check(const char* name, Counts values) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      return Status::failure(
          Errc::argument,
          fmt::format("argument `{}[{}]` is {}; it must not be negative", name, i, values[i]));
    }
  }
  return {};
}

Status check(Count count, Count blocklength) noexcept {
  const Status right = check("count", count);
  return right ? check("blocklength", blocklength) : right;
}

void add_counts(Recipe& recipe, Counts values) {
  for (const Count value : values) recipe.count(value);
}

void add_addresses(Recipe& recipe, Counts values) {
  for (const Count value : values) recipe.address(value);
}

// Blocks of several or of one length at displacements in units of bytes.
Result<TypeObject*> place_all(Counts lengths, Count length, Counts displacements, Aint unit,
                              const TypeObject& old, Recipe&& recipe) {
  Maker maker(old);
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    maker.place(old, Checked(displacements[i]) * unit, lengths.empty() ? length : lengths[i]);
  }
  return maker.finish(std::move(recipe));
}

}  // namespace

Result<TypeObject*> make_contiguous(Count count, const TypeObject& old, RecipeForm form) {
  if (const Status right = check("count", count); !right) return right;
  Maker maker(old);
  maker.place(old, 0, count);
  Recipe recipe(Combiner::contiguous, form);
  recipe.count(count).type(old);
  return maker.finish(std::move(recipe));
}

Result<TypeObject*> make_vector(Count count, Count blocklength, Count stride, const TypeObject& old,
                                RecipeForm form) {
  if (const Status right = check(count, blocklength); !right) return right;
  Maker maker(old);
  maker.place(old, 0, blocklength, count, Checked(stride) * old.extent());
  Recipe recipe(Combiner::vector, form);
  recipe.count(count).count(blocklength).count(stride).type(old);
  return maker.finish(std::move(recipe));
}

Result<TypeObject*> make_hvector(Count count, Count blocklength, Count stride,
                                 const TypeObject& old, RecipeForm form) {
  if (const Status right = check(count, blocklength); !right) return right;
  Maker maker(old);
  maker.place(old, 0, blocklength, count, stride);
  Recipe recipe(Combiner::hvector, form);
  recipe.count(count).count(blocklength).address(stride).type(old);
  return maker.finish(std::move(recipe));
}

Result<TypeObject*> make_indexed(Counts blocklengths, Counts displacements, const TypeObject& old,
                                 RecipeForm form) {
  if (const Status right = check("array_of_blocklengths", blocklengths); !right) return right;
  Recipe recipe(Combiner::indexed, form);
  recipe.count(static_cast<Count>(blocklengths.size()));
  add_counts(recipe, blocklengths);
  add_counts(recipe, displacements);
  recipe.type(old);
  return place_all(blocklengths, 0, displacements, old.extent(), old, std::move(recipe));
}

Result<TypeObject*> make_hindexed(Counts blocklengths, Counts displacements, const TypeObject& old,
                                  RecipeForm form) {
  if (const Status right = check("array_of_blocklengths", blocklengths); !right) return right;
  Recipe recipe(Combiner::hindexed, form);
  recipe.count(static_cast<Count>(blocklengths.size()));
  add_counts(recipe, blocklengths);
  add_addresses(recipe, displacements);
  recipe.type(old);
  return place_all(blocklengths, 0, displacements, 1, old, std::move(recipe));
}

Result<TypeObject*> make_indexed_block(Count blocklength, Counts displacements,
                                       const TypeObject& old, RecipeForm form) {
  if (const Status right = check("blocklength", blocklength); !right) return right;
  Recipe recipe(Combiner::indexed_block, form);
  recipe.count(static_cast<Count>(displacements.size())).count(blocklength);
  add_counts(recipe, displacements);
  recipe.type(old);
  return place_all({}, blocklength, displacements, old.extent(), old, std::move(recipe));
}

Result<TypeObject*> make_hindexed_block(Count blocklength, Counts displacements,
                                        const TypeObject& old, RecipeForm form) {
  if (const Status right = check("blocklength", blocklength); !right) return right;
  Recipe recipe(Combiner::hindexed_block, form);
  recipe.count(static_cast<Count>(displacements.size())).count(blocklength);
  add_addresses(recipe, displacements);
  recipe.type(old);
  return place_all({}, blocklength, displacements, 1, old, std::move(recipe));
}

Result<TypeObject*> make_struct(Counts blocklengths, Counts displacements,
                                std::span<const TypeObject* const> types, RecipeForm form) {
  if (const Status right = check("array_of_blocklengths", blocklengths); !right) return right;
  Recipe recipe(Combiner::structure, form);
  recipe.count(static_cast<Count>(blocklengths.size()));
  add_counts(recipe, blocklengths);
  add_addresses(recipe, displacements);
  Kind kind = 0;
  bool several = false;
  for (const TypeObject* type : types) {
    recipe.type(*type);
    if (type->size() == 0) continue;
    several =
        several || type->signature().kind == 0 || (kind != 0 && type->signature().kind != kind);
    kind = type->signature().kind;
  }
  Maker maker(several);
  for (std::size_t i = 0; i < types.size(); ++i)
    maker.place(*types[i], displacements[i], blocklengths[i]);
  return maker.finish(std::move(recipe));
}

Result<TypeObject*> make_resized(const TypeObject& old, Count lb, Count extent, RecipeForm form) {
  Maker maker(old);
  maker.place(old, 0, 1);
  maker.bound(lb, extent);
  Recipe recipe(Combiner::resized, form);
  recipe.address(lb).address(extent).type(old);
  return maker.finish(std::move(recipe));
}

Result<TypeObject*> make_dup(const TypeObject& old) {
  auto recipe = std::make_shared<Recipe>(Combiner::dup, RecipeForm::plain);
  recipe->type(old);
  auto* copy = new TypeObject(old.description(), std::move(recipe));
  if (old.committed()) copy->commit();
  return copy;
}

}  // namespace tessera
