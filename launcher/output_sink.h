// SPDX-License-Identifier: BSD-3-Clause
// Where the output of all ranks goes: the standard output or standard error of mpiexec.
#pragma once
//
// Contract. An output sink never blocks on a slow reader and never changes the flags of a
// descriptor that mpiexec inherited, since others share them: a pipe or terminal is opened once
// more for itself without blocking, a socket is written to without waiting, a file is simply
// written to. write() takes what goes now; a short count means "stalled": the owner waits until
// writable() before it writes again. A reader that went away makes the output sink broken, for
// good.
//
#include <cstddef>
#include <string_view>

namespace tessera::launcher {

class OutputSink {
 public:
  // `in_lines`: into a pipe go whole lines, as many at a time as it takes undivided: whoever reads
  // it and passes on what it has read divides none.
  explicit OutputSink(int descriptor, bool in_lines = false) noexcept;
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;
  ~OutputSink();

  // Bytes taken, up to data.size(). All of it is taken (and thrown away) once broken.
  std::size_t write(std::string_view data) noexcept;
  bool broken() const noexcept { return error_ != 0; }
  // Why it is broken (errno): EPIPE when the reader has gone, which is nothing unusual.
  int error() const noexcept { return error_; }
  // What to wait for (EPOLLOUT) while stalled.
  int descriptor() const noexcept { return descriptor_; }

 private:
  enum class Way { plain, no_wait, socket, careful };
  static Way way_to(int descriptor, int& own) noexcept;
  long write_once(std::string_view data) noexcept;

  std::string_view next_piece(std::string_view data) const noexcept;

  bool in_lines_;
  int own_ = -1;  // a description of our own, to be closed
  Way way_;
  int descriptor_;
  int error_ = 0;
};

// Whether two descriptors lead to the same file, pipe or terminal.
bool same_target(int a, int b) noexcept;

}  // namespace tessera::launcher
