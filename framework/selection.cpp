// SPDX-License-Identifier: BSD-3-Clause
// Include and exclude lists.
#include "framework/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/text.h"

namespace tessera {

Result<Selection> Selection::parse(std::string_view framework, std::string_view list,
                                   std::string_view origin) {
  Selection selection;
  selection.framework_ = framework;
  selection.origin_ = origin;
  std::string_view rest = text::trim(list);
  if (rest.empty()) return selection;
  selection.exclude_ = rest.front() == '^';
  if (selection.exclude_) rest.remove_prefix(1);
  for (std::string_view part : text::split(rest, ',')) {
    const std::string_view name = text::trim(part);
    if (name.find('^') != std::string_view::npos)
      return help_failure(Errc::argument, topics::selection_caret, framework, list, origin);
    if (name.empty())
      return help_failure(Errc::argument, topics::selection_empty_name, framework, list, origin);
    if (!selection.lists(name)) selection.names_.emplace_back(name);
  }
  return selection;
}

bool Selection::lists(std::string_view name) const noexcept {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool Selection::admits(std::string_view name) const noexcept {
  return names_.empty() || lists(name) != exclude_;
}

Status Selection::check_known(std::span<const std::string> known) const {
  for (const std::string& name : names_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string all = known.empty() ? "(none was found)" : text::join(known, ", ");
    return help_failure(Errc::not_found, topics::selection_unknown, framework_, name,
                        text::did_you_mean(name, known), origin_, all);
  }
  return {};
}

std::vector<std::string> Selection::drop_unknown(std::span<const std::string> known) {
  const auto first_unknown =
      std::stable_partition(names_.begin(), names_.end(), [known](const std::string& name) {
        return std::find(known.begin(), known.end(), name) != known.end();
      });
  std::vector<std::string> dropped(first_unknown, names_.end());
  names_.erase(first_unknown, names_.end());
  return dropped;
}

void Selection::rename(std::string_view alias, std::string_view name) {
  if (!lists(alias)) return;
  std::erase(names_, alias);
  if (!lists(name)) names_.emplace_back(name);
}

std::string Selection::list() const {
  return fmt::format("{}{}", exclude_ ? "^" : "", text::join(names_, ","));
}

}  // namespace tessera
