// SPDX-License-Identifier: BSD-3-Clause
// Search path and catalog text. What real files lead to is tested in tests/plugins.
#include "framework/catalog.h"

#include <gtest/gtest.h>

#include "framework/install_paths.h"

namespace tessera {
namespace {

TEST(InstallPaths, AreFoundFromTheLibrary) {
  const InstallPaths paths = InstallPaths::detect("/home/somebody");
  EXPECT_TRUE(paths.system_components.starts_with(paths.prefix + "/"));
  EXPECT_TRUE(paths.system_components.ends_with("/tessera"));
  EXPECT_TRUE(paths.system_config.ends_with("/tessera"));
  EXPECT_EQ(paths.user_components, "/home/somebody/.tessera/components");
  EXPECT_EQ(paths.user_config, "/home/somebody/.tessera");
}

TEST(InstallPaths, WithoutAHomeThereIsNoUserPart) {
  for (const char* home : {static_cast<const char*>(nullptr), "", "relative"}) {
    const InstallPaths paths = InstallPaths::detect(home);
    EXPECT_EQ(paths.user_components, "");
    EXPECT_EQ(paths.expand("USER:SYSTEM").size(), 1u);
  }
}

TEST(InstallPaths, ExpandsTheSearchPath) {
  const InstallPaths paths = InstallPaths::detect("/home/somebody");
  const std::vector<std::string> expected = {"/a/b", paths.user_components, "/home/somebody/own",
                                             paths.system_components};
  EXPECT_EQ(paths.expand("/a/./b/: USER :~/own::SYSTEM:/a/b"), expected);
  EXPECT_TRUE(paths.expand("relative")[0].starts_with("/"));
}

TEST(Catalog, ForeignTextIsRejected) {
  Catalog catalog;
  for (const char* bad :
       {"", "end\n", "tessera-catalog 2\n", "tessera-catalog 1\nend\n",
        "tessera-catalog 2\nwhat\nend\n", "tessera-catalog 2\ncomponent\todd\t\t\t\t\t\nend\n",
        "tessera-catalog 2\ncomponent\tusable\tp\tf\tn\t\tno number\nend\n",
        "tessera-catalog 2\ncomponent\tusable\tp\tf\tn\t\t11\nno manifest\nend\n",
        "tessera-catalog 2\ncomponent\tusable\tp\tf\tn\t\t9\nlayout\t1\nend\n",
        "tessera-catalog 2\ncomponent\tusable\tp\tf\tn\t\t99\nlayout\t1\nend\n"})
    EXPECT_EQ(catalog.restore(bad).ok(), false) << bad;
  EXPECT_TRUE(catalog.restore("tessera-catalog 2\ndirectory\t/x\tdoes not exist\nend\n").ok());
  EXPECT_EQ(catalog.directories().size(), 1u);
}

TEST(Catalog, VerdictsHaveNames) {
  EXPECT_EQ(verdict_name(Verdict::usable), "usable");
  EXPECT_EQ(verdict_name(Verdict::shadowed), "shadowed");
}

}  // namespace
}  // namespace tessera
