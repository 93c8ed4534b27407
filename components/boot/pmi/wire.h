// SPDX-License-Identifier: BSD-3-Clause
// The socket to a process manager: lines of PMI-1, and bytes for other dialects.
#pragma once
//
// Contract. A line is `cmd=NAME key=value ...\n` in both directions; values contain no blank, but
// for the last key of an answer. One request is under way at a time. An answer that does not come,
// or is no line of this protocol, is a failure; nothing is retried.
//
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera::boot::pmi {

// One line, parsed on demand.
class Line {
 public:
  explicit Line(std::string text) : text_(std::move(text)) {}
  std::string_view command() const noexcept { return value("cmd").value_or(""); }
  // none: no such key. The value ends at the next blank; that of `value` at the end of the line.
  std::optional<std::string_view> value(std::string_view key) const noexcept;
  std::optional<std::int64_t> number(std::string_view key) const noexcept;
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

class Wire {
 public:
  // The longest line that every server takes.
  static constexpr std::size_t kLineBytes = 1000;

  explicit Wire(int descriptor) noexcept : descriptor_(descriptor) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  Status send(std::string_view request) noexcept;  // without its newline
  Result<Line> receive() noexcept;
  Status write(std::string_view bytes) noexcept;
  Result<std::string> read(std::size_t count) noexcept;  // exactly as many bytes
  // The answer to `request`, which must be the command `expected`.
  Result<Line> ask(std::string_view request, std::string_view expected) noexcept;

 private:
  Status receive_more() noexcept;

  int descriptor_;
  std::string pending_;
};

}  // namespace tessera::boot::pmi
