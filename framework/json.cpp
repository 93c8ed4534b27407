// SPDX-License-Identifier: BSD-3-Clause
// How values of JSON are written.
#include "framework/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/text.h"

namespace tessera {
namespace {

std::string escaped(char c) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  const std::size_t at = plain.find(c);
  if (at != std::string_view::npos) return {'\\', letters[at]};
  return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
}

std::string json_string(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string all = "\"";
  while (!text.empty()) {
    const char first = text.front();
    const bool is_ascii = static_cast<unsigned char>(first) < 0x80;
    const std::size_t bytes = is_ascii ? 1 : text::shown_bytes(text);
    if (is_ascii && (first < ' ' || first == '"' || first == '\\'))
      all += escaped(first);
    else
      all += bytes == 0 ? replacement : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return all + '"';
}

}  // namespace

Json::Json(double value) : text_(std::isfinite(value) ? fmt::format("{}", value) : "null") {}

Json::Json(std::string_view value) : text_(json_string(value)) {}

Json Json::object(Members members) {
  Json made(Kind::object);
  for (const auto& [key, value] : members) made.set(key, value);
  return made;
}

Json& Json::put(std::string_view key, Json value) {
  parts_.emplace_back(key, std::move(value));
  return *this;
}

std::string Json::text() const {
  std::string all;
  write(all, 0);
  return all;
}

void Json::write(std::string& to, std::size_t indent) const {
  constexpr std::size_t kStep = 2;
  if (kind_ == Kind::scalar) {
    to += text_;
    return;
  }
  const std::string_view ends = kind_ == Kind::array ? "[]" : "{}";
  to += ends[0];
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    to += i == 0 ? "\n" : ",\n";
    to.append(indent + kStep, ' ');
    if (kind_ == Kind::object) to += json_string(parts_[i].first) + ": ";
    parts_[i].second.write(to, indent + kStep);
  }
  if (!parts_.empty()) {
    to += '\n';
    to.append(indent, ' ');
  }
  to += ends[1];
}

}  // namespace tessera
