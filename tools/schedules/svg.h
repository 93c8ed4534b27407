// SPDX-License-Identifier: BSD-3-Clause
// Writing pictures: Svg.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::coll::schedules {

// Colours that are told apart by people who see few of them. Source: Okabe, Ito, "Color universal
// design", 2002; two more for long lists.
inline constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                           "#56b4e9", "#555555", "#b8a800", "#8a5a2b", "#6a3d9a"};
inline const char* colour(std::size_t i) noexcept {
  return kColours[i % std::size(kColours)];
}

// One picture on white ground; lengths in pixels. Text is escaped.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  enum class Anchor { start, middle, end };
  void text(double x, double y, std::string_view content, Anchor anchor = Anchor::start,
            int size = 12, bool upright = true);
  void line(double x1, double y1, double x2, double y2, const char* stroke, double width = 1);
  // `hover` is shown under the pointer.
  void box(double x, double y, double width, double height, const char* fill,
           std::string_view hover = {});
  void arrow(double x1, double y1, double x2, double y2, const char* stroke,
             std::string_view hover);
  void curve(const std::vector<std::pair<double, double>>& points, const char* stroke, bool dashed,
             std::string_view hover);
  void dot(double x, double y, const char* fill, std::string_view hover);

  std::string finish() &&;

 private:
  void close(const char* tag, std::string_view hover);
  std::string out_;
};

// Throws BadInput if the file cannot be written.
void write_file(const std::string& file, const std::string& content);

}  // namespace tessera::coll::schedules
