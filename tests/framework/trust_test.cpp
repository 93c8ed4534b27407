// SPDX-License-Identifier: BSD-3-Clause
// Which files a process of root obeys. Without root there is nothing to refuse.
#include "framework/trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "framework/catalog.h"
#include "framework/param_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 12345;

class Trust : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-trust-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
    file_ = folder_ / "tessera_btl_demo.so";
    std::ofstream(file_) << "btl = self\n";
    chmod(file_.c_str(), 0644);
    if (geteuid() != 0) GTEST_SKIP() << "only root refuses files";
    if (!distrust("/tmp").empty()) GTEST_SKIP() << "/tmp itself is not safe here";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  fs::path folder_, file_;
};

TEST_F(Trust, FilesOfRootAreObeyed) {
  EXPECT_EQ(distrust(file_), "");
  EXPECT_EQ(distrust(folder_), "");
  EXPECT_EQ(distrust(folder_ / "missing"), "");
}

TEST_F(Trust, FilesOfOthersAreNot) {
  ASSERT_EQ(chown(file_.c_str(), kSomebody, 0), 0);
  EXPECT_TRUE(says(distrust(file_), file_.string() + " belongs to user 12345"));
}

TEST_F(Trust, FilesThatOthersCanWriteToAreNot) {
  chmod(file_.c_str(), 0666);
  EXPECT_TRUE(says(distrust(file_), "everybody may write to " + file_.string()));
  ASSERT_EQ(chown(file_.c_str(), 0, kSomebody), 0);
  chmod(file_.c_str(), 0664);
  EXPECT_TRUE(says(distrust(file_), "group 12345 may write to " + file_.string()));
}

TEST_F(Trust, NorWhatLiesInADirectoryOfOthers) {
  ASSERT_EQ(chown(folder_.c_str(), kSomebody, 0), 0);
  EXPECT_TRUE(says(distrust(file_), folder_.string() + " belongs to user 12345"));
  const std::string link = "/tmp/tessera-trust-link-" + std::to_string(getpid());
  fs::create_symlink(folder_, link);
  EXPECT_TRUE(says(distrust(link), folder_.string() + " belongs to user 12345"));
  fs::remove(link);
}

TEST_F(Trust, AnEntryOfATrustedDirectoryIsLookedAtAloneUnlessItIsALink) {
  const fs::path link = folder_ / "tessera_btl_link.so";
  fs::create_directory(folder_ / "theirs");
  chmod((folder_ / "theirs").c_str(), 0755);
  const fs::path theirs = folder_ / "theirs" / "tessera_btl_theirs.so";
  std::ofstream(theirs) << "\n";
  chmod(theirs.c_str(), 0644);
  fs::create_symlink(theirs, link);
  EXPECT_EQ(distrust_entry(file_), "");
  EXPECT_EQ(distrust_entry(folder_ / "missing"), "");
  EXPECT_EQ(distrust_entry(link), "");
  ASSERT_EQ(chown((folder_ / "theirs").c_str(), kSomebody, 0), 0);
  EXPECT_TRUE(says(distrust_entry(link), "theirs belongs to user 12345"));
  chmod(file_.c_str(), 0666);
  EXPECT_TRUE(says(distrust_entry(file_), "everybody may write to " + file_.string()));
}

TEST_F(Trust, TheCatalogSaysWhy) {
  ASSERT_EQ(chown(file_.c_str(), kSomebody, 0), 0);
  Catalog catalog;
  const std::vector<std::string> directories = {folder_.string()};
  catalog.scan(directories, {});
  ASSERT_EQ(catalog.candidates().size(), 1u);
  EXPECT_EQ(catalog.candidates()[0].verdict, Verdict::refused);
  EXPECT_TRUE(says(catalog.candidates()[0].reason, "belongs to user 12345"));
  ASSERT_EQ(chown(folder_.c_str(), kSomebody, 0), 0);
  catalog.scan(directories, {});
  EXPECT_TRUE(catalog.candidates().empty());
  ASSERT_EQ(catalog.directories().size(), 1u);
  EXPECT_TRUE(says(catalog.directories()[0].problem, "belongs to user 12345"));
}

TEST_F(Trust, ParameterFilesOfOthersAreRefused) {
  EXPECT_TRUE(read_param_file(file_, ParamSource::tune_file).ok());
  ASSERT_EQ(chown(file_.c_str(), kSomebody, 0), 0);
  const auto read = read_param_file(file_, ParamSource::tune_file);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), Errc::refused);
  EXPECT_TRUE(says(read.status().text(), "belongs to user 12345"));
}

}  // namespace
}  // namespace tessera
