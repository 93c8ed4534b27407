// SPDX-License-Identifier: BSD-3-Clause
// Finding algorithms by name, and having them emit.
#include "tools/schedules/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tools/schedules/cases.h"

namespace tessera::coll::schedules {

namespace {

// Levenshtein's distance; a name that begins with the other is near.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t changed = corner + (a[i] == b[k] ? 0 : 1);
      corner = row[k + 1];
      row[k + 1] = std::min({changed, row[k] + 1, row[k + 1] + 1});
    }
  }
  return b.substr(0, a.size()) == a || a.substr(0, b.size()) == b
             ? std::min<std::size_t>(row.back(), 1)
             : row.back();
}

[[noreturn]] void unknown(std::string_view what, std::string_view name,
                          const std::vector<std::string>& names) {
  const std::vector<std::string> near = nearest(name, names);
  throw BadInput(
      fmt::format("there is no {} '{}'{} Known: {}", what, name,
                  near.empty() ? "." : fmt::format("; did you mean {}?", fmt::join(near, " or ")),
                  fmt::join(names, " ")));
}

}  // namespace

std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t apart = distance(wanted, name);
    if (2 * apart <= std::max(name.size(), wanted.size())) near.emplace_back(apart, name);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > 3) near.resize(3);
  std::vector<std::string> best;
  for (auto& [apart, name] : near) best.push_back(std::move(name));
  return best;
}

Operation operation_of(std::string_view wanted) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (wanted == kOperationNames[i]) return static_cast<Operation>(i);
    names.emplace_back(kOperationNames[i]);
  }
  unknown("collective operation", wanted, names);
}

std::vector<const Algorithm*> algorithms_of(Operation operation) {
  std::vector<const Algorithm*> list;
  for (const Algorithm* each : basic::algorithms()) {
    if (each->operation == operation) list.push_back(each);
  }
  std::sort(list.begin(), list.end(), [](const Algorithm* a, const Algorithm* b) {
    return std::string_view(a->name) < b->name;
  });
  return list;
}

const Algorithm& algorithm_of(Operation operation, std::string_view wanted) {
  std::vector<std::string> names;
  for (const Algorithm* each : algorithms_of(operation)) {
    if (wanted == each->name) return *each;
    names.emplace_back(each->name);
  }
  unknown(fmt::format("algorithm for {} named", name(operation)), wanted, names);
}

bool fits(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.fits(problem.call(0));
}

void require(const Algorithm& algorithm, const Problem& problem) {
  if (fits(algorithm, problem)) return;
  const Question& asked = problem.asked();
  std::string was = fmt::format("{} rank{}", asked.ranks, asked.ranks == 1 ? "" : "s");
  if (reduces(asked.operation))
    was += asked.commutative ? ", an operation that commutes" : ", one that does not commute";
  throw BadInput(fmt::format("{} {} needs {}; asked was {}", name(algorithm.operation),
                             algorithm.name, algorithm.needs.words, was));
}

void emit(const Algorithm& algorithm, const Problem& problem, int rank, Schedule& schedule) {
  schedule.clear();
  algorithm.emit(problem.call(rank), problem.asked().tuning, schedule);
  if (const Status status = schedule.status(); !status) throw BadInput(std::string(status.text()));
}

}  // namespace tessera::coll::schedules
