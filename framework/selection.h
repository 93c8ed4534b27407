// SPDX-License-Identifier: BSD-3-Clause
// Include and exclude lists: `a,b` means only these, `^a,b` means all but these.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera {

class Selection {
 public:
  Selection() = default;  // admits everything

  // `origin` describes where the list came from, for messages. Errc::argument for a `^` elsewhere
  // than in front, and for empty names; empty text admits everything.
  static Result<Selection> parse(std::string_view framework, std::string_view list,
                                 std::string_view origin);

  bool admits(std::string_view name) const noexcept;
  // Whether the user asked for this very component: then it is an error when it cannot be used.
  bool requires_name(std::string_view name) const noexcept { return !exclude_ && lists(name); }

  // Errc::not_found naming the first listed name that is not known, the nearest match and all known
  // names.
  Status check_known(std::span<const std::string> known) const;

  // Removes listed names that are not known, and returns them.
  std::vector<std::string> drop_unknown(std::span<const std::string> known);

  // Replaces a listed alias by the component's name.
  void rename(std::string_view alias, std::string_view name);

  bool exclude() const noexcept { return exclude_; }
  bool empty() const noexcept { return names_.empty(); }
  const std::vector<std::string>& names() const noexcept { return names_; }
  const std::string& origin() const noexcept { return origin_; }
  std::string list() const;  // as one would write it

 private:
  bool lists(std::string_view name) const noexcept;

  std::string framework_;
  std::string origin_;
  std::vector<std::string> names_;
  bool exclude_ = false;
};

}  // namespace tessera
