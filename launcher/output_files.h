// SPDX-License-Identifier: BSD-3-Clause
// The files that the output of ranks goes to: OutputFiles, OutputFile.
#pragma once
//
// Contract. Folders are made as they are needed. A file is emptied when this job first opens it; of
// several ranks with one file each appends. mpiexec writes the files itself, since few programs
// look at what their own writing returns: on a full disk nobody would hear of it.
//
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "launcher/output_request.h"
#include "tessera/status.h"

namespace tessera::launcher {

// %r: rank, %h: host, %g and %p: 0 (of Hydra's process groups and proxies there is one each), %%: a
// percent sign; anything else stays.
std::string expand_pattern(const std::string& pattern, std::uint32_t rank);

class OutputFile {
 public:
  OutputFile() noexcept = default;  // none
  // Takes the descriptor. `alone`: the terminal gets nothing.
  OutputFile(std::string path, std::uint32_t rank, int descriptor, bool alone) noexcept;
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  bool is_open() const noexcept { return descriptor_ >= 0; }
  bool alone() const noexcept { return alone_; }
  // Whether who writes may have to wait for a reader: a named pipe, a terminal.
  bool has_reader() const noexcept;
  // The caller closes it.
  int release() noexcept;

  // A failure names rank, file and cause, and is the last one: the file is closed.
  Status write(std::string_view text);
  // File systems of other hosts may say only now that they are full.
  Status close();

 private:
  Status failed(int error);

  std::string path_;
  std::uint32_t rank_ = 0;
  int descriptor_ = -1;
  bool alone_ = false;
};

class OutputFiles {
 public:
  enum class Stream : std::uint8_t { out, err };

  // `job`: its number, `ranks`: of it. The request outlives this object.
  OutputFiles(const OutputRequest& request, std::uint32_t job, std::uint32_t ranks)
      : request_(&request), job_(job), ranks_(ranks) {}

  // What gets the output of the rank beside the terminal or instead of it, or none.
  Result<OutputFile> open(std::uint32_t rank, Stream stream);

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
