// SPDX-License-Identifier: BSD-3-Clause
// JSON (RFC 8259) that is written and not read: Json.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

// A value: null, or one made of what is given, or an array or object that grows.
class Json {
 public:
  using Members = std::initializer_list<std::pair<std::string_view, Json>>;
  static Json array() { return Json(Kind::array); }
  static Json object(Members members = {});

  Json() : text_("null") {}
  template <std::integral T>
  Json(T value) {
    if constexpr (std::same_as<T, bool>)
      text_ = value ? "true" : "false";
    else
      text_ = std::to_string(value);
  }
  Json(double value);  // what is not finite becomes null
  // What is no UTF-8, or controls a terminal from beyond ASCII, becomes U+FFFD.
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <class T>
  Json(const std::vector<T>& values) : Json(Kind::array) {
    for (const T& value : values) add(value);
  }

  // To an array; and to an object, whose members stay in this order. `key` comes once.
  Json& add(Json value) { return put({}, std::move(value)); }
  Json& set(std::string_view key, Json value) { return put(key, std::move(value)); }

  // On several lines, two blanks for each level, without a newline at the end.
  std::string text() const;

 private:
  enum class Kind : unsigned char { scalar, array, object };
  explicit Json(Kind kind) : kind_(kind) {}
  Json& put(std::string_view key, Json value);
  void write(std::string& to, std::size_t indent) const;

  Kind kind_ = Kind::scalar;
  std::string text_;  // of a scalar
  std::vector<std::pair<std::string, Json>> parts_;
};

}  // namespace tessera
