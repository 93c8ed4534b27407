// SPDX-License-Identifier: BSD-3-Clause
// The values of info keys of windows: understood, completed by defaults, compared.
#include "core/rma/window_hints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace tessera {
namespace {

using Text = std::string_view;

Text given_value(const WindowHints& given, Text key) {
  const auto found = given.find(key);
  return found != given.end() ? Text(found->second) : Text();
}

bool is_true(const WindowHints& given, Text key) {
  return given_value(given, key) == "true";
}

std::optional<std::uint64_t> number(Text text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Beyond this, memory that is aligned so would be mostly gaps.
constexpr std::uint64_t kLargestAlignment = 1ull << 30;

std::uint64_t alignment(const WindowHints& given) {
  const auto value = number(given_value(given, "mpi_minimum_memory_alignment"));
  const bool fits = value && *value != 0 && (*value & (*value - 1)) == 0;
  return fits && *value <= kLargestAlignment ? *value : 0;
}

std::uint64_t granularity(const WindowHints& given) {
  return number(given_value(given, "mpi_accumulate_granularity")).value_or(0);
}

// A set of orders, or "none"; empty: no such set.
std::string ordering(Text text) {
  constexpr std::array<Text, 4> orders = {"rar", "raw", "war", "waw"};
  if (text == "none") return "none";
  std::array<bool, 4> asked{};
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const auto order = std::find(orders.begin(), orders.end(), text.substr(0, comma));
    if (order == orders.end()) return {};
    asked[static_cast<std::size_t>(order - orders.begin())] = true;
    text = comma == Text::npos ? Text() : text.substr(comma + 1);
  }
  std::string set;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (asked[i]) set += (set.empty() ? "" : ",") + std::string(orders[i]);
  }
  return set;
}

constexpr std::array<Text, 6> kEqualKeys = {
    "accumulate_ordering", "accumulate_ops", "mpi_accumulate_granularity",
    "same_size",           "same_disp_unit", "alloc_shared_noncontig"};

const char* text_of(bool value) {
  return value ? "true" : "false";
}

}  // namespace

osc::Hints module_hints(const WindowHints& given) {
  osc::Hints hints;
  hints.no_locks = is_true(given, "no_locks");
  hints.noncontiguous = is_true(given, "alloc_shared_noncontig");
  hints.alignment = alignment(given);
  hints.granularity = granularity(given);
  hints.same_operation = given_value(given, "accumulate_ops") == "same_op";
  return hints;
}

WindowHints hints_in_effect(osc::Flavor flavor, const WindowHints& given) {
  WindowHints all;
  all["no_locks"] = text_of(is_true(given, "no_locks"));
  const std::string orders = ordering(given_value(given, "accumulate_ordering"));
  all["accumulate_ordering"] = orders.empty() ? "rar,raw,war,waw" : orders;
  const bool same = given_value(given, "accumulate_ops") == "same_op";
  all["accumulate_ops"] = same ? "same_op" : "same_op_no_op";
  all["mpi_accumulate_granularity"] = std::to_string(granularity(given));
  all["same_size"] = text_of(is_true(given, "same_size"));
  all["same_disp_unit"] = text_of(is_true(given, "same_disp_unit"));
  if (const auto promised = given.find(kMemoryKindsPromise); promised != given.end())
    all.insert(*promised);
  if (flavor == osc::Flavor::shared)
    all["alloc_shared_noncontig"] = text_of(is_true(given, "alloc_shared_noncontig"));
  if (flavor == osc::Flavor::shared || flavor == osc::Flavor::allocate)
    all["mpi_minimum_memory_alignment"] =
        std::to_string(std::max<std::uint64_t>(64, alignment(given)));
  return all;
}

std::uint64_t hash_of_equal_hints(const WindowHints& given) {
  std::uint64_t hash = 14'695'981'039'346'656'037ull;  // FNV-1a
  for (const Text key : kEqualKeys) {
    for (const char c : given_value(given, key))
      hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ull;
    hash = (hash ^ 0xff) * 1'099'511'628'211ull;
  }
  return hash;
}

}  // namespace tessera
