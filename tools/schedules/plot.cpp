// SPDX-License-Identifier: BSD-3-Clause
// Pictures of prices: curves and decision maps.
#include "tools/schedules/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/schedules/show.h"
#include "tools/schedules/svg.h"

namespace tessera::coll::schedules {

namespace {

constexpr double kLeft = 90, kTop = 50, kWidth = 620, kHeight = 380, kBottom = 60, kRight = 240;

std::string ranks_text(double ranks) {
  return fmt::format("{}", static_cast<std::int64_t>(std::lround(ranks)));
}

class Curves {
 public:
  explicit Curves(const Table& table)
      : table_(table),
        over_ranks_(table.ranks.size() > 1),
        svg_(kLeft + kWidth + kRight, kTop + kHeight + kBottom, heading()) {
    if ((table.ranks.size() > 1) == (table.bytes.size() > 1)) {
      throw BadInput(
          "curves need several --ranks and one amount of --bytes, or the other way round; `best` "
          "draws a map of both");
    }
    for (std::size_t i = 0; i < table_.algorithms.size(); ++i) {
      for (std::size_t k = 0; k < points(); ++k) {
        if (!price_at(i, k)) continue;
        low_ = std::min(low_, log_time(i, k));
        high_ = std::max(high_, log_time(i, k));
      }
    }
    if (low_ > high_) throw BadInput("none of the algorithms has a price here");
    low_ = std::floor(low_);
    high_ = std::max(std::ceil(high_), low_ + 1);
  }

  std::string finish() && {
    svg_.text(kLeft, 26, heading(), Svg::Anchor::start, 15);
    axes();
    for (std::size_t i = 0; i < table_.algorithms.size(); ++i) algorithm(i);
    return std::move(svg_).finish();
  }

 private:
  std::string heading() const {
    const std::string fixed = table_.ranks.size() > 1
                                  ? amount_text(static_cast<double>(table_.bytes.front()))
                                  : fmt::format("{} ranks", table_.ranks.front());
    return fmt::format("{}, {}, machine {}: predicted time", name(table_.operation), fixed,
                       table_.machine);
  }
  std::size_t points() const { return over_ranks_ ? table_.ranks.size() : table_.bytes.size(); }
  const std::optional<Price>& price_at(std::size_t algorithm, std::size_t point) const {
    return over_ranks_ ? table_.at(algorithm, 0, point) : table_.at(algorithm, point, 0);
  }
  double log_time(std::size_t algorithm, std::size_t point) const {
    return std::log10(std::max(price_at(algorithm, point)->nanoseconds, 1.0));
  }
  double value(std::size_t point) const {
    return over_ranks_ ? table_.ranks[point]
                       : static_cast<double>(std::max<Count>(table_.bytes[point], 1));
  }
  double x(double value_at) const {
    const double first = std::log2(value(0)), last = std::log2(value(points() - 1));
    return kLeft + kWidth * (std::log2(value_at) - first) / (last - first);
  }
  double y(double log) const { return kTop + kHeight * (high_ - log) / (high_ - low_); }

  void axes() {
    for (double log = low_; log <= high_; ++log) {
      svg_.line(kLeft, y(log), kLeft + kWidth, y(log), "#ddd");
      svg_.text(kLeft - 8, y(log) + 4, time_text(std::pow(10, log)), Svg::Anchor::end);
    }
    double free_from = 0;
    for (std::size_t i = 0; i < points(); ++i) {
      const double at = x(value(i));
      svg_.line(at, kTop, at, kTop + kHeight, "#eee");
      if (at < free_from && i + 1 < points()) continue;
      if (i + 1 < points() && x(value(points() - 1)) - at < 55 && i > 0) continue;
      svg_.text(at, kTop + kHeight + 18, over_ranks_ ? ranks_text(value(i)) : amount_text(value(i)),
                Svg::Anchor::middle, 11);
      free_from = at + 55;
    }
    svg_.text(kLeft + kWidth / 2, kTop + kHeight + 42, over_ranks_ ? "ranks" : "amount of data",
              Svg::Anchor::middle);
  }

  void algorithm(std::size_t i) {
    const char* const name_of = table_.algorithms[i]->name;
    std::vector<std::pair<double, double>> firm, guessed;
    for (std::size_t k = 0; k < points(); ++k) {
      const auto& price = price_at(i, k);
      if (!price) continue;
      const std::pair<double, double> at{x(value(k)), y(log_time(i, k))};
      const bool guess = price->way == Way::extrapolated;
      if (guess && guessed.empty() && !firm.empty()) guessed.push_back(firm.back());
      (guess ? guessed : firm).push_back(at);
      svg_.dot(at.first, at.second, colour(i),
               fmt::format("{}, {}: {}{}", name_of,
                           over_ranks_ ? ranks_text(value(k)) + " ranks" : amount_text(value(k)),
                           guess ? "~" : "", time_text(price->nanoseconds)));
    }
    svg_.curve(firm, colour(i), false, name_of);
    svg_.curve(guessed, colour(i), true, fmt::format("{}, extrapolated", name_of));
    const double at = kTop + 8 + 20 * static_cast<double>(i);
    svg_.line(kLeft + kWidth + 16, at, kLeft + kWidth + 40, at, colour(i), 3);
    svg_.text(kLeft + kWidth + 46, at + 4, name_of);
  }

  const Table& table_;
  bool over_ranks_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  Svg svg_;
};

std::string cell_text(const Table& table, std::size_t amount, std::size_t k, int best) {
  std::string text = fmt::format("{} ranks, {}: ", table.ranks[k],
                                 amount_text(static_cast<double>(table.bytes[amount])));
  if (best < 0) return text + "no price";
  std::vector<std::pair<double, std::string>> order;
  for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
    if (const auto& price = table.at(i, amount, k))
      order.emplace_back(price->nanoseconds, table.algorithms[i]->name);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min<std::size_t>(order.size(), 3));
  for (const auto& [time, which] : order) text += fmt::format("{} {}; ", which, time_text(time));
  text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string curves(const Table& table) {
  return Curves(table).finish();
}

std::string decision_map(const Table& table) {
  const std::string heading =
      fmt::format("{}, machine {}: the cheapest algorithm", name(table.operation), table.machine);
  const double wide = kWidth / static_cast<double>(table.ranks.size());
  const double high = kHeight / static_cast<double>(table.bytes.size());
  Svg svg(kLeft + kWidth + kRight, kTop + kHeight + kBottom, heading);
  svg.text(kLeft, 26, heading, Svg::Anchor::start, 15);
  std::vector<bool> used(table.algorithms.size(), false);
  for (std::size_t amount = 0; amount < table.bytes.size(); ++amount) {
    const double y = kTop + kHeight - high * static_cast<double>(amount + 1);
    svg.text(kLeft - 8, y + high / 2 + 4, amount_text(static_cast<double>(table.bytes[amount])),
             Svg::Anchor::end, 11);
    for (std::size_t k = 0; k < table.ranks.size(); ++k) {
      const int best = table.winner(amount, k);
      if (best >= 0) used[static_cast<std::size_t>(best)] = true;
      svg.box(kLeft + wide * static_cast<double>(k), y, wide - 1, high - 1,
              best < 0 ? "#eee" : colour(static_cast<std::size_t>(best)),
              cell_text(table, amount, k, best));
    }
  }
  const std::size_t every = 1 + table.ranks.size() / 11;
  for (std::size_t k = 0; k < table.ranks.size(); k += every) {
    svg.text(kLeft + wide * (static_cast<double>(k) + 0.5), kTop + kHeight + 18,
             ranks_text(table.ranks[k]), Svg::Anchor::middle, 11);
  }
  svg.text(kLeft + kWidth / 2, kTop + kHeight + 42, "ranks", Svg::Anchor::middle);
  double at = kTop + 4;
  for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
    if (!used[i]) continue;
    svg.box(kLeft + kWidth + 16, at, 14, 14, colour(i));
    svg.text(kLeft + kWidth + 36, at + 12, table.algorithms[i]->name);
    at += 22;
  }
  return std::move(svg).finish();
}

}  // namespace tessera::coll::schedules
