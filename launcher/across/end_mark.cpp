// SPDX-License-Identifier: BSD-3-Clause
// Writes and finds end marks.
#include "launcher/across/end_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace tessera::launcher::across {
namespace {

constexpr char kFirst = '\x1e';
constexpr std::size_t kLongest = 100;  // of a whole mark

std::string begin_of(std::uint64_t job_id) {
  return fmt::format("{}tessera-end {:x} ", kFirst, job_id);
}

}  // namespace

std::string text_of(const EndMark& mark, std::uint64_t job_id) {
  return fmt::format("{}{} {}\n", begin_of(job_id), mark.status, mark.node);
}

MarkFilter::MarkFilter(std::uint64_t job_id) : begin_(begin_of(job_id)) {}

std::string MarkFilter::take(std::string_view bytes) {
  held_ += bytes;
  std::string passed;
  for (;;) {
    const std::size_t first = held_.find(kFirst);
    passed += held_.substr(0, first);
    if (first == std::string::npos) return held_.clear(), passed;
    held_.erase(0, first);
    const std::size_t common = std::min(held_.size(), begin_.size());
    const bool ours = held_.compare(0, common, begin_, 0, common) == 0;
    const std::size_t end = held_.find('\n');
    if (ours && end == std::string::npos && held_.size() < kLongest) return passed;
    EndMark mark;
    if (ours && end < kLongest &&
        std::sscanf(held_.c_str() + begin_.size(), "%d %u\n", &mark.status, &mark.node) == 2) {
      if (!mark_ || mark.node == 0) mark_ = mark;
      held_.erase(0, end + 1);
    } else {
      passed += kFirst;
      held_.erase(0, 1);
    }
  }
}

}  // namespace tessera::launcher::across
