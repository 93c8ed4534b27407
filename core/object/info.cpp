// SPDX-License-Identifier: BSD-3-Clause
// Info: storage, and what a process knows about its start.
#include "core/object/info.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <iterator>

namespace tessera {
namespace {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string working_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) != nullptr ? std::string(path) : std::string();
}

void set_if_known(Info& info, std::string_view key, const std::string& value) {
  if (!value.empty()) info.set(key, value);
}

}  // namespace

Info Info::of_start(std::string_view command, const std::vector<std::string>& arguments,
                    int processes) {
  Info info;
  set_if_known(info, "command", std::string(command));
  set_if_known(info, "argv", joined(arguments));
  if (processes > 0) info.set("maxprocs", std::to_string(processes));
  utsname system{};
  if (::uname(&system) == 0) {
    set_if_known(info, "host", system.nodename);
    set_if_known(info, "arch", system.machine);
  }
  set_if_known(info, "wdir", working_directory());
  return info;
}

Info Info::of_this_process(int processes) {
  std::vector<std::string> words = command_line();
  if (words.empty()) return of_start({}, {}, processes);
  const std::string command = words.front();
  words.erase(words.begin());
  return of_start(command, words, processes);
}

std::vector<Info::Pair>::const_iterator Info::find(std::string_view key) const {
  return std::find_if(pairs_.begin(), pairs_.end(),
                      [key](const Pair& pair) { return pair.first == key; });
}

std::vector<Info::Pair> Info::copy_of_pairs() const {
  const std::lock_guard lock(mutex_);
  return pairs_;
}

void Info::set(std::string_view key, std::string_view value) {
  const std::lock_guard lock(mutex_);
  const auto found = find(key);
  if (found == pairs_.end()) {
    pairs_.emplace_back(key, value);
  } else {
    pairs_[std::distance(pairs_.cbegin(), found)].second = value;
  }
}

bool Info::erase(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = find(key);
  if (found == pairs_.end()) return false;
  pairs_.erase(found);
  return true;
}

std::optional<std::string> Info::get(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto found = find(key);
  if (found == pairs_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> Info::key(std::size_t n) const {
  const std::lock_guard lock(mutex_);
  if (n >= pairs_.size()) return std::nullopt;
  return pairs_[n].first;
}

std::size_t Info::size() const {
  const std::lock_guard lock(mutex_);
  return pairs_.size();
}

}  // namespace tessera
