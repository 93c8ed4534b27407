// SPDX-License-Identifier: BSD-3-Clause
// Lists that were written for another MPI, by where they come from.
#include "framework/foreign_lists.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const std::vector<std::string> kKnown = {"self", "sm", "tcp"};

Parameter list_of(std::string text, ParamSource source, std::string where) {
  Parameter list;
  list.spec.name = "btl";
  list.text = std::move(text);
  list.source = source;
  list.where = std::move(where);
  return list;
}

bool foreign(const std::string& text, ParamSource source, const std::string& where) {
  const Selection selection = std::move(Selection::parse("btl", text, where)).value();
  return is_foreign(list_of(text, source, where), selection, kKnown);
}

TEST(ForeignLists, FromTheEnvironmentOfAnotherMpiAnyNameIsIts) {
  const auto source = ParamSource::foreign_environment;
  EXPECT_TRUE(foreign("openib,self", source, "OMPI_MCA_btl"));
  EXPECT_TRUE(foreign("^brandnew", source, "OMPI_MCA_btl"));
  EXPECT_FALSE(foreign("self,tcp", source, "OMPI_MCA_btl"));
}

TEST(ForeignLists, InPlainFilesOnlyNamesThatExistElsewhere) {
  for (const auto source :
       {ParamSource::system_file, ParamSource::user_file, ParamSource::tune_file}) {
    EXPECT_TRUE(foreign("openib,self", source, "/h/mca-params.conf:3"));
    EXPECT_FALSE(foreign("tpc,self", source, "/h/mca-params.conf:3"));
    EXPECT_FALSE(foreign("openib,tpc", source, "/h/mca-params.conf:3"));
    EXPECT_FALSE(foreign("openib,self", source, "/h/mca-params.yaml:3"));
  }
}

TEST(ForeignLists, WhatIsSaidToUsIsNotForeign) {
  EXPECT_FALSE(foreign("openib", ParamSource::command_line, "--mca btl"));
  EXPECT_FALSE(foreign("openib", ParamSource::environment, "TESSERA_MCA_btl"));
}

TEST(ForeignLists, VaderIsSm) {
  const auto adopted = [](ParamSource source, const std::string& where) {
    Selection selection = std::move(Selection::parse("btl", "self,vader", where)).value();
    adopt_foreign_names(list_of("self,vader", source, where), selection);
    return selection.list();
  };
  EXPECT_EQ(adopted(ParamSource::foreign_environment, "OMPI_MCA_btl"), "self,sm");
  EXPECT_EQ(adopted(ParamSource::user_file, "/h/mca-params.conf:1"), "self,sm");
  EXPECT_EQ(adopted(ParamSource::command_line, "--mca btl"), "self,vader");
}

}  // namespace
}  // namespace tessera
