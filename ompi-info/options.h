// SPDX-License-Identifier: BSD-3-Clause
// What the user asked ompi-info for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ompi_info {

enum class Format { text, json, parsable, markdown };

struct Options {
  Format format = Format::text;
  std::vector<std::string> words;  // all must occur in a name or a description
  std::string framework;
  std::string component;            // name, or framework/name
  std::vector<std::string> param;   // framework and component, or `all` for either
  std::string why;                  // one parameter
  std::string diff;                 // a parameter file
  std::optional<std::string> path;  // a folder by name, or all of them
  bool config = false;
  bool doctor = false;
  bool machine = false;
  bool collectives = false;
  bool mpi_t = false;
  bool changed = false;
  bool dump = false;
  bool all = false;
  std::optional<int> level;
  std::uint32_t ranks = 0;  // 0: not said
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> tune_files;

  // Nothing was asked for: a summary is the answer.
  bool nothing_asked() const noexcept {
    return format == Format::text && !all && !dump && !changed && !level && words.empty() &&
           framework.empty() && component.empty();
  }
};

// Without a value the program is to end with exit_code: help or version was printed, or a mistake
// was reported.
struct ParsedOptions {
  std::optional<Options> options;
  int exit_code = 0;
};

ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace ompi_info
