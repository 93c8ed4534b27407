// SPDX-License-Identifier: BSD-3-Clause
// Collects the ranks' output into lines and writes them out at the reader's pace.
#include "launcher/output_mux.h"

#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tessera::launcher {
namespace {

constexpr std::size_t kFirstBuffer = 4 * 1024;  // of most streams nothing is ever read
constexpr std::size_t kUsualPipe = 64 * 1024;
constexpr std::size_t kLongestLine = 1024 * 1024;
constexpr std::size_t kLargestPipe = 1024 * 1024;
constexpr int kEvents = 64;

// Bytes up to and including the last newline.
std::size_t complete_lines(const char* data, std::size_t bytes) noexcept {
  const void* const last = memrchr(data, '\n', bytes);
  return last == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(last) - data) + 1;
}

// Local time as of ISO 8601, with milliseconds.
std::string time_stamp() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char seconds[32], text[48];
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%03d ", seconds, static_cast<int>(now.tv_nsec / 1'000'000));
  return text;
}

}  // namespace

Stream::Stream(int descriptor, std::uint64_t rank, LineStyle style, OutputMux& output) noexcept
    : descriptor_(descriptor), rank_(rank), style_(std::move(style)), output_(&output) {}

Stream::~Stream() {
  close();
  close_file();
}

void Stream::close() noexcept {
  if (descriptor_ < 0) return;
  output_->forget(descriptor_);
  ::close(std::exchange(descriptor_, -1));
}

void Stream::make_room() {
  const bool much_to_read = was_full_ && buffer_.size() < kUsualPipe;
  if (used_ < buffer_.size() && !much_to_read) return;
  if (used_ >= kLongestLine) {
    pass_on(used_);
  } else {
    buffer_.resize(std::max(kFirstBuffer, 2 * buffer_.size()));
  }
}

bool Stream::read_once(std::int64_t now_ms) {
  if (!is_open()) return false;
  make_room();
  const ssize_t count = ::read(descriptor_, buffer_.data() + used_, buffer_.size() - used_);
  if (count < 0) return errno == EINTR;
  if (count == 0) {
    pass_on(used_);
    close();
    return false;
  }
  last_read_ms_ = now_ms;
  was_full_ = static_cast<std::size_t>(count) == buffer_.size() - used_;
  const std::size_t lines = complete_lines(buffer_.data() + used_, static_cast<std::size_t>(count));
  const std::size_t before = std::exchange(used_, used_ + static_cast<std::size_t>(count));
  if (lines > 0) pass_on(before + lines);
  return true;
}

// A pipe holds at most this much, so that is all that was written before now; a process may go on
// writing for ever.
void Stream::drain(std::int64_t now_ms) {
  for (std::size_t left = kLargestPipe / kFirstBuffer; left > 0 && read_once(now_ms); --left) {
  }
  pass_on(used_);
}

void Stream::flush_idle(std::int64_t before_ms) {
  if (last_read_ms_ <= before_ms) pass_on(used_);
}

void Stream::pass_on(std::size_t bytes) {
  if (bytes == 0) return;
  const std::string_view text(buffer_.data(), bytes);
  write_file(text);
  if (!style_.file.alone()) {
    if (style_.marks())
      pass_on_marked(text);
    else
      output_->put(text);
  }
  used_ -= bytes;
  std::memmove(buffer_.data(), buffer_.data() + bytes, used_);
}

// A file that takes no more is given up, once. The terminal still gets the rest; where there is
// none the rank shall notice, as it does when a reader goes away.
void Stream::write_file(std::string_view text) {
  const Status written = style_.file.write(text);
  if (written.ok()) return;
  output_->lost_file(written);
  if (style_.file.alone()) close();
}

void Stream::close_file() {
  if (const Status closed = style_.file.close(); !closed.ok()) output_->lost_file(closed);
}

void Stream::pass_on_marked(std::string_view text) {
  const std::string mark = (style_.timestamps ? time_stamp() : "") + style_.tag;
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  if (output_->unfinished != nullptr && output_->unfinished != this) out += '\n';
  bool begins_line = output_->unfinished != this;
  while (!text.empty()) {
    const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    if (begins_line) out += mark;
    out += text.substr(0, line);
    text.remove_prefix(line);
    begins_line = true;
  }
  output_->unfinished = out.back() == '\n' ? nullptr : this;
  output_->put(out);
}

OutputMux::OutputMux(int target, int poller, std::uint64_t source_token, std::uint64_t sink_token,
                     bool in_lines)
    : sink_(target, in_lines),
      poller_(poller),
      sources_(epoll_create1(EPOLL_CLOEXEC)),
      source_token_(source_token),
      sink_token_(sink_token) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = source_token_;
  epoll_ctl(poller_, EPOLL_CTL_ADD, sources_, &event);
}

OutputMux::~OutputMux() {
  streams_.clear();
  close(sources_);
}

void OutputMux::add(std::unique_ptr<Stream> stream) {
  std::erase_if(streams_, [this](const auto& one) {
    return !one->is_open() && !one->has_partial_line() && unfinished != one.get();
  });
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = stream.get();
  epoll_ctl(sources_, EPOLL_CTL_ADD, stream->descriptor(), &event);
  streams_.push_back(std::move(stream));
}

// close(2) ends the watch only where nobody else has the pipe open. A process that is just being
// started has: vfork(2) returns before execve(2) has closed what is close-on-exec in the child. The
// events of such a pipe would name a Stream that no longer exists.
void OutputMux::forget(int descriptor) noexcept {
  epoll_ctl(sources_, EPOLL_CTL_DEL, descriptor, nullptr);
}

bool OutputMux::sources_ready(std::int64_t now_ms) {
  epoll_event events[kEvents];
  const int count = epoll_wait(sources_, events, kEvents, 0);
  bool written = false;
  for (int i = 0; i < count && !stalled_; ++i)
    written = static_cast<Stream*>(events[i].data.ptr)->read_once(now_ms) || written;
  return written;
}

void OutputMux::put(std::string_view text) {
  inside_line_ = text.back() != '\n';
  const std::size_t taken = stalled_ ? 0 : sink_.write(text);
  if (sink_.broken()) return close_all();
  if (taken == text.size()) return;
  rest_.append(text.substr(taken));
  if (!stalled_) stall();
}

void OutputMux::put_line(std::string_view text) {
  if (inside_line_) put("\n");
  unfinished = nullptr;
  put(text);
}

void OutputMux::sink_ready() {
  rest_written_ += sink_.write(std::string_view(rest_).substr(rest_written_));
  if (sink_.broken()) close_all();
  if (rest_written_ < rest_.size()) return;
  rest_.clear();
  rest_written_ = 0;
  resume();
}

void OutputMux::watch_sources(bool on) noexcept {
  epoll_event event{};
  if (on) event.events = EPOLLIN;
  event.data.u64 = source_token_;
  epoll_ctl(poller_, EPOLL_CTL_MOD, sources_, &event);
}

void OutputMux::stall() noexcept {
  epoll_event event{};
  event.events = EPOLLOUT;
  event.data.u64 = sink_token_;
  epoll_ctl(poller_, EPOLL_CTL_ADD, sink_.descriptor(), &event);
  watch_sources(false);
  stalled_ = true;
}

void OutputMux::resume() noexcept {
  if (!std::exchange(stalled_, false)) return;
  epoll_ctl(poller_, EPOLL_CTL_DEL, sink_.descriptor(), nullptr);
  watch_sources(true);
}

// The reader has gone: the ranks shall notice, as they would if they wrote to it themselves.
void OutputMux::close_all() noexcept {
  for (auto& stream : streams_) stream->close();
  resume();
}

void OutputMux::lost_file(const Status& why) {
  lost_files_.emplace_back(std::string("mpiexec: ") + why.text() + "\n");
}

void OutputMux::close_files() {
  for (auto& stream : streams_) stream->close_file();
}

void OutputMux::flush_idle(std::int64_t before_ms) {
  if (stalled_) return;
  for (auto& stream : streams_) stream->flush_idle(before_ms);
}

void OutputMux::drain(std::uint64_t rank, std::int64_t now_ms) {
  for (auto& stream : streams_) {
    if (stream->rank() == rank) stream->drain(now_ms);
  }
}

void OutputMux::drain_all(std::int64_t now_ms) {
  for (auto& stream : streams_) stream->drain(now_ms);
}

bool OutputMux::has_partial_lines() const noexcept {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& stream) { return stream->has_partial_line(); });
}

}  // namespace tessera::launcher
