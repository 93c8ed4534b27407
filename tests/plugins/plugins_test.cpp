// SPDX-License-Identifier: BSD-3-Clause
// Every kind of bad component is refused or skipped with a message that says which file, what is
// wrong, what to do; and none of it hides the good ones or runs any of their code.
#include <elf.h>
#include <sys/stat.h>

#include <cstring>

#include "fixture.h"

namespace plugin_tests {
namespace {

using tessera::Candidate;
using tessera::Verdict;

// A component that must be refused by its bytes, and two phrases of the reason: what is wrong, what
// to do.
struct BadFile {
  std::string file;
  std::string wrong;
  std::string remedy;
};

std::ostream& operator<<(std::ostream& out, const BadFile& bad) {
  return out << bad.file;
}

class RefusedByBytes : public PluginTest, public testing::WithParamInterface<BadFile> {
 protected:
  void make(const std::string& file) {
    std::string bytes = read(made("tessera_demo_good.so"));
    if (fs::exists(made(file))) return install(file);
    if (file == "tessera_demo_text.so") bytes = "I am not a shared object\n";
    if (file == "tessera_demo_empty.so") bytes.clear();
    if (file == "tessera_demo_header.so") bytes.resize(40);
    if (file == "tessera_demo_cut.so") bytes.resize(bytes.size() / 2);
    if (file == "tessera_demo_machine.so")
      bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_S390);
    if (file == "tessera_demo_class.so") bytes[EI_CLASS] = ELFCLASS32;
    if (file == "tessera_demo_type.so") bytes[offsetof(Elf64_Ehdr, e_type)] = ET_EXEC;
    write(file, bytes);
  }
};

TEST_P(RefusedByBytes, WithAReasonAndInSilence) {
  install("good");
  make(GetParam().file);
  testing::internal::CaptureStderr();
  auto setup = kernel();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_NE(setup, nullptr);
  ASSERT_EQ(setup->catalog().candidates().size(), 2u);
  EXPECT_EQ(setup->catalog().usable("demo").size(), 1u);
  for (const Candidate& candidate : setup->catalog().candidates()) {
    if (candidate.usable()) continue;
    EXPECT_EQ(candidate.verdict, Verdict::refused);
    EXPECT_TRUE(contains(candidate.reason, (folder() / GetParam().file).string()));
    EXPECT_TRUE(contains(candidate.reason, GetParam().wrong));
    EXPECT_TRUE(contains(candidate.reason, GetParam().remedy));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedByBytes,
    testing::Values(
        BadFile{"tessera_demo_old.so",
                "built for interface 6 of framework demo, this engine has interface 7", "rebuild"},
        BadFile{"tessera_demo_abi.so", "built for ABI vax-libc++", "rebuild"},
        BadFile{"tessera_demo_layout.so", "layout 99", "rebuild"},
        BadFile{"tessera_demo_garbled.so", "'nonsense' is unknown", "rebuild"},
        BadFile{"tessera_demo_clash.so", "demo_clash_priority is declared twice", "rename"},
        BadFile{"tessera_demo_vague.so",
                "interposes = sometimes is neither always nor a boolean parameter", "declare"},
        BadFile{"tessera_strange_thing.so",
                "framework strange, which this engine does not have (it has demo)", "remove"},
        BadFile{"tessera_demo_misnamed.so", "component other of framework demo",
                "rename the file to tessera_demo_other.so"},
        BadFile{"tessera_demo_private.so", "functions of the engine that are not part of the SDK",
                "link it as tessera_add_component"},
        BadFile{"tessera_demo_nonote.so", "has no manifest", "TESSERA_COMPONENT"},
        BadFile{"tessera_demo_text.so", "not an ELF file", "remove"},
        BadFile{"tessera_demo_empty.so", "is empty", "empty"},
        BadFile{"tessera_demo_header.so", "cut off", "again"},
        BadFile{"tessera_demo_cut.so", "cut off", "again"},
        BadFile{"tessera_demo_machine.so", "built for machine number 22", "rebuild"},
        BadFile{"tessera_demo_class.so", "not a 64-bit object", "rebuild"},
        BadFile{"tessera_demo_type.so", "not a shared object", "-shared"}),
    [](const auto& one) { return one.param.file.substr(8, one.param.file.size() - 11); });

// Those whose fault only the dynamic linker or the entry can show.
class RefusedByLoading : public PluginTest, public testing::WithParamInterface<BadFile> {};

TEST_P(RefusedByLoading, SkippedWhenNobodyNamedIt) {
  install("good");
  install(GetParam().file);
  auto setup = kernel();
  ASSERT_NE(setup, nullptr);
  tessera::Framework<demo::Component> framework(*setup, "demo");
  tessera::Explanation explanation;
  testing::internal::CaptureStderr();
  ASSERT_TRUE(framework.open(&explanation).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(framework.members().size(), 1u);
  EXPECT_EQ(framework.members()[0]->name(), "good");
  EXPECT_TRUE(contains(explanation.text(), (folder() / GetParam().file).string()));
  EXPECT_TRUE(contains(explanation.text(), GetParam().wrong));
  EXPECT_TRUE(contains(explanation.text(), GetParam().remedy));
}

TEST_P(RefusedByLoading, AnErrorWhenNamed) {
  install("good");
  install(GetParam().file);
  const std::string name = fs::path(GetParam().file).stem().string().substr(13);
  auto setup = kernel({{"demo", name + ",good"}});
  ASSERT_NE(setup, nullptr);
  tessera::Framework<demo::Component> framework(*setup, "demo");
  const tessera::Status status = framework.open();
  EXPECT_EQ(status.code(), tessera::Errc::refused);
  EXPECT_TRUE(contains(status.text(), "component demo/" + name + " was requested (command line"));
  EXPECT_TRUE(contains(status.text(), GetParam().wrong));
  EXPECT_TRUE(framework.members().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedByLoading,
    testing::Values(
        BadFile{"tessera_demo_missingsymbol.so", "undefined symbol: tessera_test_call",
                "build the component"},
        BadFile{"tessera_demo_missinglibrary.so", "cannot open shared object file",
                "install what is missing"},
        BadFile{"tessera_demo_noentry.so", "does not define its entry tessera_demo_noentry_create",
                "use TESSERA_COMPONENT"},
        BadFile{"tessera_demo_null.so", "made no component", "tessera_demo_null_create"}),
    [](const auto& one) { return one.param.file.substr(13, one.param.file.size() - 16); });

TEST_F(PluginTest, NamedButRefusedIsAnError) {
  install("good");
  install("old");
  const std::string text = failure({{"demo", "old"}});
  EXPECT_TRUE(contains(text, "component demo/old was requested (command line, --mca demo)"));
  EXPECT_TRUE(contains(text, "interface 6"));
}

TEST_F(PluginTest, UnknownNamesAreErrorsInBothKindsOfList) {
  install("good");
  for (const std::string list : {"god", "^god"}) {
    const std::string text = failure({{"demo", list}});
    EXPECT_TRUE(contains(text, "framework demo has no component 'god' (did you mean 'good'?)"));
    EXPECT_TRUE(contains(text, "Known components: good"));
  }
}

TEST_F(PluginTest, EarlierDirectoryShadowsLater) {
  install("good", "first");
  install("good", "second");
  auto setup =
      kernel({{"mca_component_path", folder("first").string() + ":" + folder("second").string()}});
  ASSERT_NE(setup, nullptr);
  const auto found = setup->catalog().candidates();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].usable());
  EXPECT_EQ(found[1].verdict, Verdict::shadowed);
  EXPECT_TRUE(contains(found[1].reason, "shadowed by " + found[0].path));
}

TEST_F(PluginTest, ARefusedOneDoesNotShadow) {
  fs::copy_file(made("tessera_demo_old.so"), folder("first") / "tessera_demo_good.so");
  install("good", "second");
  auto setup =
      kernel({{"mca_component_path", folder("first").string() + ":" + folder("second").string()}});
  ASSERT_NE(setup, nullptr);
  ASSERT_EQ(setup->catalog().usable("demo").size(), 1u);
  EXPECT_EQ(setup->catalog().usable("demo")[0]->path,
            (folder("second") / "tessera_demo_good.so").string());
}

TEST_F(PluginTest, NothingThatLiesAboutHidesTheRest) {
  install("good", "last");
  const fs::path odd = folder("odd");
  fs::create_symlink("/nonexistent/tessera", odd / "tessera_demo_dangling.so");
  fs::create_symlink("/nonexistent/tessera", odd / "unrelated.so");
  fs::create_directory(odd / "tessera_demo_directory.so");
  fs::create_directory(odd / "directory.so");
  ASSERT_EQ(mkfifo((odd / "tessera_demo_pipe.so").c_str(), 0600), 0);
  fs::copy_file(made("tessera_demo_nonote.so"), odd / "libordinary.so");
  std::ofstream(odd / "notes.txt") << "not looked at";
  std::ofstream(odd / "mca_btl_other.so") << "somebody else's";
  auto setup = kernel(
      {{"mca_component_path", "/nonexistent:" + odd.string() + ":" + folder("last").string()}});
  ASSERT_NE(setup, nullptr);
  EXPECT_EQ(setup->catalog().usable("demo").size(), 1u);
  EXPECT_EQ(setup->catalog().directories()[0].problem, "does not exist");
  std::vector<std::string> refused;
  for (const Candidate& candidate : setup->catalog().candidates())
    if (!candidate.usable()) refused.push_back(candidate.reason.substr(odd.string().size() + 1));
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_TRUE(contains(refused[0],
                       "tessera_demo_dangling.so: cannot be opened: No such file or directory"));
  EXPECT_TRUE(contains(refused[1], "tessera_demo_directory.so: is a directory"));
  EXPECT_TRUE(contains(refused[2], "tessera_demo_pipe.so: is not a regular file"));
}

TEST_F(PluginTest, AFileThatChangedAfterwardsIsNotLoaded) {
  install("good");
  auto setup = kernel();
  ASSERT_NE(setup, nullptr);
  fs::remove(folder() / "tessera_demo_good.so");
  fs::copy_file(made("tessera_demo_old.so"), folder() / "tessera_demo_good.so");
  tessera::Framework<demo::Component> framework(*setup, "demo");
  tessera::Explanation explanation;
  testing::internal::CaptureStderr();
  ASSERT_TRUE(framework.open(&explanation).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(framework.members().empty());
  EXPECT_TRUE(contains(explanation.text(), "changed since it was judged"));
}

}  // namespace
}  // namespace plugin_tests
