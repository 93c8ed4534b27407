// SPDX-License-Identifier: BSD-3-Clause
// Writing pictures.
#include "tools/schedules/svg.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// One decimal is a tenth of a pixel.
std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) {
  const std::string w = number(width), h = number(height);
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\">\n<title>{2}</title>\n"
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" "
      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" "
      "fill=\"#444\"/></marker></defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      w, h, escaped(title));
}

void Svg::close(const char* tag, std::string_view hover) {
  out_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escaped(hover), tag);
}

void Svg::text(double x, double y, std::string_view content, Anchor anchor, int size,
               bool upright) {
  static const char* const kAnchors[] = {"start", "middle", "end"};
  out_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", number(x),
      number(y), size, kAnchors[static_cast<int>(anchor)],
      upright ? "" : fmt::format(" transform=\"rotate(-90 {} {})\"", number(x), number(y)),
      escaped(content));
}

void Svg::line(double x1, double y1, double x2, double y2, const char* stroke, double width) {
  out_ += fmt::format("<path d=\"M{} {} {} {}\" stroke=\"{}\" stroke-width=\"{}\"/>\n", number(x1),
                      number(y1), number(x2), number(y2), stroke, number(width));
}

void Svg::box(double x, double y, double width, double height, const char* fill,
              std::string_view hover) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", number(x),
                      number(y), number(width), number(height), fill);
  close("rect", hover);
}

void Svg::arrow(double x1, double y1, double x2, double y2, const char* stroke,
                std::string_view hover) {
  out_ += fmt::format("<path d=\"M{} {} {} {}\" stroke=\"{}\" marker-end=\"url(#tip)\"", number(x1),
                      number(y1), number(x2), number(y2), stroke);
  close("path", hover);
}

void Svg::curve(const std::vector<std::pair<double, double>>& points, const char* stroke,
                bool dashed, std::string_view hover) {
  if (points.size() < 2) return;
  out_ += "<path d=\"M";
  for (const auto& [x, y] : points) out_ += fmt::format("{} {} ", number(x), number(y));
  out_.back() = '"';
  out_ += fmt::format(" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}", stroke,
                      dashed ? " stroke-dasharray=\"5 4\"" : "");
  close("path", hover);
}

void Svg::dot(double x, double y, const char* fill, std::string_view hover) {
  out_ +=
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"", number(x), number(y), fill);
  close("circle", hover);
}

std::string Svg::finish() && {
  return std::move(out_) + "</svg>\n";
}

void write_file(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.flush();
  if (!out) throw BadInput(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

}  // namespace tessera::coll::schedules
