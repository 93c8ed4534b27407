// SPDX-License-Identifier: BSD-3-Clause
// Typed parameter values: parsing, ranges, allowed words.
#include "framework/param_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "framework/text.h"

namespace tessera {
namespace {

struct TypeWord {
  std::string_view name;
  ParamType type;
};

constexpr std::array<TypeWord, 6> type_words = {{{"integer", ParamType::integer},
                                                 {"size", ParamType::size},
                                                 {"real", ParamType::real},
                                                 {"boolean", ParamType::boolean},
                                                 {"text", ParamType::text},
                                                 {"list", ParamType::list}}};

constexpr const char* out_of_range = "is out of range";

// A number without its sign in decimal, 0x hexadecimal or 0 octal notation; the whole text must be
// read.
Result<std::uint64_t> read_digits(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error == std::errc::result_out_of_range) return Status::failure(Errc::argument, out_of_range);
  if (error != std::errc() || stop != end)
    return Status::failure(Errc::argument, "is not a whole number");
  return number;
}

Result<std::int64_t> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  auto digits = read_digits(text);
  if (!digits) return digits.status();
  const std::uint64_t limit =
      std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
  if (*digits > limit) return Status::failure(Errc::argument, "is out of range");
  return static_cast<std::int64_t>(negative ? 0 - *digits : *digits);
}

int unit_shift(char last) noexcept {
  switch (last) {
    case 'k':
    case 'K':
      return 10;
    case 'm':
    case 'M':
      return 20;
    case 'g':
    case 'G':
      return 30;
    default:
      return 0;
  }
}

Result<std::uint64_t> read_size(std::string_view text) {
  if (text.starts_with('-')) return Status::failure(Errc::argument, "is negative");
  const int shift = text.empty() ? 0 : unit_shift(text.back());
  if (shift != 0) text.remove_suffix(1);
  auto digits = read_digits(text);
  if (!digits)
    return std::string_view(digits.status().text()) == out_of_range
               ? digits.status()
               : Status::failure(Errc::argument, "is not a number of bytes");
  if (*digits > (std::numeric_limits<std::uint64_t>::max() >> shift))
    return Status::failure(Errc::argument, "is out of range");
  return *digits << shift;
}

Result<double> read_real(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range)
    return Status::failure(Errc::argument, "is out of range");
  if (error != std::errc() || stop != end || !std::isfinite(number))
    return Status::failure(Errc::argument, "is not a number");
  return number;
}

Result<bool> read_boolean(std::string_view text) {
  for (std::string_view word : {"true", "yes", "on", "1"})
    if (text::equal_ignoring_case(text, word)) return true;
  for (std::string_view word : {"false", "no", "off", "0"})
    if (text::equal_ignoring_case(text, word)) return false;
  return Status::failure(Errc::argument, "is neither true nor false");
}

// Whether `number` lies in "low..high"; an end that is missing does not bound.
template <class T, class Read>
Status check_range(T number, std::string_view range, Read read) {
  if (range.empty()) return {};
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos)
    return Status::failure(Errc::argument, "has an unreadable range");
  const std::string_view low = range.substr(0, dots);
  const std::string_view high = range.substr(dots + 2);
  if (!low.empty()) {
    auto bound = read(low);
    if (!bound) return Status::failure(Errc::argument, "has an unreadable range");
    if (number < *bound) return Status::failure(Errc::argument, "is too small");
  }
  if (high.empty()) return {};
  auto bound = read(high);
  if (!bound) return Status::failure(Errc::argument, "has an unreadable range");
  return number > *bound ? Status::failure(Errc::argument, "is too large") : Status();
}

template <class T, class Read>
Result<ParamValue> number_in_range(const ParamSpec& spec, std::string_view text, Read read) {
  Result<T> number = read(text);
  if (!number) return number.status();
  if (Status within = check_range(*number, spec.allowed, read); !within.ok()) return within;
  return ParamValue(*number);
}

using Words = std::vector<std::string_view>;

Words words_of(std::string_view list) {
  if (text::trim(list).empty()) return {};
  Words words = text::split(list, ',');
  for (std::string_view& word : words) word = text::trim(word);
  return words;
}

std::vector<std::string> copies_of(const Words& words) {
  return {words.begin(), words.end()};
}

Status check_word(std::string_view word, const Words& allowed) {
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end())
    return {};
  return Status::failure(Errc::argument, fmt::format("is not an allowed value{}",
                                                     text::did_you_mean(word, copies_of(allowed))));
}

Result<ParamValue> allowed_list(const ParamSpec& spec, std::string_view text) {
  const Words allowed = words_of(spec.allowed);
  for (const std::string_view word : words_of(text))
    if (Status known = check_word(word, allowed); !known.ok())
      return Status::failure(Errc::argument,
                             fmt::format("contains '{}', which {}", word, known.text()));
  return ParamValue(std::string(text));
}

Result<ParamValue> allowed_text(const ParamSpec& spec, std::string_view text) {
  if (Status known = check_word(text, words_of(spec.allowed)); !known.ok()) return known;
  return ParamValue(std::string(text));
}

std::string number_phrase(std::string_view kind, std::string_view range, std::string_view unit) {
  std::string phrase(kind);
  if (!range.empty()) phrase += fmt::format(", {}", range);
  if (!unit.empty()) phrase += fmt::format(" ({})", unit);
  return phrase;
}

std::string words_phrase(std::string_view any, std::string_view some, std::string_view allowed) {
  const Words words = words_of(allowed);
  if (words.empty()) return std::string(any);
  return fmt::format("{} {}", some, text::join(copies_of(words), ", "));
}

}  // namespace

ParamSpec ParamSpec::from(const ParamDecl& decl, std::string_view owner) {
  ParamSpec spec;
  spec.name = owner.empty() ? std::string(decl.name) : fmt::format("{}_{}", owner, decl.name);
  spec.type = decl.type;
  spec.default_text = decl.default_text;
  spec.allowed = decl.allowed;
  spec.unit = decl.unit;
  spec.level = static_cast<int>(decl.level);
  spec.help = decl.help;
  spec.framework = owner;
  spec.uniform = decl.uniform;
  return spec;
}

std::string_view type_name(ParamType type) noexcept {
  for (const TypeWord& word : type_words)
    if (word.type == type) return word.name;
  return "";
}

std::optional<ParamType> type_from_name(std::string_view name) noexcept {
  for (const TypeWord& word : type_words)
    if (word.name == name) return word.type;
  return std::nullopt;
}

Result<ParamValue> parse_value(const ParamSpec& spec, std::string_view raw) {
  const std::string_view trimmed = text::trim(raw);
  switch (spec.type) {
    case ParamType::integer:
      return number_in_range<std::int64_t>(spec, trimmed, read_integer);
    case ParamType::size:
      return number_in_range<std::uint64_t>(spec, trimmed, read_size);
    case ParamType::real:
      return number_in_range<double>(spec, trimmed, read_real);
    case ParamType::boolean: {
      auto value = read_boolean(trimmed);
      if (!value) return value.status();
      return ParamValue(*value);
    }
    case ParamType::text:
      return allowed_text(spec, raw);
    case ParamType::list:
      return allowed_list(spec, trimmed);
  }
  return Status::failure(Errc::internal, "has no type");
}

std::string plain_text(const ParamValue& value) {
  return std::visit([](const auto& plain) { return fmt::format("{}", plain); }, value);
}

std::string describe_allowed(const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::integer:
      return number_phrase("an integer", spec.allowed, spec.unit);
    case ParamType::size:
      return number_phrase("a size in bytes (K, M, G are powers of 1024)", spec.allowed, {});
    case ParamType::real:
      return number_phrase("a number", spec.allowed, spec.unit);
    case ParamType::boolean:
      return "true or false (yes/no, on/off, 1/0)";
    case ParamType::text:
      return words_phrase("any text", "one of:", spec.allowed);
    case ParamType::list:
      return words_phrase("a comma-separated list", "a comma-separated list of:", spec.allowed);
  }
  return "";
}

Result<ParamValue> read_default(const ParamSpec& spec) {
  if (spec.name.empty()) return Status::failure(Errc::argument, "a parameter without a name");
  if (spec.level < 1 || spec.level > 9)
    return Status::failure(
        Errc::argument, fmt::format("parameter {}: level {} is not 1..9", spec.name, spec.level));
  auto value = parse_value(spec, spec.default_text);
  if (value.ok()) return value;
  return Status::failure(
      Errc::argument,
      fmt::format("parameter {}: default '{}' {}; allowed: {}", spec.name, spec.default_text,
                  value.status().text(), describe_allowed(spec)));
}

}  // namespace tessera
