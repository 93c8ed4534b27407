// SPDX-License-Identifier: BSD-3-Clause
// Verbose output of one framework on standard error, silent unless <framework>_verbose asks for it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera {

// Levels: 0 nothing, 1 decisions, 10 steps, 50 details, 100 everything.
class Log {
 public:
  Log() = default;
  // `rank` is negative while it is not known.
  Log(std::string_view framework, int level, int rank = -1);

  bool at(int level) const noexcept { return level <= level_; }

  // One line, written at once: [host:pid rank framework] text. Arguments are formatted only when
  // the level is on.
  template <class... Args>
  void operator()(int level, fmt::format_string<Args...> format, Args&&... args) const {
    if (at(level)) write(fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void write(std::string_view line) const;

  std::string prefix_;
  int level_ = 0;
};

}  // namespace tessera
