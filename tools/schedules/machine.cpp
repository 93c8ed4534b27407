// SPDX-License-Identifier: BSD-3-Clause
// Reading machine descriptions.
#include "tools/schedules/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tessera/yaml.h"
#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

namespace {

namespace fs = std::filesystem;

// A map of a file, whose keys are taken one by one; what is left in the end is an error.
class Keys {
 public:
  Keys(std::string file, const yaml::Node& node, std::vector<std::string> known)
      : file_(std::move(file)), node_(node), known_(std::move(known)) {
    if (!node.is_map())
      fail(node, fmt::format("expected keys and values: {}", fmt::join(known_, ", ")));
    for (const auto& pair : node.entries()) {
      const std::string& key = pair.key.text();
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const auto near = nearest(key, known_);
      fail(pair.key,
           fmt::format("unknown key '{}'{}; known: {}", key,
                       near.empty() ? "" : fmt::format(", did you mean {}?", near.front()),
                       fmt::join(known_, " ")));
    }
  }

  yaml::Node get(const char* key) const {
    if (!has(key)) fail(node_, fmt::format("'{}' is missing", key));
    return node_.find(key);
  }
  bool has(const char* key) const { return !node_.find(key).is_null(); }
  std::string text(const char* key) const { return get(key).text(); }
  double number(const char* key) const {
    const yaml::Node node = get(key);
    const std::string& word = node.text();
    double value = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value) ||
        value < 0)
      fail(node, fmt::format("'{}' must be a number, 0 or more", key));
    return value;
  }
  [[noreturn]] void fail(const yaml::Node& at, const std::string& what) const {
    throw BadInput(fmt::format("{}:{}: {}", file_, at.line(), what));
  }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  yaml::Node node_;
  std::vector<std::string> known_;
};

Level read_level(const std::string& file, const yaml::Node& node) {
  const Keys keys(file, node, {"name", "ranks", "latency", "overhead", "gap", "gap_per_byte"});
  Level level;
  level.name = keys.text("name");
  if (keys.has("ranks")) level.ranks = static_cast<int>(std::min(keys.number("ranks"), 1e9));
  level.latency = keys.number("latency");
  level.overhead = keys.number("overhead");
  level.gap = keys.number("gap");
  level.gap_per_byte = keys.number("gap_per_byte");
  return level;
}

LocalCost read_cost(const Keys& outer, const char* key) {
  const Keys keys(outer.file(), outer.get(key), {"fixed", "per_byte"});
  return {keys.number("fixed"), keys.number("per_byte")};
}

void read_levels(const Keys& keys, Machine& machine) {
  const yaml::Node node = keys.get("levels");
  const std::vector<yaml::Node> list = node.elements();
  if (list.empty()) keys.fail(node, "'levels' must be a list, from the inside out");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Level& level = machine.levels.emplace_back(read_level(keys.file(), list[i]));
    const bool last = i + 1 == list.size();
    if (last && level.ranks != 0)
      keys.fail(list[i], "the last level holds all ranks: 'ranks' must not be given");
    if (last) continue;
    const int inner = i == 0 ? 1 : machine.levels[i - 1].ranks;
    if (level.ranks <= inner || level.ranks % inner != 0)
      keys.fail(list[i], fmt::format("'ranks' of level {} must be a multiple of {}, and more",
                                     level.name, inner));
  }
}

std::string read_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Machine parse(const std::string& file) {
  const std::string text = read_file(file);
  const yaml::Document document(text);
  if (!document.ok())
    throw BadInput(fmt::format("{}:{}: {}", file, document.error_line(), document.error()));
  const Keys keys(file, document.root(), {"name", "about", "levels", "copy", "reduce"});
  Machine machine;
  machine.name = keys.text("name");
  machine.about = keys.has("about") ? keys.text("about") : "";
  read_levels(keys, machine);
  machine.copy = read_cost(keys, "copy");
  machine.reduce = read_cost(keys, "reduce");
  return machine;
}

// Beside the installed program, or in the source tree.
std::vector<fs::path> folders() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {self / ".." / TESSERA_MACHINES_INSTALLED, fs::path(TESSERA_MACHINES_SOURCE)};
}

}  // namespace

int Machine::period(int ranks) const noexcept {
  int period = 1;
  for (const Level& level : levels) {
    if (level.ranks != 0 && level.ranks < ranks) period = level.ranks;
  }
  return period;
}

std::vector<std::string> shipped_machines() {
  std::vector<std::string> names;
  for (const fs::path& folder : folders()) {
    std::error_code absent;
    for (const auto& entry : fs::directory_iterator(folder, absent)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
    }
    if (!names.empty()) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

Machine read_machine(const std::string& name_or_file) {
  std::string file = name_or_file;
  for (const fs::path& folder : folders()) {
    const fs::path shipped = folder / (name_or_file + ".yaml");
    if (name_or_file.find('/') == std::string::npos && fs::is_regular_file(shipped)) {
      file = shipped.lexically_normal();
      break;
    }
  }
  if (!fs::is_regular_file(file)) {
    throw BadInput(fmt::format("there is no machine '{}': neither a file nor one of {}",
                               name_or_file, fmt::join(shipped_machines(), " ")));
  }
  return parse(file);
}

}  // namespace tessera::coll::schedules
