// SPDX-License-Identifier: BSD-3-Clause
// Messages of PMI-2: a length, then `cmd=NAME;key=value;...`.
#pragma once
//
// Contract. The length has six characters, digits with blanks on either side. In a value ';' is
// written twice; process managers have been seen not to read it so, and to drop what follows: what
// must arrive has none.
//
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/status.h"
#include "wire.h"

namespace tessera::boot::pmi {

class Message {
 public:
  explicit Message(std::string_view command) { add("cmd", command); }
  Message& add(std::string_view key, std::string_view value);
  std::string text() const;  // with its length in front

 private:
  std::string body_;
};

// One that has come.
class Answer {
 public:
  // The next message; refused: what comes is none.
  static Result<Answer> receive(Wire& wire) noexcept;

  explicit Answer(std::string body);
  std::optional<std::string_view> value(std::string_view key) const noexcept;
  std::optional<std::int64_t> number(std::string_view key) const noexcept;
  bool succeeded() const noexcept { return number("rc").value_or(0) == 0; }
  // For people: what it says of an error, else the whole message.
  std::string complaint() const;
  const std::string& body() const noexcept { return body_; }

 private:
  std::string body_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace tessera::boot::pmi
