// SPDX-License-Identifier: BSD-3-Clause
// Compresses and prints the matrix of transports.
#include "core/transport/transport_matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::string_view shown(std::string_view name) noexcept {
  return name.empty() ? "-" : name;
}

}  // namespace

std::string ranges(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

TransportMatrix::TransportMatrix(std::uint32_t ranks, std::vector<std::string> names)
    : ranks_(ranks), names_(std::move(names)) {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    const auto home = std::find_if(classes_.begin(), classes_.end(),
                                   [&](const Group& one) { return joins(one, rank); });
    if (home == classes_.end()) {
      classes_.push_back({{rank}, ""});
    } else {
      home->within = at(rank, home->ranks.front());
      home->ranks.push_back(rank);
    }
  }
}

// The same ways to and from everybody else, and the same way to each other in both directions.
bool TransportMatrix::alike(std::uint32_t a, std::uint32_t b) const noexcept {
  if (at(a, b) != at(b, a) || at(a, a) != at(b, b)) return false;
  for (std::uint32_t other = 0; other < ranks_; ++other) {
    if (other == a || other == b) continue;
    if (at(a, other) != at(b, other) || at(other, a) != at(other, b)) return false;
  }
  return true;
}

bool TransportMatrix::joins(const Group& group, std::uint32_t rank) const noexcept {
  const std::uint32_t first = group.ranks.front();
  return alike(first, rank) && (group.ranks.size() == 1 || at(first, rank) == group.within);
}

std::string_view TransportMatrix::between(const Group& from, const Group& to) const noexcept {
  if (&from == &to) return from.ranks.size() == 1 ? at(from.ranks[0], from.ranks[0]) : from.within;
  return at(from.ranks.front(), to.ranks.front());
}

std::string TransportMatrix::use_of(std::string_view component) const {
  std::vector<std::string> uses;
  std::vector<std::uint32_t> alone;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (at(rank, rank) == component) alone.push_back(rank);
  }
  if (!alone.empty()) uses.push_back("each of " + ranges(alone) + " to itself");
  for (const Group& group : classes_) {
    if (group.ranks.size() > 1 && group.within == component)
      uses.push_back("among " + ranges(group.ranks));
  }
  for (const Group& from : classes_) {
    for (const Group& to : classes_) {
      if (&from != &to && between(from, to) == component)
        uses.push_back(fmt::format("from {} to {}", ranges(from.ranks), ranges(to.ranks)));
    }
  }
  return fmt::format("{}", fmt::join(uses, "; "));
}

std::string TransportMatrix::text() const {
  std::size_t width = 4;
  for (const Group& group : classes_) width = std::max(width, ranges(group.ranks).size());
  for (const std::string& name : names_) width = std::max(width, name.size());
  std::string text = fmt::format("  {:<{}}", "from\\to", width + 5);
  for (const Group& to : classes_) text += fmt::format(" {:<{}}", ranges(to.ranks), width);
  text += '\n';
  for (const Group& from : classes_) {
    text += fmt::format("  {:<{}}", ranges(from.ranks), width + 5);
    for (const Group& to : classes_)
      text += fmt::format(" {:<{}}", shown(between(from, to)), width);
    text += '\n';
  }
  return text;
}

}  // namespace tessera
