// SPDX-License-Identifier: BSD-3-Clause
// Outcome<T>: a value, or the text that says why there is none.
#pragma once
//
// Contract. The wire library links no engine, so it has no Status. A Fault is one line for a
// person, without a prefix: what was wrong, its value, what would be right. Test with ok() before
// value().
//
#include <string>
#include <utility>
#include <variant>

namespace tessera::impi {

struct Fault {
  std::string text;
};

template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : held_(std::move(value)) {}      // NOLINT: implicit by design
  Outcome(Fault fault) : held_(std::move(fault)) {}  // NOLINT

  bool ok() const noexcept { return held_.index() == 0; }
  T& value() & { return std::get<0>(held_); }
  const T& value() const& { return std::get<0>(held_); }
  T&& value() && { return std::get<0>(std::move(held_)); }
  const std::string& text() const { return std::get<1>(held_).text; }
  Fault fault() const { return std::get<1>(held_); }

 private:
  std::variant<T, Fault> held_;
};

struct Nothing {};
using Checked = Outcome<Nothing>;  // only whether it went well

}  // namespace tessera::impi
