// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec hands its ranks, parameters and catalog: read by a process with an environment, or
// an engine, of its own.
#include <string>
#include <string_view>
#include <vector>

#include "fixture.h"

namespace plugin_tests {
namespace {

class SnapshotTest : public PluginTest {
 protected:
  SnapshotTest() {
    for (const char* name : {"good", "low", "high"}) install(name);
  }
};

TEST_F(SnapshotTest, GivesTheSameWithoutFiles) {
  install("old");
  auto first = kernel({{"demo", "^high"}, {"demo_good_mode", "copy"}});
  const std::string snapshot = first->snapshot();
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  const char* const environment[] = {"TESSERA_MCA_demo_good_answer=7",
                                     "TESSERA_MCA_demo_good_mode=direct", nullptr};
  options.environment = environment;
  auto second = tessera::Microkernel::from_snapshot(snapshot, options);
  ASSERT_TRUE(second.ok()) << second.status().text();
  const tessera::Microkernel& kernel = **second;
  EXPECT_EQ(kernel.params().integer("demo_good_answer"), 7);
  EXPECT_EQ(kernel.params().text("demo_good_mode"),
            "copy");  // the launcher's command line is stronger
  ASSERT_EQ(kernel.catalog().candidates().size(), first->catalog().candidates().size());
  for (std::size_t i = 0; i < kernel.catalog().candidates().size(); ++i) {
    EXPECT_EQ(kernel.catalog().candidates()[i].verdict, first->catalog().candidates()[i].verdict);
    EXPECT_EQ(kernel.catalog().candidates()[i].reason, first->catalog().candidates()[i].reason);
  }
  tessera::Framework<demo::Component> framework(kernel, "demo");
  ASSERT_TRUE(framework.open().ok());
  ASSERT_EQ(framework.members().size(), 2u);
  EXPECT_EQ(framework.members()[0]->name(), "good");
  EXPECT_EQ(framework.members()[1]->name(), "low");
}

// Who took the snapshot may have another engine than this process.
TEST_F(SnapshotTest, IsJudgedByTheInterfacesOfThisEngine) {
  const std::string snapshot = kernel({})->snapshot();
  auto others = frameworks;
  ++others[0].interface_number;
  tessera::MicrokernelOptions options;
  options.frameworks = others;
  options.speaks = true;
  testing::internal::CaptureStderr();
  auto second = tessera::Microkernel::from_snapshot(snapshot, options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // they belong to no installation
  ASSERT_TRUE(second.ok()) << second.status().text();
  EXPECT_TRUE((*second)->catalog().usable("demo").empty());
  for (const tessera::Candidate& candidate : (*second)->catalog().candidates()) {
    EXPECT_EQ(candidate.verdict, tessera::Verdict::refused);
    EXPECT_TRUE(contains(candidate.reason, "built for interface")) << candidate.reason;
  }
}

// Where the environments agree parameters are declared on demand: with the values, errors and
// verdicts of the process that took the snapshot, whatever is asked for first.
TEST_F(SnapshotTest, ForTheSameEnvironmentGivesTheSameValues) {
  install("old");
  auto first = kernel({{"demo", "^high"}, {"demo_good_max", "8K"}, {"demo_fine_ratio", "0.25"}});
  const std::string snapshot = first->snapshot();
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  std::vector<std::string> known;
  for (const auto& [name, parameter] : first->params().parameters()) known.push_back(name);
  ASSERT_GT(known.size(), 5u);
  for (const std::string& asked : known) {
    auto second = tessera::Microkernel::from_snapshot(snapshot, options);
    ASSERT_TRUE(second.ok()) << second.status().text();
    const tessera::Parameter* late = (*second)->params().find(asked);
    const tessera::Parameter* early = first->params().find(asked);
    ASSERT_NE(late, nullptr) << asked;
    EXPECT_EQ(late->value, early->value) << asked;
    EXPECT_EQ(late->source, early->source) << asked;
    EXPECT_EQ(late->where, early->where) << asked;
    EXPECT_EQ((*second)->params().parameters().size(), known.size());
    EXPECT_EQ((*second)->params().dump(true), first->params().dump(true));
    EXPECT_TRUE((*second)->selection("demo").exclude());
    EXPECT_EQ((*second)->catalog().usable("demo").size(), first->catalog().usable("demo").size());
  }
}

TEST_F(SnapshotTest, ABadValueOfThisProcessAloneIsAnError) {
  const std::string snapshot = kernel()->snapshot();
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  const char* const environment[] = {"TESSERA_MCA_demo_good_answer=much", nullptr};
  options.environment = environment;
  auto second = tessera::Microkernel::from_snapshot(snapshot, options);
  ASSERT_FALSE(second.ok());
  EXPECT_TRUE(contains(second.status().text(), "TESSERA_MCA_demo_good_answer"));
}

TEST_F(SnapshotTest, EveryCutOneIsRejected) {
  install("old");
  const std::string snapshot = kernel({{"demo", "good"}})->snapshot();
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  for (std::size_t length = 0; length < snapshot.size(); ++length)
    EXPECT_FALSE(
        tessera::Microkernel::from_snapshot(std::string_view(snapshot).substr(0, length), options)
            .ok());
  EXPECT_TRUE(tessera::Microkernel::from_snapshot(snapshot, options).ok());
}

TEST_F(SnapshotTest, ALaterListReplacesTheLaunchers) {
  auto first = kernel();
  tessera::MicrokernelOptions options;
  options.frameworks = frameworks;
  const char* const environment[] = {"TESSERA_MCA_demo=low", nullptr};
  options.environment = environment;
  auto second = tessera::Microkernel::from_snapshot(first->snapshot(), options);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->catalog().usable("demo").size(), 1u);
}

}  // namespace
}  // namespace plugin_tests
