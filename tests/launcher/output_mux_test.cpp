// SPDX-License-Identifier: BSD-3-Clause
// Pipes of ranks at an OutputMux: what is passed on, and what is left of a pipe that has ended.
#include "launcher/output_mux.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <string>

namespace tessera::launcher {
namespace {

constexpr std::uint64_t kSources = 1, kWritable = 2;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0); }
  int ends[2] = {-1, -1};
};

class OutputMuxTest : public testing::Test {
 protected:
  ~OutputMuxTest() override {
    close(target_.ends[0]);
    close(target_.ends[1]);
    close(poller_);
  }

  // A rank's end of a new stream.
  int add(std::uint64_t rank, int* reading_end = nullptr) {
    const Pipe pipe;
    if (reading_end != nullptr) *reading_end = pipe.ends[0];
    mux_.add(std::make_unique<Stream>(pipe.ends[0], rank, LineStyle{}, mux_));
    return pipe.ends[1];
  }

  // One turn of the event loop; whether there was anything to do.
  bool turn() {
    epoll_event event{};
    if (epoll_wait(poller_, &event, 1, 0) != 1) return false;
    mux_.sources_ready(++now_);
    return true;
  }

  std::string passed_on() const {
    char text[256];
    const ssize_t count = read(target_.ends[0], text, sizeof text);
    return {text, static_cast<std::size_t>(count > 0 ? count : 0)};
  }

  Pipe target_;
  int poller_ = epoll_create1(EPOLL_CLOEXEC);
  OutputMux mux_{target_.ends[1], poller_, kSources, kWritable};
  std::int64_t now_ = 0;
};

void write_text(int stream, const std::string& text) {
  ASSERT_EQ(write(stream, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST_F(OutputMuxTest, PassesOnWholeLinesAndTheRestAtTheEnd) {
  const int rank = add(0);
  write_text(rank, "one\ntw");
  EXPECT_TRUE(turn());
  EXPECT_EQ(passed_on(), "one\n");
  close(rank);
  EXPECT_TRUE(turn());
  EXPECT_EQ(passed_on(), "tw");
  EXPECT_FALSE(turn());
}

// As while a process is being started: for a moment it has a copy of all descriptors.
TEST_F(OutputMuxTest, HearsNothingMoreOfAPipeThatSomebodyElseHasOpen) {
  int reading_end = -1;
  const int rank = add(0, &reading_end);
  const int copy = fcntl(reading_end, F_DUPFD_CLOEXEC, 0);
  close(rank);
  EXPECT_TRUE(turn());
  EXPECT_FALSE(turn());
  const int next = add(1);  // the first Stream is gone
  EXPECT_FALSE(turn());
  write_text(next, "next\n");
  EXPECT_TRUE(turn());
  EXPECT_EQ(passed_on(), "next\n");
  EXPECT_FALSE(turn());
  close(next);
  close(copy);
}

TEST(OutputMux, IsNotHeardOfWhenItIsGone) {
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  const Pipe target, pipe;
  const int copy = fcntl(pipe.ends[0], F_DUPFD_CLOEXEC, 0);
  {
    OutputMux mux(target.ends[1], poller, kSources, kWritable);
    mux.add(std::make_unique<Stream>(pipe.ends[0], 0, LineStyle{}, mux));
    close(pipe.ends[1]);
  }
  epoll_event event{};
  EXPECT_EQ(epoll_wait(poller, &event, 1, 0), 0);
  for (const int descriptor : {poller, copy, target.ends[0], target.ends[1]}) close(descriptor);
}

}  // namespace
}  // namespace tessera::launcher
