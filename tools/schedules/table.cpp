// SPDX-License-Identifier: BSD-3-Clause
// Tables of prices, as text and JSON.
#include <fmt/format.h>

#include <algorithm>

#include "framework/json.h"
#include "tools/schedules/plot.h"
#include "tools/schedules/show.h"

namespace tessera::coll::schedules {

namespace {

const char* name_of(Way way) {
  return way == Way::simulated ? "simulated" : way == Way::symmetric ? "symmetric" : "extrapolated";
}

std::string cell(const std::optional<Price>& price) {
  if (!price) return "-";
  return (price->way == Way::extrapolated ? "~" : "") + time_text(price->nanoseconds);
}

std::string heading(const Table& table) {
  return fmt::format("{} on {}", name(table.operation), table.machine);
}

// Columns are as wide as their widest cell.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

}  // namespace

int Table::winner(std::size_t amount, std::size_t rank) const {
  int best = -1;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const auto& mine = at(i, amount, rank);
    if (!mine) continue;
    if (best < 0 ||
        mine->nanoseconds < at(static_cast<std::size_t>(best), amount, rank)->nanoseconds)
      best = static_cast<int>(i);
  }
  return best;
}

Table price_all(const std::vector<const Algorithm*>& algorithms, const Question& like,
                const std::vector<int>& ranks, const std::vector<Count>& bytes, Pricer& pricer) {
  Table table{like.operation, pricer.machine().name, algorithms, ranks, bytes, {}};
  for (const Algorithm* algorithm : algorithms) {
    for (const Count amount : bytes) {
      for (const int size : ranks) {
        Question question = like;
        question.ranks = size;
        question.bytes = amount;
        question.root = std::min(question.root, size - 1);
        table.prices.push_back(pricer.price(*algorithm, question));
      }
    }
  }
  return table;
}

std::string prices_text(const Table& table) {
  std::string text;
  bool estimated = false;
  for (std::size_t amount = 0; amount < table.bytes.size(); ++amount) {
    std::vector<std::vector<std::string>> rows = {{"ranks"}};
    for (const Algorithm* each : table.algorithms) rows[0].emplace_back(each->name);
    rows[0].emplace_back("best");
    for (std::size_t k = 0; k < table.ranks.size(); ++k) {
      std::vector<std::string>& row = rows.emplace_back();
      row.push_back(fmt::format("{}", table.ranks[k]));
      for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
        row.push_back(cell(table.at(i, amount, k)));
        estimated = estimated || row.back()[0] == '~';
      }
      const int best = table.winner(amount, k);
      row.emplace_back(best < 0 ? "-" : table.algorithms[static_cast<std::size_t>(best)]->name);
    }
    text += fmt::format("{}, {}\n{}", heading(table),
                        amount_text(static_cast<double>(table.bytes[amount])), aligned(rows));
  }
  if (estimated) text += "~ extrapolated from fewer ranks\n";
  return text;
}

std::string winners_text(const Table& table) {
  std::vector<std::vector<std::string>> rows = {{"bytes"}};
  for (const int ranks : table.ranks) rows[0].push_back(fmt::format("{}", ranks));
  for (std::size_t amount = 0; amount < table.bytes.size(); ++amount) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(fmt::format("{}", table.bytes[amount]));
    for (std::size_t k = 0; k < table.ranks.size(); ++k) {
      const int best = table.winner(amount, k);
      row.emplace_back(best < 0 ? "-" : table.algorithms[static_cast<std::size_t>(best)]->name);
    }
  }
  return fmt::format("{}: the cheapest algorithm by bytes (down) and ranks (across)\n{}",
                     heading(table), aligned(rows));
}

Json prices_json(const Table& table) {
  Json list = Json::array();
  for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
    for (std::size_t amount = 0; amount < table.bytes.size(); ++amount) {
      for (std::size_t k = 0; k < table.ranks.size(); ++k) {
        const auto& found = table.at(i, amount, k);
        Json entry = Json::object({{"algorithm", table.algorithms[i]->name},
                                   {"bytes", table.bytes[amount]},
                                   {"ranks", table.ranks[k]},
                                   {"seconds", found ? Json(found->nanoseconds * 1e-9) : Json()}});
        if (found) entry.set("way", name_of(found->way)).set("from_ranks", found->from_ranks);
        list.add(std::move(entry));
      }
    }
  }
  return Json::object(
      {{"operation", name(table.operation)}, {"machine", table.machine}, {"prices", list}});
}

}  // namespace tessera::coll::schedules
