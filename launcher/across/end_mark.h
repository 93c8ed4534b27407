// SPDX-License-Identifier: BSD-3-Clause
// What a carrier tells mpiexec through an engine that does not notice how the job ends: a line
// among the standard error of the job.
#pragma once
//
// Contract. srun and Open MPI's mpirun go on waiting for a host that has died, and prterun may end
// with 0 when one has. A carrier that gives up writes a mark, and mpiexec ends the engine soon; the
// first carrier writes one with status 0 when the job has ended well. mpiexec takes marks out of
// what it passes on. The number of the job is part of them, so that no program writes one by
// chance. Pure functions.
//
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::launcher::across {

struct EndMark {
  int status = 0;          // of the job, as far as this carrier knows
  std::uint32_t node = 0;  // of the carrier; the first one knows best
};

std::string text_of(const EndMark& mark, std::uint64_t job_id);

class MarkFilter {
 public:
  explicit MarkFilter(std::uint64_t job_id);

  // What remains to be passed on of all bytes so far; the beginning of a mark is held back.
  std::string take(std::string_view bytes);
  // What was held back, at the end.
  std::string rest() { return std::exchange(held_, {}); }
  // Of the first node, or else the first that came.
  const std::optional<EndMark>& mark() const noexcept { return mark_; }

 private:
  std::string begin_;
  std::string held_;
  std::optional<EndMark> mark_;
};

}  // namespace tessera::launcher::across
