// SPDX-License-Identifier: BSD-3-Clause
// The files that the output of ranks goes to: OutputFiles.
#pragma once
//
// Contract. Folders are made as they are needed. A file is emptied when this job first opens it; of
// several ranks with one file each appends.
//
#include <cstdint>
#include <set>
#include <string>

#include "launcher/output_request.h"
#include "tessera/status.h"

namespace tessera::launcher {

// %r: rank, %h: host, %g and %p: 0 (of Hydra's process groups and proxies there is one each), %%: a
// percent sign; anything else stays.
std::string expand_pattern(const std::string& pattern, std::uint32_t rank);

class OutputFiles {
 public:
  enum class Stream : std::uint8_t { out, err };

  // `job`: its number, `ranks`: of it. The request outlives this object.
  OutputFiles(const OutputRequest& request, std::uint32_t job, std::uint32_t ranks)
      : request_(&request), job_(job), ranks_(ranks) {}

  // A descriptor that gets what the rank writes, beside the terminal, or instead of it; -1: none.
  // The caller closes it.
  Result<int> copy_of(std::uint32_t rank, Stream stream);
  Result<int> instead_of(std::uint32_t rank, Stream stream);

 private:
  std::string path_of(std::uint32_t rank, Stream stream) const;
  bool path_is_pattern() const noexcept;
  Result<int> open_file(const std::string& path);

  const OutputRequest* request_;
  std::uint32_t job_;
  std::uint32_t ranks_;
  std::set<std::string> opened_;
};

// "stdout", "stderr"
const char* name_of(OutputFiles::Stream stream) noexcept;

}  // namespace tessera::launcher
