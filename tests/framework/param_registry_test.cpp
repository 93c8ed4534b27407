// SPDX-License-Identifier: BSD-3-Clause
// Precedence, memory, warnings, texts of the registry.
#include "framework/param_registry.h"

#include <gtest/gtest.h>

#include "framework/core_params.h"
#include "framework/param_file.h"

namespace tessera {
namespace {

constexpr ParamSource all_sources[] = {ParamSource::system_file, ParamSource::user_file,
                                       ParamSource::tune_file,   ParamSource::foreign_environment,
                                       ParamSource::environment, ParamSource::command_line,
                                       ParamSource::program,     ParamSource::override_file};

ParamSpec spec_of(std::string name, ParamType type, std::string value, std::string allowed = {}) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.default_text = std::move(value);
  spec.allowed = std::move(allowed);
  spec.framework = "demo";
  return spec;
}

class Registry : public testing::Test {
 protected:
  Registry() {
    for (const ParamDecl& decl : core_params())
      EXPECT_TRUE(registry.declare(ParamSpec::from(decl, "")).ok());
    EXPECT_TRUE(registry.declare(spec_of("demo_count", ParamType::integer, "0", "0..1000")).ok());
    EXPECT_TRUE(registry.declare(spec_of("demo_mode", ParamType::text, "auto", "auto,copy")).ok());
    EXPECT_TRUE(registry.declare(spec_of("demo_label", ParamType::text, "")).ok());
  }
  std::string resolve_error() {
    const Status status = registry.resolve();
    return status.ok() ? "" : status.text();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  ParamRegistry registry;
};

TEST_F(Registry, DefaultsWhenNobodySpoke) {
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("demo_count"), 0);
  EXPECT_FALSE(registry.find("demo_count")->chosen());
  EXPECT_EQ(registry.find("nothing"), nullptr);
}

// Each source against each other one, in both orders of speaking.
TEST_F(Registry, TheStrongerSourceWinsWhateverTheOrder) {
  for (ParamSource first : all_sources) {
    for (ParamSource second : all_sources) {
      if (first == second) continue;
      ParamRegistry own;
      ASSERT_TRUE(own.declare(spec_of("demo_count", ParamType::integer, "0")).ok());
      own.add_assignment("demo_count", std::to_string(static_cast<int>(first)), first, "a");
      own.add_assignment("demo_count", std::to_string(static_cast<int>(second)), second, "b");
      ASSERT_TRUE(own.resolve().ok());
      const ParamSource stronger = std::max(first, second);
      EXPECT_EQ(own.integer("demo_count"), static_cast<int>(stronger));
      EXPECT_EQ(own.find("demo_count")->source, stronger);
      ASSERT_EQ(own.find("demo_count")->heard.size(), 2u);
      EXPECT_EQ(own.find("demo_count")->heard[1].source, std::min(first, second));
    }
  }
}

TEST_F(Registry, PrecedenceIsTheDocumentedOne) {
  const char* const documented[] = {
      "system file", "user file",    "tune file", "foreign environment",
      "environment", "command line", "program",   "override file"};
  for (std::size_t i = 0; i < std::size(all_sources); ++i) {
    EXPECT_EQ(source_name(all_sources[i]), documented[i]);
    if (i > 0) {
      EXPECT_LT(all_sources[i - 1], all_sources[i]);
    }
  }
}

TEST_F(Registry, WithinOneSourceTheLaterWins) {
  registry.add_assignment("demo_count", "1", ParamSource::tune_file, "a:1");
  registry.add_assignment("demo_count", "2", ParamSource::tune_file, "b:1");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("demo_count"), 2);
  EXPECT_EQ(registry.find("demo_count")->where, "b:1");
}

TEST_F(Registry, TwiceOnTheCommandLineMustAgree) {
  registry.add_assignment("demo_count", "1", ParamSource::command_line, "--mca demo_count");
  registry.add_assignment("demo_count", "1", ParamSource::command_line, "--mca demo_count");
  EXPECT_EQ(resolve_error(), "");
  registry.add_assignment("demo_count", "2", ParamSource::command_line, "--mca demo_count");
  EXPECT_TRUE(has(resolve_error(), "demo_count is set twice to different values: '1'"));
}

TEST_F(Registry, EnvironmentOfBothPrefixes) {
  const char* const environment[] = {"PATH=/bin",
                                     "OMPI_MCA_demo_count=1",
                                     "TESSERA_MCA_demo_count=2",
                                     "OMPI_MCA_demo_mode=copy",
                                     "OMPI_MCA_unknown_thing=7",
                                     "TESSERA_MCA_demo_label=a=b",
                                     "TESSERA_MCA_broken",
                                     nullptr};
  registry.add_environment(environment);
  registry.add_environment(environment);
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("demo_count"), 2);
  EXPECT_EQ(registry.find("demo_count")->heard.size(), 2u);
  EXPECT_EQ(registry.text("demo_mode"), "copy");
  EXPECT_EQ(registry.text("demo_label"), "a=b");
  EXPECT_TRUE(registry.take_warnings().empty());
  registry.add_environment(nullptr);
}

TEST_F(Registry, BadValuesNameParameterValueSourceAndWhatIsAllowed) {
  struct Case {
    ParamSource source;
    const char* where;
    const char* told;
  };
  for (const Case& one :
       {Case{ParamSource::command_line, "--mca demo_count",
             "(from command line, --mca demo_count)"},
        Case{ParamSource::environment, "TESSERA_MCA_demo_count",
             "(from environment variable TESSERA_MCA_demo_count)"},
        Case{ParamSource::user_file, "/h/f.yaml:3", "(from user file /h/f.yaml:3)"}}) {
    ParamRegistry own;
    ASSERT_TRUE(own.declare(spec_of("demo_count", ParamType::integer, "5", "0..1000")).ok());
    own.add_assignment("demo_count", "1x", one.source, one.where);
    const Status status = own.resolve();
    ASSERT_FALSE(status.ok());
    const std::string text = status.text();
    EXPECT_TRUE(has(text, "demo_count = '1x'")) << text;
    EXPECT_TRUE(has(text, one.told)) << text;
    EXPECT_TRUE(has(text, "allowed: an integer, 0..1000")) << text;
    EXPECT_EQ(own.integer("demo_count"), 5);
    EXPECT_EQ(own.errors().size(), 1u);
  }
}

TEST_F(Registry, ABadValueThatLosesDoesNoHarm) {
  registry.add_assignment("demo_count", "junk", ParamSource::system_file, "f:1");
  registry.add_assignment("demo_count", "3", ParamSource::environment, "V");
  EXPECT_EQ(resolve_error(), "");
}

TEST_F(Registry, AllErrorsAreKept) {
  registry.add_assignment("demo_count", "junk", ParamSource::user_file, "f:1");
  registry.add_assignment("demo_mode", "cpoy", ParamSource::user_file, "f:2");
  EXPECT_FALSE(registry.resolve().ok());
  ASSERT_EQ(registry.errors().size(), 2u);
  EXPECT_TRUE(has(registry.errors()[1], "did you mean 'copy'?"));
}

TEST_F(Registry, ValuesReturnToDefaultWhenResolvedAgain) {
  registry.add_assignment("late_name", "3", ParamSource::environment, "V");
  ASSERT_TRUE(registry.resolve().ok());
  ASSERT_TRUE(registry.declare(spec_of("late_name", ParamType::integer, "0")).ok());
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("late_name"), 3);
  EXPECT_TRUE(registry.take_warnings().empty());
}

TEST_F(Registry, DeclarationsMustBeSoundAndOnce) {
  EXPECT_EQ(registry.declare(spec_of("demo_count", ParamType::text, "")).code(), Errc::refused);
  EXPECT_EQ(registry.declare(spec_of("demo_bad", ParamType::integer, "x")).code(), Errc::refused);
  EXPECT_EQ(registry.declare_synonym("a", "nothing", false).code(), Errc::refused);
  EXPECT_EQ(registry.declare_synonym("demo_mode", "demo_count", false).code(), Errc::refused);
}

TEST_F(Registry, UnknownNamesAreReportedOnce) {
  registry.add_assignment("demo_cuont", "3", ParamSource::environment, "TESSERA_MCA_demo_cuont");
  registry.add_assignment("demo_cuont", "3", ParamSource::command_line, "--mca demo_cuont");
  ASSERT_TRUE(registry.resolve().ok());
  ASSERT_EQ(registry.unknown().size(), 1u);
  EXPECT_EQ(registry.unknown()[0].nearest, "demo_count");
  EXPECT_EQ(registry.take_warnings().size(), 1u);
  EXPECT_TRUE(registry.take_warnings().empty());
  EXPECT_TRUE(registry.check_strict().ok());
  registry.add_assignment("mca_strict", "true", ParamSource::environment, "V");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.check_strict().code(), Errc::refused);
}

TEST_F(Registry, SynonymsCountAsTheSameParameter) {
  ASSERT_TRUE(registry.declare_synonym("demo_number", "demo_count", true).ok());
  registry.add_assignment("demo_number", "9", ParamSource::command_line, "--mca demo_number");
  registry.add_assignment("demo_count", "8", ParamSource::environment, "V");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("demo_count"), 9);
  EXPECT_EQ(registry.integer("demo_number"), 9);
  const auto warnings = registry.take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(has(warnings[0], "'demo_number' was renamed to 'demo_count'"));
}

TEST_F(Registry, SaysWhenTheSiteDefeatsASetting) {
  registry.add_assignment("demo_count", "1", ParamSource::override_file, "/etc/f:1");
  registry.add_assignment("demo_count", "2", ParamSource::user_file, "f:1");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_TRUE(registry.take_warnings().empty());
  registry.add_assignment("demo_count", "3", ParamSource::environment, "TESSERA_MCA_demo_count");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.integer("demo_count"), 1);
  const auto warnings = registry.take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(has(warnings[0], "the administrators of this site have fixed the value in /etc/f:1"));
}

// A registry in which two owners have promised their parameters.
class Promised : public testing::Test {
 protected:
  Promised() {
    promise("demo_a", {"demo_a_count", "demo_a_other"});
    promise("demo_a_b", {"demo_a_b_count"});
  }
  void promise(const std::string& owner, const std::vector<std::string>& names) {
    registry.promise(owner, [this, owner, names] {
      kept.push_back(owner);
      for (const std::string& name : names) {
        ParamSpec spec = spec_of(name, ParamType::integer, "1", "0..9");
        spec.component = owner.substr(5);
        EXPECT_TRUE(registry.declare(std::move(spec)).ok());
      }
      EXPECT_TRUE(registry.declare_synonym("demo_" + owner.substr(5) + "old", names[0], true).ok());
    });
  }

  ParamRegistry registry;
  std::vector<std::string> kept;
};

using Owners = std::vector<std::string>;

TEST_F(Promised, IsKeptWhenSomebodyAsks) {
  registry.add_assignment("demo_a_count", "7", ParamSource::environment, "V");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_TRUE(registry.mentions("demo_a_"));
  EXPECT_FALSE(registry.mentions("demo_b"));
  EXPECT_EQ(kept, Owners());
  EXPECT_EQ(registry.integer("demo_a_count"), 7);
  EXPECT_EQ(registry.integer("demo_a_other"), 1);
  EXPECT_EQ(kept, Owners{"demo_a"});
  EXPECT_EQ(registry.integer("demo_a_b_count"), 1);
  EXPECT_EQ(kept, (Owners{"demo_a", "demo_a_b"}));
}

TEST_F(Promised, OfOneOwnerLeavesTheOthers) {
  EXPECT_EQ(registry.owned_by("demo", "a").size(), 2u);
  EXPECT_EQ(kept, Owners{"demo_a"});
  EXPECT_EQ(registry.owned_by("demo", "a").size(), 2u);
  EXPECT_EQ(registry.parameters().size(), 3u);
}

TEST_F(Promised, SettingsByAnotherNameReachTheParameter) {
  registry.add_assignment("demo_aold", "5", ParamSource::tune_file, "f:1");
  EXPECT_EQ(registry.owned_by("demo", "a").front()->where, "f:1");
  EXPECT_EQ(registry.integer("demo_a_count"), 5);
}

TEST_F(Promised, UnknownNamesAreStillUnknown) {
  registry.add_assignment("demo_a_cuont", "5", ParamSource::tune_file, "f:1");
  ASSERT_EQ(registry.unknown().size(), 1u);
  EXPECT_EQ(registry.unknown()[0].nearest, "demo_a_count");
  EXPECT_EQ(registry.find("nothing"), nullptr);
}

TEST_F(Promised, WhatWasHandedOutStaysWhereItIs) {
  const Parameter* first = registry.find("demo_a_count");
  EXPECT_EQ(registry.parameters().size(), 3u);
  EXPECT_EQ(registry.find("demo_a_count"), first);
}

TEST(Environment, ItsDigestChangesWithWhatItSays) {
  const char* const base[] = {"TESSERA_MCA_a=1", "OMPI_MCA_b=2", nullptr};
  const char* const same[] = {"PATH=/bin", "TESSERA_MCA_a=1", "HOME=/", "OMPI_MCA_b=2", nullptr};
  const char* const value[] = {"TESSERA_MCA_a=1", "OMPI_MCA_b=3", nullptr};
  const char* const order[] = {"OMPI_MCA_b=2", "TESSERA_MCA_a=1", nullptr};
  const char* const less[] = {"TESSERA_MCA_a=1", nullptr};
  const auto digest = ParamRegistry::digest_of(base);
  EXPECT_EQ(ParamRegistry::digest_of(same), digest);
  for (const char* const* other : {&value[0], &order[0], &less[0]})
    EXPECT_NE(ParamRegistry::digest_of(other), digest);
  EXPECT_EQ(ParamRegistry::digest_of(nullptr), 0u);
}

TEST_F(Registry, SerialisesAndRestores) {
  registry.add_assignment("demo_label", "tab\tnewline\nback\\slash", ParamSource::environment, "V");
  registry.add_assignment("demo_count", "3", ParamSource::tune_file, "/odd\tname:3");
  ParamRegistry other;
  ASSERT_TRUE(other.restore(registry.serialise()).ok());
  ASSERT_EQ(other.settings().size(), 2u);
  EXPECT_EQ(other.settings()[0], registry.settings()[0]);
  EXPECT_EQ(other.settings()[1], registry.settings()[1]);
  for (const char* bad :
       {"", "x", "tessera-params 2", "tessera-params 2\n", "tessera-params 2\n1\t2\nend\n",
        "tessera-params 2\n99\ta\tb\tc\td\nend\n", "tessera-params 1\nend\n"})
    EXPECT_EQ(other.restore(bad).code(), Errc::argument) << bad;
  EXPECT_EQ(other.settings().size(), 2u);
}

TEST_F(Registry, SectionsApplyWhereTheirConditionHolds) {
  for (const auto& [ranks, count] : {std::pair{0u, 1}, {8u, 1}, {16u, 16}}) {
    ParamRegistry own;
    ASSERT_TRUE(own.declare(spec_of("demo_count", ParamType::integer, "0")).ok());
    ASSERT_TRUE(own.declare(spec_of("demo_mode", ParamType::text, "auto", "auto,copy")).ok());
    ASSERT_TRUE(
        own.restore(
               "tessera-params 2\n2\tf:1\tdemo_count\t1\t\n2\tf:3\tdemo_count\t16\tranks >= 16\n"
               "2\tf:5\tdemo_mode\tcopy\thost node*\nend\n")
            .ok());
    own.set_context({"node7.cluster", ranks});
    ASSERT_TRUE(own.resolve().ok());
    EXPECT_EQ(own.integer("demo_count"), count) << ranks;
    EXPECT_EQ(own.text("demo_mode"), "copy");
    EXPECT_EQ(own.find("demo_count")->elsewhere.size(), ranks == 16 ? 0u : 1u);
    own.set_context({"login1", ranks});
    ASSERT_TRUE(own.resolve().ok());
    EXPECT_EQ(own.text("demo_mode"), "auto");
  }
}

TEST_F(Registry, UniformValuesAreThoseThatDifferFromTheirDefaults) {
  ParamSpec spec = spec_of("demo_size", ParamType::size, "4K");
  spec.uniform = true;
  ASSERT_TRUE(registry.declare(spec).ok());
  registry.add_assignment("demo_count", "3", ParamSource::environment, "V");
  registry.add_assignment("demo_size", "4096", ParamSource::environment, "V");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.uniform_values(), "");
  registry.add_assignment("demo_size", "8K", ParamSource::command_line, "--mca demo_size");
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_EQ(registry.uniform_values(), "demo_size\t8192\tcommand line, --mca demo_size\n");
}

TEST_F(Registry, DumpReadsBackIdentically) {
  registry.add_assignment("demo_label", " a: \"b\" #c\t\\ \n'x'\xC3\xA4 ", ParamSource::environment,
                          "V");
  registry.add_assignment("demo_count", "0x10", ParamSource::command_line, "--mca demo_count");
  ASSERT_TRUE(registry.resolve().ok());
  for (bool all : {false, true}) {
    auto settings = parse_param_text(registry.dump(all), "dump.yaml", ParamSource::tune_file);
    ASSERT_TRUE(settings.ok()) << settings.status().text();
    EXPECT_EQ(settings->size(), all ? registry.parameters().size() : 2u);
    for (const ParamSetting& setting : *settings)
      EXPECT_EQ(setting.value, registry.find(setting.name)->text);
  }
}

TEST_F(Registry, ProgrammingErrorsEndTheProcess) {
  ASSERT_TRUE(registry.resolve().ok());
  EXPECT_DEATH(static_cast<void>(registry.integer("nothing")), "'nothing', which nobody declared");
  EXPECT_DEATH(static_cast<void>(registry.size("demo_count")), "is of type integer, not size");
}

}  // namespace
}  // namespace tessera
