// SPDX-License-Identifier: BSD-3-Clause
// The cost model of collective access.
#include "core/io/collective.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tessera::io {
namespace {

constexpr double kRequest = 1500;   // of a system call with its work per file page
constexpr double kCopied = 25;      // of a piece that needs no system call
constexpr double kCopy = 0.25;      // of a byte
constexpr double kMeeting = 15000;  // of a step in which processes wait for each other
// Domains of which less than one byte of so many is wanted are not worth a common buffer; this also
// bounds the number of rounds.
constexpr Offset kSparsest = 16;
constexpr int kMostAggregators = 4;  // per machine, by default

bool meet(std::span<const Part> parts) {
  std::vector<std::pair<Offset, Offset>> hulls;
  for (const Part& part : parts)
    if (part.bytes > 0) hulls.emplace_back(part.first, part.end);
  std::sort(hulls.begin(), hulls.end());
  Offset end = 0;
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (i > 0 && hulls[i].first < end) return true;
    end = std::max(end, hulls[i].second);
  }
  return false;
}

double cost_alone(std::span<const Part> parts, bool writing) noexcept {
  double sum = 0, most = 0;
  for (const Part& part : parts) {
    const auto pieces = static_cast<double>(part.pieces);
    const double hull = static_cast<double>(part.end - part.first) * kCopy;
    if (part.copied) {
      most = std::max(most, pieces * kCopied);
    } else if (writing) {
      sum += pieces * kRequest;
    } else {
      most = std::max(most, std::min(pieces * kRequest, hull));
    }
  }
  return sum + most;
}

double cost_together(std::size_t n, Offset bytes, Offset hull, Offset buffer,
                     int aggregators) noexcept {
  const double rounds = 1 + static_cast<double>(hull / (buffer * aggregators));
  return kMeeting * static_cast<double>(std::bit_width(n)) * rounds +
         static_cast<double>(bytes) * 2 * kCopy / aggregators;
}

}  // namespace

Cooperation decide(std::span<const Part> parts, const Circumstances& circumstances) noexcept {
  Cooperation answer;
  Offset bytes = 0;
  for (const Part& part : parts) {
    if (!part.fit) return answer.why = "a view goes back in the file", answer;
    if (part.bytes == 0) continue;
    answer.first = bytes == 0 ? part.first : std::min(answer.first, part.first);
    answer.end = std::max(answer.end, part.end);
    answer.copied = part.copied && (bytes == 0 || answer.copied);
    bytes += part.bytes;
  }
  answer.why = bytes == 0 ? "there is nothing to transfer" : "a hint says so";
  if (bytes == 0 || circumstances.choice == Choice::never) return answer;
  const int n = static_cast<int>(parts.size());
  const int wanted = circumstances.hints.aggregators != 0
                         ? circumstances.hints.aggregators
                         : std::min(kMostAggregators, circumstances.processors);
  answer.aggregators = std::clamp(wanted, 1, n);
  const Offset hull = answer.end - answer.first;
  answer.why = "too few of the bytes in between are wanted";
  if (hull / kSparsest > bytes) return answer;
  answer.why = "a hint says so";
  answer.together = circumstances.choice == Choice::always;
  if (answer.together) return answer;
  answer.why = "no parts of the file interleave";
  if (!meet(parts)) return answer;
  answer.why = "by cost";
  answer.cost_together = cost_together(parts.size(), bytes, hull,
                                       circumstances.hints.collective_buffer, answer.aggregators);
  answer.cost_alone = cost_alone(parts, circumstances.writing);
  answer.together = answer.cost_together < answer.cost_alone;
  return answer;
}

}  // namespace tessera::io
