// SPDX-License-Identifier: BSD-3-Clause
// Schedules as text.
#include "tools/schedules/show.h"

#include <fmt/format.h>

#include <cmath>

#include "tools/schedules/cases.h"

namespace tessera::coll::schedules {

namespace {

const char* name_of(Space space) {
  return space == Space::send ? "send" : space == Space::receive ? "receive" : "scratch";
}

// Where a buffer lies, in bytes.
std::string place_text(const Buffer& buffer) {
  if (buffer.bytes() == 0) return "nothing";
  return fmt::format("{}[{}..{})", name_of(buffer.space), buffer.offset,
                     buffer.offset + buffer.bytes());
}

std::string action(const Step& step) {
  switch (step.kind) {
    case StepKind::send:
      return fmt::format("send   to   {:<5} {}", step.peer, place_text(step.from));
    case StepKind::recv:
      return fmt::format("recv   from {:<5} {}", step.peer, place_text(step.to));
    case StepKind::reduce:
      return fmt::format("reduce            {} op {} into the latter", place_text(step.from),
                         place_text(step.to));
    case StepKind::copy:
      if (step.to.bytes() == 0) return "join";
      return fmt::format("copy              {} to {}", place_text(step.from), place_text(step.to));
  }
  return {};
}

// Per step, the ones before it.
std::vector<std::string> predecessors(const Schedule& schedule) {
  std::vector<std::string> list(schedule.steps().size());
  for (StepId id = 0; id < list.size(); ++id) {
    for (std::uint32_t i = schedule.steps()[id].first_edge; i != kNoEdge;
         i = schedule.edge(i).next) {
      const Edge& edge = schedule.edge(i);
      std::string& text = list[edge.step];
      text += fmt::format("{}{}{}", text.empty() ? "after " : ", ", edge.issue_only ? "~" : "", id);
    }
  }
  return list;
}

}  // namespace

std::string amount_text(double bytes) {
  static const char* const kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string time_text(double nanoseconds) {
  static const char* const kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; nanoseconds >= 999.5 && unit + 1 < std::size(kUnits); ++unit) nanoseconds /= 1000;
  const int decimals = nanoseconds >= 99.95 ? 0 : nanoseconds >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", nanoseconds, unit == 0 ? 0 : decimals, kUnits[unit]);
}

std::string title(const Algorithm& algorithm, const Problem& problem) {
  const Question& asked = problem.asked();
  std::string text = fmt::format("{} {}, {} rank{}", name(algorithm.operation), algorithm.name,
                                 asked.ranks, asked.ranks == 1 ? "" : "s");
  if (asked.operation != Operation::barrier)
    text += fmt::format(", {}", amount_text(static_cast<double>(asked.bytes)));
  if (rooted(asked.operation)) text += fmt::format(", root {}", asked.root);
  if (asked.in_place) text += ", in place";
  if (!asked.commutative && reduces(asked.operation)) text += ", ordered operation";
  return text;
}

std::string show(const Algorithm& algorithm, const Problem& problem, int rank) {
  Schedule schedule;
  emit(algorithm, problem, rank, schedule);
  const std::size_t steps = schedule.steps().size();
  std::string text = fmt::format("rank {}: {}{} step{}", rank, steps == 0 ? "no" : "",
                                 steps == 0 ? "" : fmt::format("{}", steps), steps == 1 ? "" : "s");
  if (schedule.scratch_bytes() > 0)
    text += fmt::format(", {} bytes of scratch memory", schedule.scratch_bytes());
  text += '\n';
  const std::vector<std::string> after = predecessors(schedule);
  for (StepId id = 0; id < after.size(); ++id) {
    const std::string line = action(schedule.steps()[id]);
    text += after[id].empty() ? fmt::format("{:>5}  {}\n", id, line)
                              : fmt::format("{:>5}  {:<52} {}\n", id, line, after[id]);
  }
  return text;
}

}  // namespace tessera::coll::schedules
