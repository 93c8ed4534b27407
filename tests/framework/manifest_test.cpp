// SPDX-License-Identifier: BSD-3-Clause
// The manifest's text, as the macros write it and as it must not be.
#include "framework/manifest.h"

#include <gtest/gtest.h>

#include "tessera/component.h"

#define TESSERA_INTERFACE_demo 7

namespace tessera {
namespace {

const std::string written =
    TESSERA_MANIFEST_TEXT(demo, one, "1.2", 30, "A summary",
                          TESSERA_PARAM("limit", size, "4K", "64..64K", "bytes", 4, "Largest.")
                              TESSERA_FACT("reach", "machine") TESSERA_FACT("reach", "rack"));

std::string problem(const std::string& text) {
  auto manifest = Manifest::parse(text);
  return manifest ? "" : manifest.status().text();
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text = written;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Manifest, ReadsWhatTheMacrosWrite) {
  auto parsed = Manifest::parse(written);
  ASSERT_TRUE(parsed.ok()) << parsed.status().text();
  const Manifest& manifest = parsed.value();
  EXPECT_EQ(manifest.layout, 1);
  EXPECT_EQ(manifest.framework, "demo");
  EXPECT_EQ(manifest.interface_number, 7);
  EXPECT_EQ(manifest.abi, TESSERA_ABI_TAG);
  EXPECT_EQ(manifest.name, "one");
  EXPECT_EQ(manifest.version, "1.2");
  EXPECT_EQ(manifest.priority, 30);
  EXPECT_EQ(manifest.summary, "A summary");
  ASSERT_EQ(manifest.params.size(), 1u);
  EXPECT_EQ(manifest.params[0].name, "demo_one_limit");
  EXPECT_EQ(manifest.params[0].unit, "bytes");
  EXPECT_EQ(manifest.params[0].component, "one");
  EXPECT_EQ(manifest.facts_of("reach"), (std::vector<std::string_view>{"machine", "rack"}));
}

TEST(Manifest, RefusesWhatIsWrong) {
  EXPECT_NE(problem(""), "");
  EXPECT_NE(problem("layout\tone\n"), "");
  EXPECT_NE(problem(written.substr(0, written.size() - 1)), "");
  EXPECT_NE(problem(replaced("interface\t7", "interface\tseven")), "");
  EXPECT_NE(problem(replaced("name\tone", "name\t../one")), "");
  EXPECT_NE(problem(replaced("priority\t30", "priority\t101")), "");
  EXPECT_NE(problem(replaced("\tsize\t", "\tbytes\t")), "");
  EXPECT_NE(problem(replaced("\t4K\t", "\t4T\t")), "");
  EXPECT_NE(problem(replaced("\t4\tLargest", "\t0\tLargest")), "");
  EXPECT_NE(problem(replaced("fact\treach\tmachine", "fact\treach")), "");
  EXPECT_NE(problem(replaced("summary", "sumary")), "");
  EXPECT_EQ(problem(replaced("version\t1.2\n", "")), "manifest has no version line");
}

TEST(Manifest, AnotherLayoutIsNotReadFurther) {
  auto parsed = Manifest::parse("layout\t2\nwho knows\n");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->layout, 2);
  EXPECT_TRUE(parsed->name.empty());
}

}  // namespace
}  // namespace tessera
