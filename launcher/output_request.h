// SPDX-License-Identifier: BSD-3-Clause
// What the user asked about the output of ranks: OutputRequest.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::launcher {

// How lines of output are marked.
enum class Tags : std::uint8_t {
  none,
  job_rank_stream,  // "[1,0]<stdout>:text"
  rank,             // "[0] text"
  pattern           // OutputRequest::pattern
};

struct OutputRequest {
  Tags tags = Tags::none;
  std::string pattern;
  bool timestamps = false;
  bool merge_streams = false;  // standard error into standard output
  // Files that get the bytes of ranks as they are. Patterns: see expand_pattern().
  std::string directory;  // DIRECTORY/1/rank.N/stdout and stderr
  std::string file;       // both streams in FILE.N
  std::string out_pattern;
  std::string err_pattern;
  bool keep_on_terminal = true;  // of `directory` and `file`; what has a pattern goes there alone

  bool to_files() const noexcept {
    return !directory.empty() || !file.empty() || !out_pattern.empty() || !err_pattern.empty();
  }
  // Whether each line needs a look.
  bool marks_lines() const noexcept { return tags != Tags::none || timestamps; }
};

}  // namespace tessera::launcher
