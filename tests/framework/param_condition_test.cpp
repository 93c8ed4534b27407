// SPDX-License-Identifier: BSD-3-Clause
// Conditions of sections in parameter files.
#include "framework/param_condition.h"

#include <gtest/gtest.h>

#include "framework/param_file.h"

namespace tessera {
namespace {

bool holds(std::string_view condition, const ParamContext& context = {"node7.cluster.org", 16}) {
  auto result = condition_holds(condition, context);
  EXPECT_TRUE(result.ok()) << condition << ": " << result.status().text();
  return result.ok() && *result;
}

TEST(Condition, OfTheHost) {
  for (const char* fits : {"", "host node7", "host node*", "host = node7", "host node7.cluster.org",
                           "host *.org", "host a|node[0-9]", "host ?ode7 | b"})
    EXPECT_TRUE(holds(fits)) << fits;
  for (const char* differs : {"host node", "host login*", "host NODE7", "host a|b"})
    EXPECT_FALSE(holds(differs)) << differs;
  EXPECT_FALSE(holds("host *", {"", 16}));
}

TEST(Condition, OfTheNumberOfRanks) {
  for (const char* fits :
       {"ranks >= 16", "ranks>=16", "ranks <= 16", "ranks = 16", "ranks == 16", "ranks 16",
        "ranks > 15", "ranks < 17", "ranks 2..16", "ranks 16..", "ranks ..16"})
    EXPECT_TRUE(holds(fits)) << fits;
  for (const char* differs : {"ranks > 16", "ranks < 16", "ranks 17", "ranks 1..15", "ranks 17.."})
    EXPECT_FALSE(holds(differs)) << differs;
  EXPECT_FALSE(holds("ranks >= 1", {"node7", 0}));
}

TEST(Condition, OfTheCommunicator) {
  EXPECT_TRUE(holds("communicator row*|column", {"node7", 16, "row 3"}));
  EXPECT_TRUE(holds("communicator MPI_COMM_WORLD, ranks >= 16", {"node7", 16, "MPI_COMM_WORLD"}));
  EXPECT_FALSE(holds("communicator row*", {"node7", 16, "column"}));
  EXPECT_FALSE(holds("communicator *", {"node7", 16, ""}));
  EXPECT_TRUE(about_communicators("ranks >= 2, communicator x"));
  EXPECT_FALSE(about_communicators("ranks >= 2, host communicator"));
}

TEST(Condition, AllTermsMustHold) {
  EXPECT_TRUE(holds("host node*, ranks >= 16"));
  EXPECT_FALSE(holds("host node*, ranks > 16"));
  EXPECT_FALSE(holds("host login*, ranks >= 16"));
}

TEST(Condition, MistakesAreNamed) {
  for (const char* bad :
       {"hosts a", "ranks", "ranks many", "ranks >= -1", "ranks ..", "ranks 1..b",
        "ranks > 4294967295", "ranks < 0", "host", "host =", ",", "communicator", "ranks >=< 3"})
    EXPECT_EQ(condition_holds(bad, {}).status().code(), Errc::argument) << bad;
}

std::vector<std::string> lines(std::string_view text, const std::string& path) {
  auto settings = parse_param_text(text, path, ParamSource::user_file);
  EXPECT_TRUE(settings.ok()) << settings.status().text();
  std::vector<std::string> result;
  for (const ParamSetting& one : settings.ok() ? *settings : std::vector<ParamSetting>())
    result.push_back(one.name + "|" + one.value + "|" + one.when + "|" + one.where);
  return result;
}

TEST(Sections, OfPlainFiles) {
  EXPECT_EQ(
      lines("a = 1\n[host node*] # here\nb = 2\n  [ ranks >= 2 ]\nc = 3\n[always]\nd = 4\n", "f"),
      (std::vector<std::string>{"a|1||f:1", "b|2|host node*|f:3", "c|3|ranks >= 2|f:5",
                                "d|4||f:7"}));
}

TEST(Sections, OfYamlFiles) {
  EXPECT_EQ(
      lines("a: 1\nsections:\n- when: {host: [x, y], ranks: 2..3}\n  params: {b: {c: 2}}\nd: 4\n",
            "f.yaml"),
      (std::vector<std::string>{"a|1||f.yaml:1", "b_c|2|host x|y, ranks 2..3|f.yaml:4",
                                "d|4||f.yaml:5"}));
  EXPECT_EQ(lines("sections: {when: {ranks: 2}, params: {b: 2}}\n", "f.yaml"),
            (std::vector<std::string>{"b|2|ranks 2|f.yaml:1"}));
}

}  // namespace
}  // namespace tessera
