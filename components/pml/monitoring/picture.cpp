// SPDX-License-Identifier: BSD-3-Clause
// The traffic as a picture: one square per pair of processes, the darker the more bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "table.h"

namespace tessera::pml::monitoring {

namespace {

constexpr int kMargin = 64;
constexpr int kPicture = 640;  // the side of the square of all squares, at least

std::string amount(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto number = static_cast<double>(bytes);
  while (number >= 1024 && unit + 1 < units.size()) number /= 1024, ++unit;
  std::ostringstream text;
  text.precision(number < 10 && unit > 0 ? 2 : 4);
  text << number << ' ' << units[unit];
  return text.str();
}

std::uint64_t most_bytes(const Traffic& traffic) {
  std::uint64_t most = 0;
  for (std::uint32_t from = 0; from < traffic.size(); ++from) {
    for (std::uint32_t to = 0; to < traffic.size(); ++to)
      most = std::max(most, traffic.at(from, to).bytes());
  }
  return most;
}

// From nearly white to dark blue, by the logarithm of the bytes.
std::string colour(std::uint64_t bytes, std::uint64_t most) {
  const double share = most == 0 ? 0
                                 : std::log2(1.0 + static_cast<double>(bytes)) /
                                       std::log2(1.0 + static_cast<double>(most));
  const auto mix = [&](int light, int dark) {
    return static_cast<int>(std::lround(light + (dark - light) * share));
  };
  std::ostringstream text;
  text << "rgb(" << mix(238, 8) << ',' << mix(243, 48) << ',' << mix(250, 107) << ')';
  return text.str();
}

struct Drawing {
  const Traffic& traffic;
  int cell;
  std::ostringstream out;

  int place(std::uint32_t rank) const { return kMargin + static_cast<int>(rank) * cell; }

  void square(std::uint32_t from, std::uint32_t to, std::uint64_t most) {
    const traffic::Pair& pair = traffic.at(from, to);
    if (pair.messages() == 0) return;
    out << "<rect x=\"" << place(to) << "\" y=\"" << place(from) << "\" width=\"" << cell
        << "\" height=\"" << cell << "\" fill=\"" << colour(pair.bytes(), most) << "\"><title>"
        << from << " to " << to << ": " << pair.messages() << " messages, " << amount(pair.bytes())
        << "</title></rect>\n";
  }

  // A number at every rank, or at every so many where they would touch.
  void numbers() {
    const std::uint32_t every = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(24 / cell));
    for (std::uint32_t rank = 0; rank < traffic.size(); rank += every) {
      const int middle = place(rank) + cell / 2;
      out << "<text x=\"" << middle << "\" y=\"" << kMargin - 8 << "\" text-anchor=\"middle\">"
          << rank << "</text>\n<text x=\"" << kMargin - 8 << "\" y=\"" << middle + 4
          << "\" text-anchor=\"end\">" << rank << "</text>\n";
    }
  }
};

}  // namespace

std::string picture(const Traffic& traffic) {
  Drawing drawing{traffic, std::max(4, kPicture / static_cast<int>(traffic.size())), {}};
  const int side = drawing.cell * static_cast<int>(traffic.size());
  const std::uint64_t most = most_bytes(traffic);
  drawing.out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << side + 2 * kMargin
              << "\" height=\"" << side + 2 * kMargin
              << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
              << "<title>Bytes sent from each rank (rows) to each rank (columns)</title>\n"
              << "<text x=\"" << kMargin
              << "\" y=\"24\" font-size=\"16\">Bytes sent, from row to column; darkest: "
              << amount(most) << "</text>\n"
              << "<rect x=\"" << kMargin << "\" y=\"" << kMargin << "\" width=\"" << side
              << "\" height=\"" << side << "\" fill=\"white\" stroke=\"#888\"/>\n";
  for (std::uint32_t from = 0; from < traffic.size(); ++from) {
    for (std::uint32_t to = 0; to < traffic.size(); ++to) drawing.square(from, to, most);
  }
  drawing.numbers();
  drawing.out << "</svg>\n";
  return drawing.out.str();
}

}  // namespace tessera::pml::monitoring
