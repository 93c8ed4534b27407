// SPDX-License-Identifier: BSD-3-Clause
// A verdict as a picture (SVG): the ranks that cannot go on, on an ellipse in the order of their
// numbers, and an arrow to each rank that one waits for. Depends on nothing but the verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

#include "launcher/hang/verdict.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;

constexpr std::size_t kMostRanks = 40;  // more are no picture any more
constexpr std::size_t kMostLetters = 30;
constexpr double kHalfWidth = 110, kHalfHeight = 30, kMargin = 36, kTitle = 24;
constexpr const char* kRed = "#c0392b";
constexpr const char* kGrey = "#555";

struct Point {
  double x = 0, y = 0;
};

struct Box {
  Point middle;
  std::size_t knot = SIZE_MAX;  // index of the cause that the rank belongs to
};

using Boxes = std::map<std::uint32_t, Box>;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else  // names of a program may have any byte; XML has not
      out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
  }
  return out;
}

// The end of a place tells more than its folders do.
std::string shortened(const std::string& text) {
  if (text.size() <= kMostLetters) return text;
  return "..." + text.substr(text.size() - (kMostLetters - 3));
}

long whole(double value) {
  return std::lround(value);
}

// The causes come first, with the ranks that have ended; then what waits behind them, as far as
// there is room.
Boxes chosen(const Verdict& verdict, const WaitGraph& graph) {
  Boxes boxes;
  for (std::size_t knot = 0; knot < verdict.knots.size(); ++knot)
    for (const std::uint32_t rank : verdict.knots[knot].ranks)
      if (boxes.size() < kMostRanks) boxes[rank].knot = knot;
  std::vector<std::uint32_t> others;
  for (const auto& [rank, box] : boxes) {
    if (!graph.is_stuck(rank)) continue;
    const auto gone = graph.waits_for(rank);
    others.insert(others.end(), gone.begin(), gone.end());
  }
  others.insert(others.end(), verdict.behind.begin(), verdict.behind.end());
  for (const std::uint32_t rank : others)
    if (boxes.size() < kMostRanks) boxes.try_emplace(rank);
  return boxes;
}

// Clockwise from the top. Returns the size of the picture.
Point place(Boxes& boxes) {
  const auto count = static_cast<double>(boxes.size());
  const double across = std::max(190.0, count * 60), down = std::max(130.0, count * 36);
  const Point middle{kMargin + kHalfWidth + across, kTitle + kMargin + kHalfHeight + down};
  double number = 0;
  for (auto& [rank, box] : boxes) {
    const double angle = 2 * std::numbers::pi * number++ / count;
    box.middle = {middle.x + across * std::sin(angle), middle.y - down * std::cos(angle)};
  }
  return {2 * middle.x, middle.y + down + kHalfHeight + kMargin};
}

// Where the line from the middle of a box towards a point leaves the box.
Point border(Point middle, Point towards) {
  const double x = towards.x - middle.x, y = towards.y - middle.y;
  const double share = std::max(std::abs(x) / kHalfWidth, std::abs(y) / kHalfHeight);
  if (share <= 1) return middle;
  return {middle.x + x / share, middle.y + y / share};
}

std::string what_for(const ReportedWait& wait) {
  const std::string tag = wait.tag == kAnyTag ? "any tag" : fmt::format("tag {}", wait.tag);
  switch (wait.kind) {
    case Kind::receive:
    case Kind::probe:
      return "message, " + tag;
    case Kind::send:
      return "receive, " + tag;
    case Kind::partitions:
      return "partitions, " + tag;
    case Kind::marks:
      return "MPI_Pready, " + tag;
    case Kind::collective:
      return fmt::format("{} {}", wait.operation, wait.number);
    case Kind::exclusive_lock:
      return "exclusive lock";
    case Kind::shared_lock:
      return "shared lock";
    case Kind::post:
      return "MPI_Win_post";
    case Kind::completion:
      return "MPI_Win_complete";
    case Kind::arrival:
      return "the same call";
    case Kind::answer:
      return "answer";
    default:
      return "any call";
  }
}

// What `rank` waits for from `other`: the first, and how many more there are.
std::string label(const WaitGraph& graph, std::uint32_t rank, std::uint32_t other) {
  std::string text;
  std::size_t more = 0;
  for (const ReportedWait& wait : graph.rank(rank).waits) {
    const auto servers = graph.servers(rank, wait);
    if (!graph.is_hopeless(rank, wait)) continue;
    if (!std::binary_search(servers.begin(), servers.end(), other)) continue;
    if (text.empty())
      text = what_for(wait);
    else
      ++more;
  }
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

std::string text_at(double x, double y, std::string_view text, int size, std::string_view colour) {
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\" fill=\"{}\" stroke=\"#fff\" "
      "stroke-width=\"3\" paint-order=\"stroke\">{}</text>\n",
      whole(x), whole(y), size, colour, escaped(text));
}

// Arrows are bent to their left, so that two that face each other lie apart.
std::string arrow(const Box& from, const Box& to, bool any, bool red, const std::string& label) {
  const char* const colour = red ? kRed : kGrey;
  const Point a = from.middle, b = to.middle;
  const double x = b.x - a.x, y = b.y - a.y, length = std::max(1.0, std::hypot(x, y));
  const double bend = std::min(70.0, length * 0.22);
  const Point bow{(a.x + b.x) / 2 + bend * y / length, (a.y + b.y) / 2 - bend * x / length};
  const Point start = border(a, bow), end = border(b, bow);
  return fmt::format(
             "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} "
             "marker-end=\"url(#{})\"/>\n",
             whole(start.x), whole(start.y), whole(bow.x), whole(bow.y), whole(end.x), whole(end.y),
             colour, red ? 2 : 1, any ? " stroke-dasharray=\"6 4\"" : "", red ? "red" : "grey") +
         text_at((start.x + 2 * bow.x + end.x) / 4, (start.y + 2 * bow.y + end.y) / 4 - 4, label,
                 11, colour);
}

std::string loop(const Box& box, const std::string& label) {
  const long x = whole(box.middle.x + kHalfWidth - 40), y = whole(box.middle.y - kHalfHeight);
  return fmt::format(
             "<path d=\"M{} {}c0 -34 34 -34 34 0\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
             "marker-end=\"url(#red)\"/>\n",
             x, y, kRed) +
         text_at(static_cast<double>(x) + 17, static_cast<double>(y) - 30, label, 11, kRed);
}

std::string arrows(const WaitGraph& graph, const Boxes& boxes) {
  std::string text;
  for (const auto& [rank, box] : boxes) {
    if (!graph.is_stuck(rank)) continue;
    for (const std::uint32_t other : graph.waits_for(rank)) {
      const auto to = boxes.find(other);
      if (to == boxes.end()) continue;
      const bool red = box.knot != SIZE_MAX && (box.knot == to->second.knot ||
                                                graph.rank(other).state == RankWait::State::gone);
      const std::string why = label(graph, rank, other);
      text +=
          rank == other ? loop(box, why) : arrow(box, to->second, graph.rank(rank).any, red, why);
    }
  }
  return text;
}

std::string rank_box(const WaitGraph& graph, std::uint32_t number, const Box& box) {
  const RankWait& rank = graph.rank(number);
  const bool gone = rank.state == RankWait::State::gone, cause = box.knot != SIZE_MAX;
  const auto [x, y] = box.middle;
  std::string text = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" stroke=\"{}\"{}/>\n",
      whole(x - kHalfWidth), whole(y - kHalfHeight), whole(2 * kHalfWidth), whole(2 * kHalfHeight),
      cause ? "#fbe3e0" : "#f4f4f4", cause ? kRed : kGrey, gone ? " stroke-dasharray=\"3 3\"" : "");
  text += text_at(x, y - 11, fmt::format("rank {}", number), 13, "#000");
  text += text_at(x, y + 5, shortened(rank.in_short()), 12, "#000");
  if (!rank.places.empty()) text += text_at(x, y + 20, shortened(rank.places[0]), 11, kGrey);
  return text;
}

std::string head(Point size) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\">\n<title>Who waits for whom</title>\n<defs>\n",
      whole(size.x), whole(size.y));
  for (const auto& [name, colour] : {std::pair{"red", kRed}, std::pair{"grey", kGrey}})
    text += fmt::format(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
        "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0 8 4 0 "
        "8z\" fill=\"{}\"/></marker>\n",
        name, colour);
  return text + fmt::format("</defs>\n<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n",
                            whole(size.x), whole(size.y));
}

std::size_t ranks_of(const Verdict& verdict) {
  std::size_t count = verdict.behind.size();
  for (const Knot& knot : verdict.knots) count += knot.ranks.size();
  return count;
}

}  // namespace

std::string as_svg(const Verdict& verdict, const WaitGraph& graph) {
  Boxes boxes = chosen(verdict, graph);
  const Point size = place(boxes);
  std::string text = head(size);
  text += text_at(size.x / 2, kTitle, "Who waits for whom; in red what can never end", 14, "#000");
  text += arrows(graph, boxes);
  for (const auto& [rank, box] : boxes) text += rank_box(graph, rank, box);
  const auto shown = static_cast<std::size_t>(std::count_if(
      boxes.begin(), boxes.end(), [&](const auto& entry) { return graph.is_stuck(entry.first); }));
  const std::size_t left = ranks_of(verdict) - std::min(shown, ranks_of(verdict));
  if (left > 0)
    text += text_at(size.x / 2, size.y - 14,
                    fmt::format("{} further ranks cannot go on either", left), 12, kGrey);
  return text + "</svg>\n";
}

}  // namespace tessera::launcher
