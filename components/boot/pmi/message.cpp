// SPDX-License-Identifier: BSD-3-Clause
// Writes and parses messages of PMI-2.
#include "message.h"

#include <cstdio>

#include "number.h"

namespace tessera::boot::pmi {
namespace {

constexpr std::size_t kLengthDigits = 6;

std::string_view without_blanks(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// What comes before the next single ';', which is taken, too.
std::string take_field(std::string_view& rest) {
  std::string field;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == ';') {
      if (!rest.starts_with(';')) break;
      rest.remove_prefix(1);
    }
    field += c;
  }
  return field;
}

}  // namespace

Message& Message::add(std::string_view key, std::string_view value) {
  (body_ += key) += '=';
  for (const char c : value) body_.append(c == ';' ? 2 : 1, c);
  body_ += ';';
  return *this;
}

std::string Message::text() const {
  char length[kLengthDigits + 16];
  std::snprintf(length, sizeof length, "%6zu", body_.size());
  return length + body_;
}

Result<Answer> Answer::receive(Wire& wire) noexcept {
  auto head = wire.read(kLengthDigits);
  if (!head.ok()) return head.status();
  std::uint32_t length = 0;
  if (!parse_number(without_blanks(*head), length) || length == 0)
    return Status::failure(Errc::refused,
                           "the process manager sends no messages of PMI-2, but '" + *head + "'");
  auto body = wire.read(length);
  if (!body.ok()) return body.status();
  return Answer(std::move(*body));
}

Answer::Answer(std::string body) : body_(std::move(body)) {
  for (std::string_view rest = body_; !rest.empty();) {
    const std::string field = take_field(rest);
    const std::size_t equals = field.find('=');
    if (equals != std::string::npos)
      values_.try_emplace(field.substr(0, equals), field.substr(equals + 1));
  }
}

std::optional<std::string_view> Answer::value(std::string_view key) const noexcept {
  const auto at = values_.find(key);
  if (at == values_.end()) return std::nullopt;
  return at->second;
}

std::optional<std::int64_t> Answer::number(std::string_view key) const noexcept {
  const auto text = value(key);
  std::int64_t number = 0;
  if (!text || !parse_number(*text, number)) return std::nullopt;
  return number;
}

std::string Answer::complaint() const {
  const auto said = value("errmsg");
  return "'" + std::string(said.value_or(body_)).substr(0, 200) + "'";
}

}  // namespace tessera::boot::pmi
