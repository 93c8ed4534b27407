// SPDX-License-Identifier: BSD-3-Clause
// Reads the declarations of performance variables and events.
#include "framework/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 9> kClasses = {"state",      "level",         "size",
                                                      "percentage", "highwatermark", "lowwatermark",
                                                      "counter",    "aggregate",     "timer"};

constexpr std::size_t kMostElements = 8;

bool read_level(std::string_view word, int& level) noexcept {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), level);
  return error == std::errc() && end == word.data() + word.size() && level >= 1 && level <= 9;
}

bool is_name(std::string_view word) noexcept {
  return !word.empty() && word.size() <= 64 && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string_view class_name(VariableClass kind) noexcept {
  return kClasses[static_cast<std::size_t>(kind)];
}

std::optional<VariableClass> class_from_name(std::string_view name) noexcept {
  const auto found = std::find(kClasses.begin(), kClasses.end(), name);
  if (found == kClasses.end()) return {};
  return static_cast<VariableClass>(found - kClasses.begin());
}

Result<VariableSpec> read_variable(const std::string& owner,
                                   const std::vector<std::string_view>& fields) {
  VariableSpec spec;
  if (fields.size() != 7 || !is_name(fields[1]))
    return Status::failure(Errc::refused, "does not declare a variable");
  const auto kind = class_from_name(fields[2]);
  if (!kind || *kind == VariableClass::state || !read_level(fields[5], spec.level))
    return Status::failure(Errc::refused, "has an unknown class or level");
  if (fields[3] != "process" && fields[3] != "peers")
    return Status::failure(Errc::refused, "is bound neither to the process nor to peers");
  const bool watermark =
      *kind == VariableClass::highwatermark || *kind == VariableClass::lowwatermark;
  if (watermark && fields[3] == "peers")
    return Status::failure(Errc::refused, "is a watermark, of which there is one per process");
  spec.name = fmt::format("{}_{}", owner, fields[1]);
  spec.kind = *kind;
  spec.per_peer = fields[3] == "peers";
  spec.unit = fields[4];
  spec.help = fields[6];
  return spec;
}

Result<EventSpec> read_event(const std::string& owner,
                             const std::vector<std::string_view>& fields) {
  EventSpec spec;
  if (fields.size() != 5 || !is_name(fields[1]) || !read_level(fields[3], spec.level))
    return Status::failure(Errc::refused, "does not declare an event");
  for (std::string_view element : text::split(fields[2], ',')) {
    if (!is_name(element)) return Status::failure(Errc::refused, "has elements without names");
    spec.elements.emplace_back(element);
  }
  if (spec.elements.size() > kMostElements)
    return Status::failure(Errc::refused, "has too many elements");
  spec.name = fmt::format("{}_{}", owner, fields[1]);
  spec.help = fields[4];
  return spec;
}

}  // namespace tessera
