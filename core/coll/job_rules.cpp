// SPDX-License-Identifier: BSD-3-Clause
// The rules of a job: the user's files, then those compiled in.
#include "core/coll/job_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/coll/rules_file.h"
#include "framework/help_topics.h"
#include "framework/text.h"

namespace tessera::coll {
namespace {

std::vector<std::string> allowed_words(const Parameter& parameter) {
  std::vector<std::string> words;
  for (const std::string_view word : text::split(parameter.spec.allowed, ',')) {
    if (word != "auto") words.emplace_back(word);
  }
  return words;
}

// Rules and parameters of a component know the same algorithms, by the same names.
class Judge {
 public:
  explicit Judge(const Microkernel& kernel) : kernel_(kernel) {}

  std::string operator()(const RuleLine& line) const {
    if (kernel_.catalog().find("coll", line.component) == nullptr) {
      const auto known = kernel_.catalog().known_names("coll");
      return fmt::format("there is no component '{}'{}; there are {}", line.component,
                         text::did_you_mean(line.component, known), text::join(known, ", "));
    }
    if (std::string wrong = algorithm(line); !wrong.empty()) return wrong;
    if (std::string wrong = setting(line, "segment", line.rule.tuning.segment != 0); !wrong.empty())
      return wrong;
    return setting(line, "radix", line.rule.tuning.radix != 0);
  }

 private:
  const Parameter* parameter(const RuleLine& line, std::string_view what) const {
    return kernel_.params().find(
        fmt::format("coll_{}_{}_{}", line.component, name(line.operation), what));
  }

  std::string algorithm(const RuleLine& line) const {
    const auto* choices = parameter(line, "algorithm");
    if (line.algorithm.empty()) {
      if (choices == nullptr) return "";
      return fmt::format("a rule for {} names an algorithm: one of {}", line.component,
                         text::join(allowed_words(*choices), ", "));
    }
    if (choices == nullptr)
      return fmt::format(
          "{} of component {} has no algorithms to choose from; leave out `algorithm`",
          name(line.operation), line.component);
    const auto known = allowed_words(*choices);
    if (std::find(known.begin(), known.end(), line.algorithm) != known.end()) return "";
    return fmt::format("{} of component {} has no algorithm '{}'{}; there are {}",
                       name(line.operation), line.component, line.algorithm,
                       text::did_you_mean(line.algorithm, known), text::join(known, ", "));
  }

  std::string setting(const RuleLine& line, std::string_view what, bool given) const {
    if (!given || parameter(line, what) != nullptr) return "";
    return fmt::format("no algorithm of {} in component {} has a {}", name(line.operation),
                       line.component, what);
  }

  const Microkernel& kernel_;
};

}  // namespace

Result<std::vector<RuleLine>> users_rules(const Microkernel& kernel) {
  std::vector<RuleLine> all;
  const std::string& files = kernel.params().text("coll_rules");
  for (const std::string_view file : text::split(files, ',')) {
    if (text::trim(file).empty()) continue;
    auto lines = read_rules(std::string(text::trim(file)), Judge(kernel));
    if (!lines.ok())
      return help_failure(lines.status().code(), topics::coll_rules_bad, lines.status().text());
    all.insert(all.end(), lines->begin(), lines->end());
  }
  return all;
}

Result<std::unique_ptr<RuleSet>> job_rules(const Microkernel& kernel,
                                           std::span<const std::string> components) {
  auto lines = users_rules(kernel);
  if (!lines.ok()) return lines.status();
  const auto builtin = builtin_rules();
  lines->insert(lines->end(), builtin.begin(), builtin.end());
  std::erase_if(*lines, [&](const RuleLine& line) {
    return std::find(components.begin(), components.end(), line.component) == components.end();
  });
  auto rules = std::make_unique<RuleSet>();
  rules->add(*lines);
  rules->want_reproducible(kernel.params().boolean("coll_reproducible"));
  return rules;
}

}  // namespace tessera::coll
