// SPDX-License-Identifier: BSD-3-Clause
// What the user says about the machines of a job, in a file.
#include "description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "shape.h"
#include "tessera/yaml.h"

namespace tessera::coll::hierarchy {

namespace {

struct Problem {
  int line;
  std::string text;
};

std::string word_of(const yaml::Node& node, const char* what) {
  if (!node.is_scalar() || node.text().empty())
    throw Problem{node.line(), fmt::format("{} must be a plain value", what)};
  return node.text();
}

std::vector<std::string> names_of(const yaml::Node& node) {
  if (!node.is_sequence() || node.elements().empty())
    throw Problem{node.line(),
                  "levels must be a list of names from the outside in, such as [system, node]"};
  std::vector<std::string> names;
  for (const yaml::Node& each : node.elements()) {
    const std::string name = word_of(each, "the name of a level");
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw Problem{each.line(), fmt::format("there are two levels called '{}'", name)};
    names.push_back(name);
  }
  return names;
}

// Nested lists of groups.
class Groups {
 public:
  Groups(const std::vector<std::string>& names, int processes) : processes_(processes) {
    for (const std::string& name : names)
      levels_.push_back({name, std::vector<int>(static_cast<std::size_t>(processes), kNone)});
  }

  Description read(const yaml::Node& root) {
    descend(root, 0);
    for (int rank = 0; rank < processes_; ++rank) {
      if (levels_.back().group[static_cast<std::size_t>(rank)] == kNone)
        throw Problem{root.line(),
                      fmt::format("rank {} of the job's {} is in no group", rank, processes_)};
    }
    return std::move(levels_);
  }

 private:
  static constexpr int kNone = -1;

  // A list of the groups of a level.
  void descend(const yaml::Node& node, std::size_t level) {
    if (!node.is_sequence())
      throw Problem{
          node.line(),
          fmt::format("here a list of groups of level '{}' is expected: groups are nested as "
                      "deep as there are levels",
                      levels_[level].name)};
    path_.push_back(0);
    for (const yaml::Node& each : node.elements()) {
      path_.back() = next_group_++;
      if (level + 1 < levels_.size())
        descend(each, level + 1);
      else
        fill(each);
    }
    path_.pop_back();
  }

  void fill(const yaml::Node& node) {
    if (node.is_sequence()) {
      for (const yaml::Node& each : node.elements()) add(each);
    } else {
      add(node);
    }
  }

  void add(const yaml::Node& node) try {
    if (!node.is_scalar())
      throw Problem{node.line(),
                    fmt::format("in a group of level '{}' there are ranks, such as 3 or 0..3",
                                levels_.back().name)};
    for (const int rank : ranks_of(node.text())) {
      if (rank >= processes_) continue;
      if (levels_.back().group[static_cast<std::size_t>(rank)] != kNone)
        throw Problem{node.line(), fmt::format("rank {} is in two groups", rank)};
      for (std::size_t i = 0; i < levels_.size(); ++i)
        levels_[i].group[static_cast<std::size_t>(rank)] = path_[i];
    }
  } catch (const Wrong& wrong) {
    throw Problem{node.line(), wrong.text};
  }

  int processes_;
  int next_group_ = 0;
  std::vector<int> path_;  // the numbers of the groups that are being read
  Description levels_;
};

Description by_shape(const yaml::Node& node, const std::vector<std::string>& names,
                     int processes) try {
  return levels_of_shape(numbers_of_shape(word_of(node, "the shape")), names, processes);
} catch (const Wrong& wrong) {
  throw Problem{node.line(), wrong.text};
}

using Key = std::optional<yaml::Node>;

struct Keys {
  Key levels, shape, groups;
};

void keep(Key& place, const yaml::Node& key, const yaml::Node& value) {
  if (place.has_value())
    throw Problem{key.line(), fmt::format("'{}' stands there twice", key.text())};
  if (!value.is_null()) place = value;
}

Keys keys_of(const yaml::Node& root) {
  if (!root.is_map())
    throw Problem{root.line(),
                  "the file must be a map with the keys levels and shape, or levels and groups"};
  Keys keys;
  for (const auto& entry : root.entries()) {
    const std::string name = word_of(entry.key, "a key");
    if (name == "levels")
      keep(keys.levels, entry.key, entry.value);
    else if (name == "shape")
      keep(keys.shape, entry.key, entry.value);
    else if (name == "groups")
      keep(keys.groups, entry.key, entry.value);
    else
      throw Problem{entry.key.line(),
                    fmt::format("there is no key '{}'; there are levels, shape and groups", name)};
  }
  return keys;
}

Description read(const yaml::Node& root, int processes) {
  const Keys keys = keys_of(root);
  if (!keys.levels) throw Problem{root.line(), "the key levels is missing"};
  const auto names = names_of(*keys.levels);
  if (keys.shape.has_value() == keys.groups.has_value())
    throw Problem{root.line(), "there must be one of the keys shape and groups"};
  return keys.shape ? by_shape(*keys.shape, names, processes)
                    : Groups(names, processes).read(*keys.groups);
}

}  // namespace

Result<Description> parse_description(const std::string& path, const std::string& text,
                                      int processes) {
  const auto wrong = [&path](int line, const std::string& why) {
    return Status::failure(Errc::argument,
                           fmt::format("coll_hierarchy_file: {}:{}: {}", path, line, why));
  };
  const yaml::Document document(text);
  if (!document.ok()) return wrong(document.error_line(), document.error());
  try {
    return read(document.root(), processes);
  } catch (const Problem& problem) {
    return wrong(problem.line, problem.text);
  }
}

Result<Description> read_description(const std::string& path, int processes) {
  std::ifstream file(path);
  if (!file)
    return Status::failure(Errc::not_found, fmt::format("coll_hierarchy_file: cannot read '{}': {}",
                                                        path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return Status::failure(Errc::refused,
                           fmt::format("coll_hierarchy_file: cannot read '{}'", path));
  return parse_description(path, text.str(), processes);
}

}  // namespace tessera::coll::hierarchy
