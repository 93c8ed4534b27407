// SPDX-License-Identifier: BSD-3-Clause
// Short names for tests of datatypes: types that free themselves.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/datatype/make.h"
#include "core/datatype/predefined.h"

namespace tessera::test {

struct Drop {
  void operator()(const TypeObject* type) const noexcept { type->drop(); }
};
using Type = std::unique_ptr<TypeObject, Drop>;

inline const TypeObject& named(MPI_Datatype handle) {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(handle));
}

inline Type made(Result<TypeObject*> result) {
  EXPECT_TRUE(result.ok()) << result.status().text();
  if (!result.ok()) return nullptr;
  (*result)->commit();
  return Type(*result);
}

// The text of the failure; empty, after a report, if there is none.
inline std::string refused(Result<TypeObject*> result) {
  EXPECT_FALSE(result.ok());
  if (!result.ok()) return result.status().text();
  (*result)->drop();
  return {};
}

inline Type structure(const std::vector<Count>& lengths, const std::vector<Count>& displacements,
                      const std::vector<const TypeObject*>& types) {
  return made(make_struct(lengths, displacements, types, RecipeForm::plain));
}

}  // namespace tessera::test
