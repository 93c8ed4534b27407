// SPDX-License-Identifier: BSD-3-Clause
// Help topics: their form, their output, and that each declared one is used. (A use without a topic
// does not compile.)
#include "framework/help.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "framework/help_topics.h"
#include "framework/log.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr HelpTopic<2> sample{"sample", "{1} before {0}.", "Try {0}."};

TEST(Help, FillsInArguments) {
  EXPECT_EQ(help_text(sample, "a{}", "b"), "b before a{}.\nWhat to do: Try a{}. [sample]");
}

TEST(Help, CountsPlaceholdersAtCompileTime) {
  static_assert(count_placeholders("") == 0);
  static_assert(count_placeholders("{0}") == 1);
  static_assert(count_placeholders("{2} {0}") == 3);
}

TEST(Help, PrintsOneIndentedBlock) {
  testing::internal::CaptureStderr();
  show_help(sample, "a", std::string(120, 'x') + " y");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tessera: " + std::string(120, 'x') +
                "\n         y before a.\n         What to do: Try a. [sample]\n");
}

TEST(Log, IsSilentBelowItsLevel) {
  testing::internal::CaptureStderr();
  Log()(1, "never {}", 1);
  Log("btl", 10)(11, "not yet");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  Log("btl", 10, 4)(10, "now {}", 2);
  Log("btl", 10)(1, "unknown rank");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(std::regex_match(
      said, std::regex("\\[[^ ]+:[0-9]+ 4 btl\\] now 2\n\\[.* - btl\\] unknown rank\n")))
      << said;
}

// All C++ sources that may declare or use topics, whole.
std::string all_sources() {
  std::string all;
  for (const char* folder : {"framework", "core", "api", "launcher", "ompi-info"}) {
    const fs::path root = fs::path(TESSERA_SOURCE_DIR) / folder;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path extension = entry->path().extension();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream stream(entry->path());
      all.append(std::istreambuf_iterator<char>(stream), {});
    }
  }
  return all;
}

TEST(Help, EveryDeclaredTopicIsUsedAndNamedOnce) {
  const std::string sources = all_sources();
  const std::regex declaration("HelpTopic<[0-9]+> ([a-z_]+)\\{\\s*\"([a-z-]+)\"");
  std::set<std::string> names;
  std::size_t declared = 0;
  for (std::sregex_iterator found(sources.begin(), sources.end(), declaration), end; found != end;
       ++found) {
    ++declared;
    const std::regex use("topics::" + (*found)[1].str() + "\\b");
    EXPECT_TRUE(std::regex_search(sources, use)) << "nobody uses topic " << (*found)[1];
    EXPECT_TRUE(names.insert((*found)[2].str()).second) << "two topics are called " << (*found)[2];
  }
  EXPECT_GE(declared, 14u);
}

}  // namespace
}  // namespace tessera
