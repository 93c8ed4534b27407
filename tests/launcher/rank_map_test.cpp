// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are said rank by rank: rank files, -rankmap, --map-by seq.
#include "launcher/across/rank_map.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "launcher/across/plan.h"
#include "shares_text.h"

namespace tessera::launcher::across {
namespace {

using Numbers = std::vector<std::uint32_t>;

class RankFile : public testing::Test {
 protected:
  ~RankFile() override { std::remove(path_.c_str()); }

  Result<std::vector<RankLine>> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_rank_file(path_);
  }
  std::string error(const std::string& text) {
    auto lines = read(text);
    return lines.ok() ? "none" : lines.status().text();
  }

  const std::string path_ = testing::TempDir() + "rank_map_test_file";
};

HostList hosts(const std::vector<Host>& list) {
  HostList made;
  made.hosts = list;
  for (std::uint32_t i = 0; i < list.size(); ++i) made.entries.push_back(i);
  return made;
}

Result<Plan> plan_for(const CommandLine& line) {
  return plan_job(
      line, [](const char*) -> const char* { return nullptr; },
      [](const std::string& program) { return "/bin/" + program; });
}

TEST_F(RankFile, HasALineForEachRankInAnyOrder) {
  auto lines = read("# all\n\nrank 2=b slot=1:0-2 # two\nrank 0 = a slots = 0,3\n  RANK\t1=+n1\n");
  ASSERT_TRUE(lines.ok()) << lines.status().text();
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_EQ((*lines)[0].host, "a");
  EXPECT_EQ((*lines)[0].slots, "0,3");
  EXPECT_EQ((*lines)[0].line, 4u);
  EXPECT_EQ((*lines)[1].host, "+n1");
  EXPECT_EQ((*lines)[1].slots, "");
  EXPECT_EQ((*lines)[2].slots, "1:0-2");
}

TEST_F(RankFile, WrongLinesAreNamed) {
  for (const char* line : {"rank", "rank x=a", "rank -1=a", "rank 0", "rank 0=", "task 0=a",
                           "rank 0=a slot=", "rank 0=a slot=x", "rank 0=a slot=1 slot=2",
                           "rank 0=a cpu=1", "rank 70000=a", "rank 1=b"}) {
    const std::string text = error("rank 1=a\n" + std::string(line) + "\n");
    EXPECT_EQ(text.rfind(path_ + ":2: ", 0), 0u) << line << ": " << text;
  }
  EXPECT_NE(error("# nothing\n").find("is about no rank"), std::string::npos);
}

TEST_F(RankFile, HostsCountFromTheOneOfRank0) {
  auto lines = read("rank 0=b slot=1\nrank 1=a\nrank 2=b\nrank 3=+n2\n");
  CommandLine line;
  line.placement.rank_file = path_;
  const HostList all = hosts({{"a", 1, 0}, {"b", 1, 0}, {"c", 1, 0}});
  auto map = map_ranks(line, all, *lines, 0, false);
  ASSERT_TRUE(map.ok()) << map.status().text();
  EXPECT_EQ(shares_text(map->shares), "b:2 a:1 c:1 ");
  EXPECT_EQ(map->nodes, (Numbers{0, 1, 0, 2}));
  ASSERT_EQ(map->slots.size(), 4u);
  EXPECT_EQ(map->slots[0].slots, "1");
  EXPECT_EQ(map_ranks(line, all, *lines, 2, false).value().nodes, (Numbers{0, 1}));
  EXPECT_TRUE(map_ranks(line, all, read("rank 0=a\n").value(), 0, false).value().slots.empty());
}

TEST_F(RankFile, HostsAndRanksThatAreNotThereAreNamed) {
  CommandLine line;
  line.placement.rank_file = "f";
  const HostList all = hosts({{"a", 1, 0}, {"b", 2, 2}});
  const auto why = [&](const char* text, std::uint32_t ranks, bool limited) {
    auto map = map_ranks(line, all, read(text).value(), ranks, limited);
    return map.ok() ? "none" : std::string(map.status().text());
  };
  EXPECT_EQ(why("rank 0=a\n\nrank 1=far\n", 0, false),
            "f:3: host 'far' is none of this job's hosts, a,b");
  EXPECT_EQ(why("rank 0=+n2\n", 0, false), "f:1: '+n2' is host 2, counted from 0, and there are 2");
  EXPECT_EQ(why("rank 0=a\n", 2, false), "rank file 'f' has no line for rank 1 of 2");
  EXPECT_EQ(why("rank 1=a\n", 0, false), "rank file 'f' has no line for rank 0 of 2");
  const char* const two = "rank 0=a\nrank 1=a\n";
  EXPECT_NE(why(two, 0, true).find("2 ranks are to run on host 'a', which has 1 slots"),
            std::string::npos);
  EXPECT_EQ(why(two, 0, false), "none");
  EXPECT_NE(why("rank 0=b\nrank 1=b\nrank 2=b\n", 0, false).find("has 2 slots"), std::string::npos);
}

TEST_F(RankFile, NamesTheHostsOfItsJob) {
  ASSERT_TRUE(read("rank 0=far1\nrank 1=far2\nrank 2=far1 slot=0\n").ok());
  CommandLine line;
  line.placement.rank_file = path_;
  line.launcher = "hydra";
  auto plan = plan_for(line);
  ASSERT_TRUE(plan.ok()) << plan.status().text();
  EXPECT_TRUE(plan->carried);
  EXPECT_EQ(plan->ranks, 3u);
  EXPECT_EQ(shares_text(plan->shares), "far1:2 far2:1 ");
  EXPECT_EQ(plan->nodes, (Numbers{0, 1, 0}));
  EXPECT_EQ(plan->slots_by_rank.size(), 3u);
  line.launcher = "openmpi";
  EXPECT_EQ(shares_text(plan_for(line).value().shares), "far1:2 far2:1 ");
  ASSERT_TRUE(read("rank 0=+n0\n").ok());
  EXPECT_FALSE(plan_for(line).ok());
  ASSERT_TRUE(read("rank 0=localhost\n").ok());
  line.launcher.clear();
  EXPECT_FALSE(plan_for(line).value().engine.has_value());
}

TEST(RankMapOption, RepeatsItsBlocks) {
  CommandLine line;
  line.placement.rank_map = "(vector, (1,1,2), (0,2,1))";
  const HostList all = hosts({{"a", 1, 0}, {"b", 1, 0}});
  EXPECT_EQ(map_ranks(line, all, {}, 0, false).value().nodes, (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(shares_text(map_ranks(line, all, {}, 0, false).value().shares), "b:3 a:1 ");
  EXPECT_EQ(map_ranks(line, all, {}, 6, false).value().nodes, (Numbers{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(map_ranks(line, all, {}, 3, false).value().nodes, (Numbers{0, 0, 1}));
  for (const char* text :
       {"", "(vector)", "(vector,(0,1)", "(vector,(0,1,1)) x", "(vector,(0,3,1))",
        "(vector,(0,60000,60000))", "(vector,(0,0,1))", "block"}) {
    line.placement.rank_map = text;
    EXPECT_FALSE(*text != 0 && map_ranks(line, all, {}, 0, false).ok()) << text;
  }
}

TEST(Sequence, HasARankForEachEntry) {
  CommandLine line;
  line.hosts = {"far2,far1:4,far2"};
  line.launcher = "hydra";
  line.placement.in_sequence = true;
  auto plan = plan_for(line);
  ASSERT_TRUE(plan.ok()) << plan.status().text();
  EXPECT_EQ(shares_text(plan->shares), "far2:2 far1:1 ");
  EXPECT_EQ(plan->nodes, (Numbers{0, 1, 0}));
  line.apps.resize(1);
  line.apps[0].ranks = 4;
  const auto more = plan_for(line);
  ASSERT_FALSE(more.ok());
  EXPECT_NE(std::string(more.status().text()).find("4 ranks, and the hosts have 3 entries"),
            std::string::npos);
}

TEST(RankMapOption, ContradictionsAreRefused) {
  const auto refused = [](auto change) {
    CommandLine line;
    line.placement.rank_file = "f";
    change(line);
    return !check_rank_map(line).ok();
  };
  EXPECT_FALSE(refused([](CommandLine&) {}));
  EXPECT_FALSE(refused([](CommandLine& line) { line.placement.binding = Binding::none; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.placement.binding = Binding::object; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.placement.rank_map = "x"; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.placement.in_sequence = true; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.ranks_per_machine = 2; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.placement.mapping = Mapping::object; }));
  EXPECT_TRUE(refused([](CommandLine& line) { line.placement.cpu_set = {0}; }));
}

}  // namespace
}  // namespace tessera::launcher::across
