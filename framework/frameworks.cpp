// SPDX-License-Identifier: BSD-3-Clause
// Look-up in tables of frameworks.
#include "framework/frameworks.h"

namespace tessera {

std::string_view shape_name(Shape shape) noexcept {
  switch (shape) {
    case Shape::one_winner:
      return "one winner by priority";
    case Shape::ranked:
      return "all usable, ranked";
    case Shape::stacked:
      return "stacked per operation";
    case Shape::per_question:
      return "best answer per question";
  }
  return "";
}

const FrameworkInfo* find_framework(std::span<const FrameworkInfo> frameworks,
                                    std::string_view name) noexcept {
  for (const FrameworkInfo& framework : frameworks)
    if (framework.name == name) return &framework;
  return nullptr;
}

}  // namespace tessera
