// SPDX-License-Identifier: BSD-3-Clause
// Parameter files of both kinds, good and bad.
#include "framework/param_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace tessera {
namespace {

using Lines = std::vector<std::string>;

Lines read(std::string_view text, const std::string& path,
           ParamSource source = ParamSource::user_file) {
  auto settings = parse_param_text(text, path, source);
  if (!settings) return {"error: " + std::string(settings.status().text())};
  Lines lines;
  for (const ParamSetting& one : *settings)
    lines.push_back(one.name + "|" + one.value + "|" + one.where);
  return lines;
}

std::string problem(std::string_view text, const std::string& path,
                    ParamSource source = ParamSource::user_file) {
  auto settings = parse_param_text(text, path, source);
  if (settings) return "";
  const std::string whole = settings.status().text();
  return whole.substr(0, whole.find('\n'));
}

TEST(PlainFile, ReadsWhatUsersOwn) {
  EXPECT_EQ(
      read("# comment\n\nbtl = self,sm\r\n  coll_x_y=4K # note\npath = a#b\nempty =\nlast = 1",
           "f.conf"),
      (Lines{"btl|self,sm|f.conf:3", "coll_x_y|4K|f.conf:4", "path|a#b|f.conf:5", "empty||f.conf:6",
             "last|1|f.conf:7"}));
}

TEST(PlainFile, Quotes) {
  EXPECT_EQ(read("a = \"x # y\"  # z\nb = ' q '\nc = it's", "f.conf"),
            (Lines{"a|x # y|f.conf:1", "b| q |f.conf:2", "c|it's|f.conf:3"}));
}

TEST(PlainFile, ErrorsNameTheLine) {
  EXPECT_EQ(problem("a = 1\nb 2\n", "f.conf"), "f.conf:2: there is no '=' between name and value.");
  EXPECT_EQ(problem("\n= 2\n", "f.conf"), "f.conf:2: '' is no parameter name.");
  EXPECT_EQ(problem("a b = 2\n", "f.conf"), "f.conf:1: 'a b' is no parameter name.");
  EXPECT_EQ(problem("a = \"x\n", "f.conf"), "f.conf:1: the quote is not closed.");
  EXPECT_EQ(problem("a = \"x\" y\n", "f.conf"), "f.conf:1: there is text after the closing quote.");
  EXPECT_NE(problem(std::string_view("a = \0", 5), "f.conf"), "");
}

TEST(TuneFile, TakesOptions) {
  EXPECT_EQ(read("--mca btl self,sm\n-mca\tx_y  \"a b\"\nz = 1\n", "t", ParamSource::tune_file),
            (Lines{"btl|self,sm|t:1", "x_y|a b|t:2", "z|1|t:3"}));
  EXPECT_NE(problem("-x A=B", "t", ParamSource::tune_file), "");
  EXPECT_NE(problem("--mca alone", "t", ParamSource::tune_file), "");
  EXPECT_NE(problem("--mca btl self", "f.conf", ParamSource::user_file), "");
}

TEST(YamlFile, FlatNestedAndLists) {
  EXPECT_EQ(
      read("btl: [self, sm]\npml_ob1:\n  eager: 4K\n  deep:\n    er: yes\nnothing:\nneg: ^tcp\n",
           "f.yaml"),
      (Lines{"btl|self,sm|f.yaml:1", "pml_ob1_eager|4K|f.yaml:3", "pml_ob1_deep_er|yes|f.yaml:5",
             "nothing||f.yaml:6", "neg|^tcp|f.yaml:7"}));
  EXPECT_TRUE(read("", "f.yaml").empty());
  EXPECT_TRUE(read("# only a comment\n", "f.yaml").empty());
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a: 1\n",
                 "f.yaml"),
            Lines{"a|1|f.yaml:1"});
}

TEST(YamlFile, ErrorsNameTheLine) {
  EXPECT_EQ(problem("a: 1\nb: [1, 2\n", "f.yaml").substr(0, 9), "f.yaml:2:");
  EXPECT_EQ(problem("- a\n- b\n", "f.yaml"),
            "f.yaml:1: the file must be a map of names to values.");
  EXPECT_EQ(problem("a: 1\nb: [[1]]\n", "f.yaml"),
            "f.yaml:2: a list may only contain plain values.");
  EXPECT_EQ(problem("? [1]\n: 2\n", "f.yaml"),
            "f.yaml:1: a name must be plain text, and not empty.");
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(problem(deep + std::string(20, ' ') + "a: 1\n", "f.yaml").find("nested too deeply"),
            std::string::npos);
}

class RealFile : public testing::Test {
 protected:
  RealFile() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tessera-files-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~RealFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(RealFile, MissingUnreadableAndOdd) {
  EXPECT_EQ(read_param_file(folder_ / "none", ParamSource::tune_file).status().code(),
            Errc::not_found);
  EXPECT_EQ(read_param_file(folder_, ParamSource::user_file).status().code(), Errc::system);
  const std::string pipe = folder_ / "pipe.conf";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_param_file(pipe, ParamSource::user_file).status().code(), Errc::system);
  const std::string file = folder_ / "good.conf";
  std::ofstream(file) << "a = 1\n";
  auto settings = read_param_file(file, ParamSource::system_file);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->at(0).where, file + ":1");
  EXPECT_EQ(settings->at(0).source, ParamSource::system_file);
}

}  // namespace
}  // namespace tessera
