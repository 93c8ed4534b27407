// SPDX-License-Identifier: BSD-3-Clause
// Splits the lines of a file into words.
#include "launcher/command_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace tessera::launcher {
namespace {

// One line at a time; `words` grow by those of the line. False: a quote is left open.
class Splitter {
 public:
  explicit Splitter(std::vector<std::string>& words) : words_(words) {}

  bool split(const std::string& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote_ != 0) {
        inside_quotes(line, i);
      } else if (c == ' ' || c == '\t' || c == '\r') {
        end_word();
      } else if (c == '#' && !word_) {
        break;
      } else if (c == '\'' || c == '"') {
        quote_ = c;
        add("");
      } else {
        add(std::string(1, c == '\\' && i + 1 < line.size() ? line[++i] : c));
      }
    }
    end_word();
    return quote_ == 0;
  }

 private:
  void inside_quotes(const std::string& line, std::size_t& i) {
    if (line[i] == quote_) {
      quote_ = 0;
    } else {
      const bool escaped = quote_ == '"' && line[i] == '\\' && i + 1 < line.size() &&
                           (line[i + 1] == '"' || line[i + 1] == '\\');
      add(std::string(1, line[escaped ? ++i : i]));
    }
  }
  void add(const std::string& text) { word_ = word_.value_or("") + text; }
  void end_word() {
    if (word_) words_.push_back(*std::exchange(word_, {}));
  }

  std::vector<std::string>& words_;
  std::optional<std::string> word_;
  char quote_ = 0;
};

Status about(const std::string& path, const std::string& what) {
  return Status::failure(Errc::argument, "file '" + path + "': " + what);
}

}  // namespace

Result<std::vector<std::string>> read_command_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return about(path, strerror(errno));
  std::vector<std::string> words;
  std::string joined;
  int number = 0;
  for (std::string line; std::getline(file, line) || !joined.empty(); line.clear()) {
    ++number;
    joined += line;
    if (!joined.empty() && joined.back() == '\\' && file) {
      joined.back() = ' ';
      continue;
    }
    const std::size_t before = words.size();
    if (before > 0) words.emplace_back(":");
    if (!Splitter(words).split(std::exchange(joined, {})))
      return about(path, "line " + std::to_string(number) + ": a quote is left open");
    if (before > 0 && words.size() == before + 1) words.pop_back();
  }
  if (words.empty()) return about(path, "there is no program in it");
  return words;
}

}  // namespace tessera::launcher
