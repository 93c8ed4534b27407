// SPDX-License-Identifier: BSD-3-Clause
// Small text helpers of the microkernel: splitting, escaping, nearest match, wrapping.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::text {

// Without leading and trailing blanks, tabs, carriage returns and newlines.
std::string_view trim(std::string_view text) noexcept;

// The parts between separators, untrimmed; one empty part for empty text. The parts point into
// `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);

// ASCII lower case.
std::string lower(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

// Backslash, tab, newline and carriage return become \\ \t \n \r, so that a field fits a
// tab-separated line; and back. unescape() leaves an unknown escape as it stands.
std::string escape(std::string_view text);
std::string unescape(std::string_view text);

// For texts that others may have written, names of files say: a byte that controls a terminal, or
// is no UTF-8, becomes \xNN; tabs and newlines stay.
std::string printable(std::string_view text);

// Bytes of the character of UTF-8 that the text begins with; 0: it is none that a terminal shows.
std::size_t shown_bytes(std::string_view text) noexcept;

// Damerau-Levenshtein distance (optimal string alignment), ignoring case: insertions, deletions,
// substitutions and exchanges of neighbours each count one. O(|a|·|b|) time.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word nearest to `word`, or empty when none is near enough to be a likely slip (distance
// at most a third of the length, and at least one). Ties go to the earlier one. The result points
// into `known`.
std::string_view nearest(std::string_view word, std::span<const std::string> known);

// " (did you mean 'x'?)", or empty when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// Breaks at blanks so that no line is wider than `width` columns where words permit; every line is
// indented by `indent` columns; printable(). UTF-8 sequences count one column. Ends without a
// newline.
std::string wrap(std::string_view words, std::size_t width, std::size_t indent);

}  // namespace tessera::text
