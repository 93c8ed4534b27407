// SPDX-License-Identifier: BSD-3-Clause
// The answer to no question: one screen about the installation, and how to ask more.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "framework/terminal.h"
#include "framework/text.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

// Of what a long list would take the screen from: 24 lines in all.
constexpr std::size_t kMostSettings = 3;
constexpr std::size_t kMostUnused = 3;

struct Question {
  const char* words;
  const char* answer;
};
constexpr Question kQuestions[] = {
    {"WORD...", "whatever has these words in its name or description"},
    {"--param btl tcp", "one component and its parameters; --all: everything"},
    {"--why PARAM", "every source that sets a parameter, and which one wins"},
    {"--collectives", "operations, components, algorithms"},
    {"--doctor", "what of this machine matters, and what to do about it"},
    {"--config, --path", "how this was built, and where it lies; --help: all options"},
};

class Summary {
 public:
  explicit Summary(const Report& report) : report_(report), width_(output_columns(STDOUT_FILENO)) {}

  void print() const {
    line("", fmt::format("Tessera {} in {}: MPI 5.0, libmpi_abi.so.1", TESSERA_VERSION,
                         report_.kernel.paths().prefix));
    fmt::print("\nComponents, the highest priority first\n");
    std::vector<std::string> empty;
    for (const FrameworkInfo& framework : report_.kernel.frameworks()) {
      const std::string usable = names(framework.name);
      if (usable.empty())
        empty.push_back(std::string(framework.name));
      else
        line(fmt::format("  {:<6}", framework.name), usable);
    }
    if (!empty.empty()) line("  none of: ", text::join(empty, ", "));
    if (const std::string others = not_usable(); !others.empty()) line("  not used: ", others);
    print_settings();
    fmt::print("More\n");
    for (const Question& question : kQuestions)
      line(fmt::format("  ompi-info {:<18}", question.words), question.answer);
  }

 private:
  // `said` wrapped under itself, behind `lead`.
  void line(std::string_view lead, std::string_view said) const {
    const std::string block = text::wrap(said, width_, lead.size());
    fmt::print("{}{}\n", lead, block.size() > lead.size() ? block.substr(lead.size()) : "none");
  }

  std::string names(std::string_view framework) const {
    std::vector<const Candidate*> usable;
    for (const Candidate* candidate : report_.components)
      if (candidate->framework == framework && candidate->usable()) usable.push_back(candidate);
    std::stable_sort(usable.begin(), usable.end(), [this](const Candidate* a, const Candidate* b) {
      return report_.kernel.priority(*a) > report_.kernel.priority(*b);
    });
    std::vector<std::string> names;
    for (const Candidate* candidate : usable) names.push_back(candidate->name);
    return text::join(names, ", ");
  }

  std::string not_usable() const {
    std::vector<std::string> names;
    for (const Candidate* one : report_.components)
      if (!one->usable())
        names.push_back(
            fmt::format("{}/{} ({})", one->framework, one->name, verdict_name(one->verdict)));
    const std::size_t all = names.size();
    names.resize(std::min(all, kMostUnused));
    return text::join(names, ", ") +
           (all > kMostUnused ? fmt::format(" and {} more: ompi-info --all", all - kMostUnused)
                              : "");
  }

  void print_settings() const {
    std::vector<const Parameter*> set;
    for (const Parameter* parameter : report_.params)
      if (parameter->chosen() || !parameter->error.empty()) set.push_back(parameter);
    fmt::print("\n{} parameters, {} of them set\n", report_.params.size(),
               set.empty() ? "none" : std::to_string(set.size()));
    for (std::size_t i = 0; i < set.size() && i < kMostSettings; ++i)
      line("  ", fmt::format("{} = {} ({})", set[i]->spec.name, set[i]->text,
                             describe_source(set[i]->source, set[i]->where)));
    if (set.size() > kMostSettings)
      fmt::print("  and {} more: ompi-info --changed\n", set.size() - kMostSettings);
  }

  const Report& report_;
  std::size_t width_;
};

}  // namespace

void print_summary(const Report& report) {
  Summary(report).print();
}

}  // namespace ompi_info
