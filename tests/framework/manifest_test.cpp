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
                              TESSERA_VARIABLE("queue", level, peers, "messages", 5, "Waiting.")
                                  TESSERA_EVENT("full", "queue,room", 3, "No more.")
                                      TESSERA_FACT("scope", "node") TESSERA_FACT("scope", "rack"));

std::string problem(const std::string& text) {
  auto manifest = Manifest::parse(text);
  return manifest ? "" : manifest.status().text();
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text = written;
  return text.replace(text.find(from), from.size(), to);
}

TEST(Manifest, AnOutlineKnowsItsSwitches) {
  const std::string text = TESSERA_MANIFEST_TEXT(
      demo, one, "1", 30, "A summary",
      TESSERA_PARAM("enable", boolean, "Yes", "", "", 3, "Whether it takes part.")
          TESSERA_PARAM("count", boolean, "false", "", "", 3, "Whether it counts.")
              TESSERA_PARAM("limit", size, "1", "", "bytes", 4, "Largest."));
  auto outline = Manifest::parse(text, Depth::outline);
  ASSERT_TRUE(outline.ok());
  EXPECT_TRUE(outline->has_switch("enable") && outline->switched_on("enable"));
  EXPECT_TRUE(outline->has_switch("count") && !outline->switched_on("count"));
  for (const char* none : {"limit", "able", "none"})
    EXPECT_FALSE(outline->has_switch(none) || outline->switched_on(none)) << none;
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
  ASSERT_EQ(manifest.variables.size(), 1u);
  EXPECT_EQ(manifest.variables[0].name, "demo_one_queue");
  EXPECT_EQ(manifest.variables[0].kind, VariableClass::level);
  EXPECT_TRUE(manifest.variables[0].per_peer);
  EXPECT_EQ(manifest.variables[0].level, 5);
  ASSERT_EQ(manifest.events.size(), 1u);
  EXPECT_EQ(manifest.events[0].name, "demo_one_full");
  EXPECT_EQ(manifest.events[0].elements, (std::vector<std::string>{"queue", "room"}));
  EXPECT_EQ(manifest.facts_of("scope"), (std::vector<std::string_view>{"node", "rack"}));
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
  EXPECT_NE(problem(replaced("\tlevel\tpeers", "\tvolume\tpeers")), "");
  EXPECT_NE(problem(replaced("\tlevel\tpeers", "\tstate\tpeers")), "");
  EXPECT_NE(problem(replaced("\tlevel\tpeers", "\tlevel\tfriends")), "");
  EXPECT_NE(problem(replaced("\tlevel\tpeers", "\thighwatermark\tpeers")), "");
  EXPECT_NE(problem(replaced("\t5\tWaiting", "\t10\tWaiting")), "");
  EXPECT_NE(problem(replaced("queue,room", "queue,,room")), "");
  EXPECT_NE(problem(replaced("queue,room", "a,b,c,d,e,f,g,h,i")), "");
  EXPECT_NE(problem(written + "variable\tqueue\tlevel\tprocess\t\t4\tTwice.\n"), "");
  EXPECT_NE(problem(replaced("fact\tscope\tnode", "fact\tscope")), "");
  EXPECT_NE(problem(replaced("summary", "sumary")), "");
  EXPECT_EQ(problem(replaced("version\t1.2\n", "")), "manifest has no version line");
}

TEST(Manifest, AnOutlineLeavesOutWhatIsRarelyAskedFor) {
  auto outline = Manifest::parse(written, Depth::outline);
  ASSERT_TRUE(outline.ok());
  EXPECT_EQ(outline->depth, Depth::outline);
  EXPECT_TRUE(outline->params.empty() && outline->variables.empty() && outline->events.empty());
  EXPECT_EQ(outline->facts_of("scope").size(), 2u);
}

TEST(Manifest, AnotherLayoutIsNotReadFurther) {
  auto parsed = Manifest::parse("layout\t2\nwho knows\n");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->layout, 2);
  EXPECT_TRUE(parsed->name.empty());
}

}  // namespace
}  // namespace tessera
