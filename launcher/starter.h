// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a job and connects their streams: Starter.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/job/segment.h"
#include "launcher/job_order.h"
#include "launcher/output_files.h"
#include "launcher/output_mux.h"
#include "launcher/placement/cpu_mask.h"
#include "tessera/status.h"

namespace tessera::launcher {

// Where the output of all ranks goes; both may be the same, and null when a single rank writes for
// itself.
struct Outputs {
  OutputMux* out = nullptr;
  OutputMux* err = nullptr;
};

class Starter {
 public:
  // All of it outlives this object. Raises the limit of open files of this process as far as it
  // may.
  // `number`: of the job, for tags; `parents`: the port of those that ordered it, or empty.
  Starter(JobOrder& order, JobSegment& segment, Outputs outputs, std::uint32_t number = 1,
          std::string parents = {});
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;
  ~Starter();

  // Starts one rank of program `app`. Failures as of spawn(), with a text that names the rank.
  Result<pid_t> start(std::uint32_t rank, std::uint32_t app);

  // Whether the only rank gets the streams of mpiexec themselves.
  static bool is_direct(const JobOrder& order) noexcept;

 private:
  Status connect(std::uint32_t rank, int (&streams)[3]);
  Status connect_outputs(std::uint32_t rank, int (&streams)[3]);
  Result<int> open_stream(std::uint32_t rank, OutputMux& output, OutputFiles::Stream stream);
  CpuMask cpus_of(std::uint32_t rank) const;
  std::string tag(std::uint32_t rank, OutputFiles::Stream stream) const;

  std::uint64_t source_of(std::uint32_t rank) const noexcept {
    return std::uint64_t{number_} << 32 | rank;
  }

  JobOrder* order_;
  JobSegment* segment_;
  std::uint32_t number_;
  std::string parents_;
  Outputs outputs_;
  int inherited_;  // the memory object under a number that scripts do not use
  int nothing_;    // ends at once when it is read
  OutputFiles files_of_ranks_;
  rlimit files_{};
};

}  // namespace tessera::launcher
