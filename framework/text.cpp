// SPDX-License-Identifier: BSD-3-Clause
// Small text helpers of the microkernel.
#include "framework/text.h"

#include <algorithm>

namespace tessera::text {
namespace {

constexpr std::string_view blanks = " \t\r\n";

char lower_char(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

char escaped_letter(char c) noexcept {
  switch (c) {
    case '\\':
      return '\\';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    default:
      return 0;
  }
}

char unescaped_char(char letter) noexcept {
  switch (letter) {
    case '\\':
      return '\\';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    default:
      return 0;
  }
}

std::string hexadecimal(unsigned byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

std::size_t columns(std::string_view word) noexcept {
  return static_cast<std::size_t>(
      std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::size_t shown_bytes(std::string_view text) noexcept {
  const auto at = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = at(0);
  if (first < 0x80) return first == '\n' || first == '\t' || (first >= 0x20 && first != 0x7F);
  const std::size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((at(i) & 0xC0) != 0x80) return 0;
  // Control characters, longer forms than needed, halves of surrogates, what lies above Unicode.
  const unsigned second = at(1);
  const bool wrong = (first == 0xC2 && second < 0xA0) || (first == 0xE0 && second < 0xA0) ||
                     (first == 0xED && second >= 0xA0) || (first == 0xF0 && second < 0x90) ||
                     (first == 0xF4 && second >= 0x90);
  return wrong ? 0 : bytes;
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Ranks split manifests while they start, and find() looks at many bytes at a time.
static std::size_t count_parts(std::string_view text, char separator) noexcept {
  std::size_t parts = 1;
  for (std::size_t at = 0; (at = text.find(separator, at)) != std::string_view::npos; ++at) ++parts;
  return parts;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  parts.reserve(count_parts(text, separator));
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string whole;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) whole += separator;
    whole += part;
  }
  return whole;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower_char);
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_char(x) == lower_char(y); });
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes == 0) result += hexadecimal(static_cast<unsigned char>(text.front()));
    result += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string escape(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    const char letter = escaped_letter(c);
    if (letter != 0) result += '\\';
    result += letter != 0 ? letter : c;
  }
  return result;
}

std::string unescape(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char meant = text[i] == '\\' && i + 1 < text.size() ? unescaped_char(text[i + 1]) : '\0';
    result += meant != 0 ? meant : text[i];
    if (meant != 0) ++i;
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the exchange of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower_char(a[i - 1]);
      const char y = lower_char(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x == y ? 0 : 1)});
      const bool exchanged =
          i > 1 && j > 1 && x == lower_char(b[j - 2]) && lower_char(a[i - 2]) == y;
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string> known) {
  std::string_view best;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t difference = candidate.size() > word.size() ? candidate.size() - word.size()
                                                                  : word.size() - candidate.size();
    if (difference >= limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= limit) continue;
    limit = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string_view match = nearest(word, known);
  return match.empty() ? std::string() : " (did you mean '" + std::string(match) + "'?)";
}

std::string wrap(std::string_view words, std::size_t width, std::size_t indent) {
  const std::string text = printable(words);
  const std::string margin(indent, ' ');
  std::string result;
  for (std::string_view paragraph : split(text, '\n')) {
    if (!result.empty()) result += '\n';
    std::size_t used = 0;
    for (std::string_view word : split(paragraph, ' ')) {
      if (word.empty()) continue;
      const bool breaks = used != 0 && used + 1 + columns(word) > width;
      if (used == 0 || breaks) {
        if (breaks) result += '\n';
        result += margin;
        used = indent + columns(word);
      } else {
        result += ' ';
        used += 1 + columns(word);
      }
      result += word;
    }
  }
  return result;
}

}  // namespace tessera::text
