// SPDX-License-Identifier: BSD-3-Clause
// Loading, the four shapes of selection, explanations: with real components of the test framework.
#include <thread>

#include "fixture.h"
#include "framework/text.h"

namespace plugin_tests {
namespace {

using tessera::Answer;
using tessera::Explanation;
using tessera::Member;

class FrameworkTest : public PluginTest {
 protected:
  FrameworkTest() {
    for (const char* name : {"good", "low", "high"}) install(name);
  }
  static Answer accept(demo::Component&, const Member&) { return Answer::yes(); }
  static Answer decline(demo::Component&, const Member&) { return Answer::no("not today"); }
  static Answer open(demo::Component& component, const Member& member) {
    const tessera::Status status = component.open(member.params());
    return status.ok() ? Answer::yes() : Answer::no(status.text());
  }
};

TEST_F(FrameworkTest, MembersComeInOrderOfPriority) {
  auto setup = kernel();
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  EXPECT_EQ(names(framework.members()), (Names{"high", "good", "low"}));
}

TEST_F(FrameworkTest, PriorityIsAParameter) {
  auto setup = kernel({{"demo_low_priority", "99"}});
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  EXPECT_EQ(names(framework.members()), (Names{"low", "high", "good"}));
}

TEST_F(FrameworkTest, ListsIncludeAndExclude) {
  for (const auto& [list, expected] : {std::pair<std::string, Names>{"good,low", {"good", "low"}},
                                       {"^good", {"high", "low"}},
                                       {"fine", {"good"}},  // an alias
                                       {"", {"high", "good", "low"}}}) {
    auto setup = kernel({{"demo", list}});
    Demo framework(*setup, "demo");
    ASSERT_TRUE(framework.open().ok());
    EXPECT_EQ(names(framework.members()), expected) << list;
  }
}

TEST_F(FrameworkTest, ComponentsSeeTheirParameters) {
  auto setup =
      kernel({{"demo", "good"}, {"demo_good_answer", "0x10"}, {"demo_good_devices", "a,b"}});
  Demo framework(*setup, "demo");
  auto winner = framework.best("who answers", open);
  ASSERT_TRUE(winner.ok());
  const tessera::Params& params = (*winner)->params();
  EXPECT_EQ(Demo::of(**winner).answer(), 16);
  EXPECT_EQ(params.size("limit"), 4096u);
  EXPECT_DOUBLE_EQ(params.real("ratio"), 0.5);
  EXPECT_TRUE(params.boolean("fast"));
  EXPECT_EQ(params.text("mode"), "auto");
  EXPECT_EQ(params.text("devices"), "a,b");
  EXPECT_EQ(params.integer("priority"), 50);
  EXPECT_TRUE(params.chosen("answer"));
  EXPECT_FALSE(params.chosen("mode"));
}

TEST_F(FrameworkTest, MisuseOfParametersEndsTheProcess) {
  auto setup = kernel({{"demo", "good"}});
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  const tessera::Params& params = framework.members()[0]->params();
  EXPECT_DEATH(static_cast<void>(params.integer("nothing")),
               "demo_good asks for its parameter 'nothing'");
  EXPECT_DEATH(static_cast<void>(params.integer("mode")), "is of type text, not integer");
}

TEST_F(FrameworkTest, BestTakesTheFirstThatAcceptsAndLoadsNoMore) {
  install("openfails");
  auto setup = kernel({{"demo_high_priority", "1"}});
  Demo framework(*setup, "demo");
  Explanation explanation;
  auto winner = framework.best("who serves", open, &explanation);
  ASSERT_TRUE(winner.ok());
  EXPECT_EQ((*winner)->name(), "good");
  EXPECT_EQ(names(framework.members()), Names{"good"});
  EXPECT_TRUE(contains(explanation.text(), "openfails    no: no such device"));
  EXPECT_TRUE(contains(explanation.text(), "* good         yes, score 50"));
  EXPECT_TRUE(contains(explanation.text(), "low          no: not asked"));
}

TEST_F(FrameworkTest, NobodyAcceptingIsAnErrorThatTellsAll) {
  auto setup = kernel({{"demo", "^low"}});
  Demo framework(*setup, "demo");
  auto winner = framework.best("who serves", decline);
  ASSERT_FALSE(winner.ok());
  EXPECT_EQ(winner.status().code(), tessera::Errc::not_found);
  EXPECT_TRUE(contains(winner.status().text(), "good: not today"));
  EXPECT_TRUE(contains(winner.status().text(), "excluded by demo = ^low"));
}

TEST_F(FrameworkTest, RankedIsOrderedByScore) {
  auto setup = kernel();
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  const auto by_name_length = [](demo::Component&, const Member& member) {
    return member.name() == "high"
               ? Answer::no("no")
               : Answer::yes(100.0 - static_cast<double>(member.name().size()), "");
  };
  auto ranked = framework.ranked("which carry", by_name_length);
  ASSERT_TRUE(ranked.ok());
  EXPECT_EQ(names(*ranked), (Names{"low", "good"}));
}

TEST_F(FrameworkTest, DecliningIsAnErrorOnlyWhenNamed) {
  const auto all_but_low = [](demo::Component&, const Member& member) {
    return member.name() == "low" ? Answer::no("no network") : Answer::yes();
  };
  for (const auto& [list, good] : {std::pair{"", true}, {"^high", true}, {"low,good", false}}) {
    auto setup = kernel({{"demo", list}});
    Demo framework(*setup, "demo");
    ASSERT_TRUE(framework.open().ok());
    auto ranked = framework.ranked("which carry", all_but_low);
    EXPECT_EQ(ranked.ok(), good) << list;
    if (!ranked) {
      EXPECT_TRUE(contains(ranked.status().text(),
                           "demo/low was requested by name but declined: no network"));
    }
  }
}

TEST_F(FrameworkTest, StackHasTheHighestOnTop) {
  auto setup = kernel();
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  EXPECT_EQ(names(framework.stack("layers", accept)), (Names{"low", "good", "high"}));
}

TEST_F(FrameworkTest, AskTakesTheBestAnswerAndKeepsAll) {
  auto setup = kernel();
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  Explanation explanation;
  const auto cost = [](demo::Component&, const Member& m) {
    return Answer::yes(m.name() == "low" ? 2 : -1);
  };
  EXPECT_EQ(framework.ask("which mapping", cost, &explanation)->name(), "low");
  EXPECT_EQ(framework.ask("which mapping", decline), nullptr);
  EXPECT_EQ(framework.members().size(), 3u);
}

// What stands in front of others is neither among the candidates nor the winner, and is wanted or
// not.
TEST_F(FrameworkTest, InterposersDoNotCompete) {
  install("front");
  install("asked");
  for (const std::string on : {"false", "true"}) {
    auto setup = kernel({{"demo_asked_on", on}});
    Demo framework(*setup, "demo");
    EXPECT_EQ(framework.candidates().size(), 3u);
    ASSERT_EQ(framework.interposers().size(), 2u);
    const auto &asked = *framework.interposers()[0], &front = *framework.interposers()[1];
    EXPECT_EQ(asked.name, "asked");
    EXPECT_EQ(framework.unwanted(front), "");
    EXPECT_EQ(framework.unwanted(asked),
              on == "true" ? "" : "not asked for: demo_asked_on is false");
    auto winner = framework.best("who answers", accept);
    ASSERT_TRUE(winner.ok());
    EXPECT_EQ((*winner)->name(), "high");
  }
  auto setup = kernel({{"demo", "good,asked"}});  // whoever names it wants it
  Demo framework(*setup, "demo");
  ASSERT_EQ(framework.interposers().size(), 1u);
  EXPECT_EQ(framework.unwanted(*framework.interposers()[0]), "");
}

TEST_F(FrameworkTest, RetainAndDismissUnload) {
  auto setup = kernel();
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  framework.dismiss(*framework.members()[0]);
  EXPECT_EQ(names(framework.members()), (Names{"good", "low"}));
  framework.retain({framework.members()[1]});
  EXPECT_EQ(names(framework.members()), Names{"low"});
}

TEST_F(FrameworkTest, ExplanationsArePrintable) {
  install("old");
  auto setup = kernel({{"demo", "^high"}});
  Demo framework(*setup, "demo");
  Explanation explanation;
  ASSERT_TRUE(framework.open(&explanation).ok());
  const std::string json = explanation.json();
  EXPECT_TRUE(contains(json, R"("replies": [
        {
          "component": "good",
          "accepted": true,
          "chosen": true,)"))
      << json;
  EXPECT_EQ(tessera::text::split(json, '}').size(), 7u) << "four replies\n" << json;
  EXPECT_TRUE(contains(explanation.text(), "interface 6"));
  EXPECT_TRUE(contains(explanation.text(), "excluded by"));
}

TEST_F(FrameworkTest, VerboseTellsDecisions) {
  for (const auto& [level, speaks] : {std::pair{"0", false}, {"1", true}}) {
    auto setup = kernel({{"demo_verbose", level}});
    Demo framework(*setup, "demo", 3);
    testing::internal::CaptureStderr();
    ASSERT_TRUE(framework.open().ok());
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(
        said.find(" 3 demo] which components can be loaded: good chosen\n") != std::string::npos,
        speaks);
    EXPECT_EQ(said.empty(), !speaks);
  }
}

TEST_F(FrameworkTest, WarnsOfUnknownNamesOnceWithTheNearest) {
  auto setup = kernel({{"demo_god_answer", "1"}});
  const auto warnings = setup->take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0],
                       "unknown parameter 'demo_god_answer' (did you mean 'demo_good_answer'?)"));
  EXPECT_TRUE(setup->take_warnings().empty());
}

TEST_F(FrameworkTest, StrictTurnsThemIntoErrors) {
  EXPECT_TRUE(
      contains(failure({{"mca_strict", "yes"}, {"demo_god_answer", "1"}}), "demo_god_answer"));
}

TEST_F(FrameworkTest, DeprecatedNamesWorkAndAreReported) {
  auto setup =
      kernel({{"demo_good_max", "8K"}, {"demo_good_reply", "3"}, {"demo_fine_ratio", "0.25"}});
  EXPECT_EQ(setup->params().size("demo_good_limit"), 8192u);
  EXPECT_EQ(setup->params().integer("demo_good_answer"), 3);
  EXPECT_DOUBLE_EQ(setup->params().real("demo_good_ratio"), 0.25);
  const auto warnings = setup->take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "'demo_good_max' was renamed to 'demo_good_limit'"));
}

TEST_F(FrameworkTest, AnotherMpisListMayExcludeWhatIsNotHere) {
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  options.command_line = {{"mca_component_path", folder().string()}};
  const char* const exclude[] = {"OMPI_MCA_demo=^openib,low", nullptr};
  options.environment = exclude;
  auto setup = tessera::Microkernel::from_system(options);
  ASSERT_TRUE(setup.ok()) << setup.status().text();
  EXPECT_EQ((*setup)->catalog().usable("demo").size(), 2u);
  EXPECT_TRUE(contains((*setup)->take_warnings().at(0),
                       "demo = '^openib,low' (environment variable OMPI_MCA_demo) excludes"));
}

// What another MPI's environment names and we do not have leaves the default; what is said to us is
// an error.
TEST_F(FrameworkTest, AnotherMpisListOfWhatIsNotHereIsIgnored) {
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  options.command_line = {{"mca_component_path", folder().string()}};
  const char* const include[] = {"OMPI_MCA_demo=openib,low", nullptr};
  options.environment = include;
  auto setup = tessera::Microkernel::from_system(options);
  ASSERT_TRUE(setup.ok()) << setup.status().text();
  EXPECT_EQ((*setup)->catalog().usable("demo").size(), 3u);
  EXPECT_FALSE((*setup)->selection("demo").requires_name("low"));
  const auto warnings = (*setup)->take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "OMPI_MCA_demo) names components of another MPI"));
  EXPECT_FALSE(contains(warnings[0], "\n"));
  const char* const known[] = {"OMPI_MCA_demo=low", nullptr};
  options.environment = known;
  auto second = tessera::Microkernel::from_system(options);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->catalog().usable("demo").size(), 1u);
  const char* const ours[] = {"TESSERA_MCA_demo=openib", nullptr};
  options.environment = ours;
  EXPECT_FALSE(tessera::Microkernel::from_system(options).ok());
}

// The search path has a default, so nobody need set any parameter.
TEST_F(FrameworkTest, SeveralThreadsMayLoadTheSame) {
  auto setup = kernel();
  const auto work = [&setup] {
    for (int i = 0; i < 20; ++i) {
      Demo framework(*setup, "demo");
      EXPECT_TRUE(framework.open().ok());
      EXPECT_EQ(framework.members().size(), 3u);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace plugin_tests
