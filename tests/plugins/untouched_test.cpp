// SPDX-License-Identifier: BSD-3-Clause
// Where nobody has set a parameter: what is put off until somebody asks.
#include "fixture.h"

namespace plugin_tests {
namespace {

class UntouchedTest : public PluginTest {
 protected:
  static constexpr const char* kUsers = ".tessera/components";
  std::unique_ptr<tessera::Microkernel> untouched() {
    const std::string home = "HOME=" + folder().string();
    const char* const environment[] = {home.c_str(), nullptr};
    tessera::MicrokernelOptions options;
    options.frameworks = frameworks;
    options.environment = environment;
    auto made_kernel = tessera::Microkernel::from_system(options);
    EXPECT_TRUE(made_kernel.ok());
    return std::move(made_kernel).value();
  }
  // Puts `good` there with another type for one of its parameters.
  void install_unsound(const std::string& subfolder) {
    std::string bytes = read(made(file_name("good")));
    const std::size_t at = bytes.find("param\tanswer\tinteger");
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, 20, "param\tanswer\tintegel");
    folder(subfolder);
    write(subfolder + "/" + file_name("good"), bytes);
  }
};

TEST_F(UntouchedTest, ParametersAreDeclaredWhenSomebodyAsks) {
  for (const char* name : {"good", "low", "high"}) install(name, kUsers);
  auto setup = untouched();
  for (const tessera::Candidate* candidate : setup->catalog().usable("demo"))
    EXPECT_EQ(candidate->manifest.depth, tessera::Depth::outline);
  EXPECT_EQ(setup->params().integer("demo_good_answer"), 42);
  Demo framework(*setup, "demo");
  ASSERT_TRUE(framework.open().ok());
  EXPECT_EQ(names(framework.members()), (Names{"high", "good", "low"}));
  EXPECT_EQ(framework.members()[1]->params().size("limit"), 4096u);
  EXPECT_TRUE(setup->params().parameters().contains("demo_low_priority"));
}

// Its manifest is read to the end only then; what is wrong is told as if it had been before.
TEST_F(UntouchedTest, WhatIsWrongWithThemIsFoundBeforeTheComponentIsLoaded) {
  install("low", kUsers);
  install_unsound(kUsers);
  auto setup = untouched();
  EXPECT_EQ(setup->catalog().usable("demo").size(), 2u);
  Demo framework(*setup, "demo");
  tessera::Explanation explanation;
  ASSERT_TRUE(framework.open(&explanation).ok());
  EXPECT_EQ(names(framework.members()), (Names{"low"}));
  const tessera::Candidate* late = setup->catalog().find("demo", "good");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->verdict, tessera::Verdict::refused);

  install_unsound("other");
  auto strict = kernel({{"mca_component_path", folder("other").string()}});
  const tessera::Candidate* early = strict->catalog().find("demo", "good");
  ASSERT_NE(early, nullptr);
  EXPECT_EQ(early->verdict, tessera::Verdict::refused);
  const auto told = [](const tessera::Candidate& one) {
    return one.reason.substr(one.path.size());
  };
  EXPECT_EQ(told(*late), told(*early));
  EXPECT_TRUE(contains(early->reason, "has an unknown parameter type or level"));
}

TEST_F(UntouchedTest, FilesAreReadWhenSomebodyAsksForTheirFramework) {
  for (const char* name : {"good", "low"}) install(name, kUsers);
  auto setup = untouched();
  EXPECT_EQ(setup->params().integer("demo_low_priority"), 5);
  write(std::string(kUsers) + "/" + file_name("high"), read(made(file_name("high"))));
  EXPECT_EQ(setup->catalog().usable("demo").size(), 2u);  // the directory was listed before

  auto later = untouched();
  EXPECT_TRUE(later->catalog().usable("other").empty());
  write(std::string(kUsers) + "/" + file_name("good"), "no object file");
  EXPECT_EQ(later->catalog().usable("demo").size(), 2u);
  const tessera::Candidate* damaged = later->catalog().find("demo", "good");
  ASSERT_NE(damaged, nullptr);
  EXPECT_EQ(damaged->verdict, tessera::Verdict::refused);
  EXPECT_EQ(later->catalog().known_names("demo"), (Names{"good", "high", "low"}));
}

TEST_F(UntouchedTest, AFileNameThatSaysNothingMayMeanAnyFramework) {
  folder(kUsers);
  write(std::string(kUsers) + "/anything.so", read(made(file_name("good"))));
  auto setup = untouched();
  EXPECT_TRUE(setup->catalog().usable("demo").empty());
  const tessera::Candidate* misnamed = setup->catalog().find("demo", "good");
  ASSERT_NE(misnamed, nullptr);
  EXPECT_TRUE(contains(misnamed->reason, "rename the file to " + file_name("good")));
}

}  // namespace
}  // namespace plugin_tests
