// SPDX-License-Identifier: BSD-3-Clause
// How the ranks' output is passed on: one Stream per pipe, one OutputMux per output sink.
#pragma once
//
// Contract. A stream collects what a rank writes and hands it on in whole lines (up to 1 MiB; a
// longer line is passed on in pieces), so that lines of several ranks never mix. A line that is not
// finished is passed on as it is when nothing follows for 50 ms (a prompt), and at the end. Nothing
// is lost: while the reader is slow the multiplexer stops reading, and the pipes slow the ranks
// down. What can be written nowhere ends with its reason: a rank whose only file takes no more
// writes into a closed pipe, as one does whose reader has gone.
//
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/output_files.h"
#include "launcher/output_sink.h"

namespace tessera::launcher {

class OutputMux;

// What is done with lines on their way.
struct LineStyle {
  std::string tag;          // begins each line
  bool timestamps = false;  // before the tag: when the line was passed on
  OutputFile file = {};     // gets the bytes as they are

  bool marks() const noexcept { return timestamps || !tag.empty(); }
};

// The reading end of one pipe.
class Stream {
 public:
  // Takes the descriptor.
  Stream(int descriptor, std::uint64_t rank, LineStyle style, OutputMux& output) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  std::uint64_t rank() const noexcept { return rank_; }
  int descriptor() const noexcept { return descriptor_; }
  bool is_open() const noexcept { return descriptor_ >= 0; }
  bool has_partial_line() const noexcept { return used_ > 0; }

  // Reads once and passes on complete lines. False when there is nothing to read now or ever.
  bool read_once(std::int64_t now_ms);
  // Reads all there is and passes on all of it.
  void drain(std::int64_t now_ms);
  // Passes on the unfinished line if it has been waiting since `before_ms`.
  void flush_idle(std::int64_t before_ms);
  void close() noexcept;
  void close_file();

 private:
  void make_room();
  void pass_on(std::size_t bytes);
  void pass_on_marked(std::string_view text);
  void write_file(std::string_view text);

  int descriptor_;
  std::uint64_t rank_;  // and of which job
  LineStyle style_;
  OutputMux* output_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  bool was_full_ = false;  // after the last read
  std::int64_t last_read_ms_ = 0;
};

class OutputMux {
 public:
  // `poller` is the epoll descriptor of the event loop. `source_token` is reported by it when
  // sources() are readable, `sink_token` when the output sink is writable again.
  // `in_lines`: as OutputSink.
  OutputMux(int target, int poller, std::uint64_t source_token, std::uint64_t sink_token,
            bool in_lines = false);
  OutputMux(const OutputMux&) = delete;
  OutputMux& operator=(const OutputMux&) = delete;
  ~OutputMux();

  void add(std::unique_ptr<Stream> stream);
  // A stream is about to close its descriptor.
  void forget(int descriptor) noexcept;

  // The event loop's upcalls. sources_ready() says whether a rank has written something.
  bool sources_ready(std::int64_t now_ms);
  void sink_ready();
  void flush_idle(std::int64_t before_ms);
  void drain(std::uint64_t rank, std::int64_t now_ms);
  void drain_all(std::int64_t now_ms);

  // Writes, or keeps for later while stalled.
  void put(std::string_view text);
  // The same for text of mpiexec itself, which begins a new line.
  void put_line(std::string_view text);
  // A rank's file takes no more.
  void lost_file(const Status& why);
  // Why, since the last call: a line for each.
  std::vector<std::string> take_lost_files() noexcept { return std::exchange(lost_files_, {}); }
  // After drain_all(): files are complete, or lost.
  void close_files();
  // For tagged lines: whose line is unfinished at the end of the output. A line of another stream
  // begins with a newline.
  const Stream* unfinished = nullptr;

  bool has_partial_lines() const noexcept;
  bool stalled() const noexcept { return stalled_; }
  int error() const noexcept { return sink_.error(); }

 private:
  void stall() noexcept;
  void resume() noexcept;
  void close_all() noexcept;
  void watch_sources(bool on) noexcept;

  OutputSink sink_;
  int poller_;
  int sources_;  // an epoll descriptor of its own: all streams are switched off and on by one call
  std::uint64_t source_token_;
  std::uint64_t sink_token_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::string rest_;  // accepted, not yet written
  std::size_t rest_written_ = 0;
  bool stalled_ = false;
  std::vector<std::string> lost_files_;
  bool inside_line_ = false;  // what was put last has no newline at its end
};

}  // namespace tessera::launcher
