// SPDX-License-Identifier: BSD-3-Clause
// Explanations and other lines for people on a terminal of some width.
#include "framework/explanation.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "framework/terminal.h"
#include "framework/text.h"

namespace tessera {
namespace {

TEST(Explanation, wraps_each_reply_under_its_text) {
  Explanation explanation;
  explanation.record(
      {"btl",
       "which transport carries messages between which ranks",
       Shape::ranked,
       {{"sm", true, 50, "each of 0-3 to itself; among 0-3; from 0 to 1 and back", true}}});
  const std::string whole = explanation.text();
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 2) << whole;
  const std::string narrow = explanation.text(40);
  EXPECT_NE(narrow.find("\n  * sm           yes, score 50: each"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("\n                 0-3 to itself"), std::string::npos) << narrow;
  for (std::string_view line : text::split(narrow, '\n')) EXPECT_LE(line.size(), 40U) << line;
}

TEST(Terminal, says_how_wide_it_is) {
  int controller = -1, terminal = -1;
  winsize size{};
  size.ws_col = 72;
  ASSERT_EQ(openpty(&controller, &terminal, nullptr, nullptr, &size), 0);
  EXPECT_EQ(terminal_columns(terminal), 72U);
  EXPECT_EQ(output_columns(terminal), 72U);
  close(terminal);
  close(controller);
}

TEST(Terminal, without_one_the_environment_says_or_nobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  unsetenv(kColumnsVariable);
  EXPECT_EQ(terminal_columns(ends[1]), std::nullopt);
  EXPECT_EQ(output_columns(ends[1]), 100U);
  EXPECT_EQ(output_columns(ends[1], 7777), 7777U);
  setenv(kColumnsVariable, "90", 1);
  EXPECT_EQ(output_columns(ends[1], 7777), 90U);
  setenv(kColumnsVariable, "3", 1);
  EXPECT_EQ(output_columns(ends[1]), 40U);
  setenv(kColumnsVariable, "many", 1);
  EXPECT_EQ(output_columns(ends[1]), 100U);
  unsetenv(kColumnsVariable);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tessera
