// SPDX-License-Identifier: BSD-3-Clause
// What the user says about the machines of a job, in a file.
#include "description.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "shape.h"

namespace tessera::coll::hierarchy {

namespace {

struct Problem {
  int line;
  std::string text;
};

int line_of(const YAML::Node& node) {
  return std::max(node.Mark().line, 0) + 1;
}

std::string word_of(const YAML::Node& node, const char* what) {
  if (!node.IsScalar() || node.Scalar().empty())
    throw Problem{line_of(node), fmt::format("{} must be a plain value", what)};
  return node.Scalar();
}

std::vector<std::string> names_of(const YAML::Node& node) {
  if (!node.IsSequence() || node.size() == 0)
    throw Problem{line_of(node),
                  "levels must be a list of names from the outside in, such as [system, node]"};
  std::vector<std::string> names;
  for (const YAML::Node& each : node) {
    const std::string name = word_of(each, "the name of a level");
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw Problem{line_of(each), fmt::format("there are two levels called '{}'", name)};
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

  Description read(const YAML::Node& root) {
    descend(root, 0);
    for (int rank = 0; rank < processes_; ++rank) {
      if (levels_.back().group[static_cast<std::size_t>(rank)] == kNone)
        throw Problem{line_of(root),
                      fmt::format("rank {} of the job's {} is in no group", rank, processes_)};
    }
    return std::move(levels_);
  }

 private:
  static constexpr int kNone = -1;

  // A list of the groups of a level.
  void descend(const YAML::Node& node, std::size_t level) {
    if (!node.IsSequence())
      throw Problem{
          line_of(node),
          fmt::format("here a list of groups of level '{}' is expected: groups are nested as "
                      "deep as there are levels",
                      levels_[level].name)};
    path_.push_back(0);
    for (const YAML::Node& each : node) {
      path_.back() = next_group_++;
      if (level + 1 < levels_.size())
        descend(each, level + 1);
      else
        fill(each);
    }
    path_.pop_back();
  }

  void fill(const YAML::Node& node) {
    if (node.IsSequence()) {
      for (const YAML::Node& each : node) add(each);
    } else {
      add(node);
    }
  }

  void add(const YAML::Node& node) try {
    if (!node.IsScalar())
      throw Problem{line_of(node),
                    fmt::format("in a group of level '{}' there are ranks, such as 3 or 0..3",
                                levels_.back().name)};
    for (const int rank : ranks_of(node.Scalar())) {
      if (rank >= processes_) continue;
      if (levels_.back().group[static_cast<std::size_t>(rank)] != kNone)
        throw Problem{line_of(node), fmt::format("rank {} is in two groups", rank)};
      for (std::size_t i = 0; i < levels_.size(); ++i)
        levels_[i].group[static_cast<std::size_t>(rank)] = path_[i];
    }
  } catch (const Wrong& wrong) {
    throw Problem{line_of(node), wrong.text};
  }

  int processes_;
  int next_group_ = 0;
  std::vector<int> path_;  // the numbers of the groups that are being read
  Description levels_;
};

Description by_shape(const YAML::Node& node, const std::vector<std::string>& names,
                     int processes) try {
  return levels_of_shape(numbers_of_shape(word_of(node, "the shape")), names, processes);
} catch (const Wrong& wrong) {
  throw Problem{line_of(node), wrong.text};
}

struct Keys {
  YAML::Node levels, shape, groups;
};

void keep(YAML::Node& place, const YAML::Node& key, const YAML::Node& value) {
  if (place.IsDefined() && !place.IsNull())
    throw Problem{line_of(key), fmt::format("'{}' stands there twice", key.Scalar())};
  place.reset(value);
}

Keys keys_of(const YAML::Node& root) {
  if (!root.IsMap())
    throw Problem{line_of(root),
                  "the file must be a map with the keys levels and shape, or levels and groups"};
  Keys keys;
  for (const auto& entry : root) {
    const std::string name = word_of(entry.first, "a key");
    if (name == "levels")
      keep(keys.levels, entry.first, entry.second);
    else if (name == "shape")
      keep(keys.shape, entry.first, entry.second);
    else if (name == "groups")
      keep(keys.groups, entry.first, entry.second);
    else
      throw Problem{line_of(entry.first),
                    fmt::format("there is no key '{}'; there are levels, shape and groups", name)};
  }
  return keys;
}

Description read(const YAML::Node& root, int processes) {
  const Keys keys = keys_of(root);
  if (keys.levels.IsNull()) throw Problem{line_of(root), "the key levels is missing"};
  const auto names = names_of(keys.levels);
  if (keys.shape.IsNull() == keys.groups.IsNull())
    throw Problem{line_of(root), "there must be one of the keys shape and groups"};
  return keys.groups.IsNull() ? by_shape(keys.shape, names, processes)
                              : Groups(names, processes).read(keys.groups);
}

}  // namespace

Result<Description> parse_description(const std::string& path, const std::string& text,
                                      int processes) {
  try {
    return read(YAML::Load(text), processes);
  } catch (const Problem& problem) {
    return Status::failure(Errc::argument, fmt::format("coll_hierarchy_file: {}:{}: {}", path,
                                                       problem.line, problem.text));
  } catch (const YAML::Exception& problem) {
    return Status::failure(Errc::argument, fmt::format("coll_hierarchy_file: {}:{}: {}", path,
                                                       problem.mark.line + 1, problem.msg));
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
