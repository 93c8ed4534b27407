// SPDX-License-Identifier: BSD-3-Clause
// Marks among the standard error of a job, and the end of an engine that does not notice its own.
#include "launcher/across/end_mark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/across/engine_process.h"

namespace tessera::launcher::across {
namespace {

constexpr std::uint64_t kJob = 0xabcdef0123456789;

TEST(EndMark, IsTakenOutWhereverItStands) {
  const std::string text = "one\n" + text_of({7, 2}, kJob) + "two";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    MarkFilter filter(kJob);
    std::string passed = filter.take(std::string_view(text).substr(0, cut));
    passed += filter.take(std::string_view(text).substr(cut));
    passed += filter.rest();
    EXPECT_EQ(passed, "one\ntwo") << cut;
    ASSERT_TRUE(filter.mark().has_value()) << cut;
    EXPECT_EQ(filter.mark()->status, 7);
    EXPECT_EQ(filter.mark()->node, 2u);
  }
}

TEST(EndMark, OfTheFirstNodeCounts) {
  MarkFilter filter(kJob);
  EXPECT_EQ(filter.take(text_of({1, 3}, kJob) + text_of({9, 0}, kJob) + text_of({2, 1}, kJob)), "");
  EXPECT_EQ(filter.mark()->status, 9);
}

TEST(EndMark, NothingElseIsOne) {
  const std::string others[] = {text_of({7, 2}, kJob + 1), "\x1e", "\x1e\x1e\n",
                                "\x1etessera-end\n",
                                text_of({7, 2}, kJob).substr(0, 20) + std::string(200, 'x')};
  for (const std::string& text : others) {
    MarkFilter filter(kJob);
    std::string passed;
    for (const char c : text) passed += filter.take({&c, 1});
    EXPECT_EQ(passed + filter.rest(), text);
    EXPECT_FALSE(filter.mark().has_value());
  }
}

// In a process of its own, as mpiexec is: signals are blocked, and all its children are ended.
int status_of_engine(const std::string& script) {
  const pid_t child = fork();
  if (child == 0) {
    EngineOrder order;
    order.words = {"/bin/sh", "-c", script};
    order.environment = {"PATH=/usr/bin:/bin"};
    order.name = "sh";
    order.marked_job = kJob;
    _exit(run_engine(order, take_over_signals()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string marking(int status) {
  return "printf '\\036tessera-end abcdef0123456789 " + std::to_string(status) + " 0\\n' >&2; ";
}

TEST(EngineThatDoesNotEnd, IsEndedAfterAMark) {
  EXPECT_EQ(status_of_engine(marking(7) + "sleep 1000 & wait"), 7);
}

TEST(EngineThatEnds, HasTheStatusOfTheMark) {
  EXPECT_EQ(status_of_engine(marking(5) + "exit 255"), 5);
  EXPECT_EQ(status_of_engine("echo >&2; exit 3"), 3);
}

}  // namespace
}  // namespace tessera::launcher::across
