// SPDX-License-Identifier: BSD-3-Clause
// Include and exclude lists.
#include "framework/selection.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Selection parse(std::string_view list) {
  auto selection = Selection::parse("btl", list, "command line, --mca btl");
  EXPECT_TRUE(selection.ok()) << selection.status().text();
  return selection ? std::move(selection).value() : Selection();
}

TEST(Selection, EmptyAdmitsAll) {
  for (const char* list : {"", "  "}) {
    EXPECT_TRUE(parse(list).admits("anything"));
    EXPECT_FALSE(parse(list).requires_name("anything"));
  }
}

TEST(Selection, Includes) {
  const Selection selection = parse(" self , tcp,self");
  EXPECT_TRUE(selection.admits("self"));
  EXPECT_FALSE(selection.admits("sm"));
  EXPECT_TRUE(selection.requires_name("tcp"));
  EXPECT_EQ(selection.list(), "self,tcp");
}

TEST(Selection, Excludes) {
  const Selection selection = parse("^sm,tcp");
  EXPECT_FALSE(selection.admits("sm"));
  EXPECT_TRUE(selection.admits("self"));
  EXPECT_FALSE(selection.requires_name("sm"));
  EXPECT_EQ(selection.list(), "^sm,tcp");
}

TEST(Selection, BadListsNameTheirOrigin) {
  for (const char* list : {"a,^b", "^a,^b", "^^a", "a^b", "a,", ",a", "a,,b", "^", "^,a"}) {
    const auto selection = Selection::parse("btl", list, "command line, --mca btl");
    ASSERT_FALSE(selection.ok()) << list;
    EXPECT_EQ(selection.status().code(), Errc::argument);
    EXPECT_NE(std::string(selection.status().text()).find("command line, --mca btl"),
              std::string::npos);
  }
}

TEST(Selection, UnknownNamesGetASuggestion) {
  const std::vector<std::string> known = {"self", "sm", "tcp"};
  EXPECT_TRUE(parse("self,tcp").check_known(known).ok());
  for (const char* list : {"self,tpc", "^tpc"}) {
    const Status status = parse(list).check_known(known);
    EXPECT_EQ(status.code(), Errc::not_found);
    const std::string text = status.text();
    EXPECT_NE(text.find("'tpc' (did you mean 'tcp'?)"), std::string::npos) << text;
    EXPECT_NE(text.find("Known components: self, sm, tcp."), std::string::npos) << text;
  }
}

TEST(Selection, RenamesAliasesAndDropsUnknown) {
  Selection selection = parse("vader,self");
  selection.rename("vader", "sm");
  EXPECT_TRUE(selection.requires_name("sm"));
  Selection foreign = parse("^openib,sm");
  EXPECT_EQ(foreign.drop_unknown(std::vector<std::string>{"sm"}),
            std::vector<std::string>{"openib"});
  EXPECT_FALSE(foreign.admits("sm"));
  EXPECT_EQ(foreign.list(), "^sm");
}

}  // namespace
}  // namespace tessera
