// SPDX-License-Identifier: BSD-3-Clause
// Reads parameter files.
#include "framework/param_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/text.h"
#include "framework/trust.h"
#include "tessera/yaml.h"

namespace tessera {
namespace {

using Settings = std::vector<ParamSetting>;

constexpr std::size_t largest_file = 4u << 20;
constexpr std::string_view sections_key = "sections";

struct Place {
  const std::string& path;
  ParamSource source;
  std::string when = {};  // the condition of the section that is being read

  ParamSetting setting(std::string_view name, std::string_view value, int line) const {
    return {std::string(name), std::string(value), source, fmt::format("{}:{}", path, line), when};
  }
  Status error(int line, std::string_view why) const {
    return help_failure(Errc::argument, topics::param_file_syntax, path, std::to_string(line), why);
  }
};

bool is_yaml(std::string_view path) noexcept {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

Result<std::string> scalar_text(const Place& place, const yaml::Node& node) {
  if (node.is_null()) return std::string();
  if (node.is_scalar()) return node.text();
  return place.error(node.line(), "a list may only contain plain values");
}

Result<std::string> sequence_text(const Place& place, const yaml::Node& node) {
  std::string list;
  for (const yaml::Node& element : node.elements()) {
    auto word = scalar_text(place, element);
    if (!word) return word.status();
    list += (list.empty() ? "" : ",") + *word;
  }
  return list;
}

Status read_sections(const Place& place, const yaml::Node& sections, Settings& out);

// Depth is bounded because the names that exist have few parts.
Status flatten(const Place& place, const yaml::Node& map, const std::string& prefix, int depth,
               Settings& out) {
  if (depth > 8) return place.error(map.line(), "maps are nested too deeply");
  for (const auto& entry : map.entries()) {
    if (!entry.key.is_scalar() || entry.key.text().empty())
      return place.error(entry.key.line(), "a name must be plain text, and not empty");
    const std::string name = prefix.empty() ? entry.key.text() : prefix + "_" + entry.key.text();
    if (name == sections_key && place.when.empty()) {
      if (Status read = read_sections(place, entry.value, out); !read.ok()) return read;
      continue;
    }
    if (entry.value.is_map()) {
      if (Status inner = flatten(place, entry.value, name, depth + 1, out); !inner.ok())
        return inner;
      continue;
    }
    auto value = entry.value.is_sequence() ? sequence_text(place, entry.value)
                                           : scalar_text(place, entry.value);
    if (!value) return value.status();
    out.push_back(place.setting(name, *value, entry.key.line()));
  }
  return {};
}

// A section's condition from its map: {host: ..., ranks: ...}, where a sequence lists host
// patterns.
Result<std::string> condition_text(const Place& place, const yaml::Node& when) {
  if (!when.is_map())
    return place.error(when.line(),
                       "`when` must be a map such as {host: \"node*\", ranks: \">= 16\"}");
  std::string condition;
  for (const auto& term : when.entries()) {
    auto value = term.value.is_sequence() ? sequence_text(place, term.value)
                                          : scalar_text(place, term.value);
    if (!value) return value.status();
    std::replace(value->begin(), value->end(), ',', '|');
    condition += fmt::format("{}{} {}", condition.empty() ? "" : ", ", term.key.text(), *value);
  }
  return condition;
}

Status check_condition(const Place& place, int line, std::string_view condition) {
  const auto holds = condition_holds(condition, {});
  return holds.ok() ? Status() : place.error(line, holds.status().text());
}

constexpr std::string_view section_form = "a section is a map of `when` and `params`";

Status read_section(const Place& place, const yaml::Node& section, Settings& out) {
  if (!section.is_map()) return place.error(section.line(), section_form);
  for (const auto& entry : section.entries())
    if (entry.key.text() != "when" && entry.key.text() != "params")
      return place.error(entry.key.line(), fmt::format("'{}' has no meaning there; {}",
                                                       entry.key.text(), section_form));
  const yaml::Node when = section.find("when");
  const yaml::Node params = section.find("params");
  if (when.is_null() || !params.is_map()) return place.error(section.line(), section_form);
  auto condition = condition_text(place, when);
  if (!condition) return condition.status();
  if (Status sound = check_condition(place, when.line(), *condition); !sound.ok()) return sound;
  return flatten({place.path, place.source, *condition}, params, "", 0, out);
}

Status read_sections(const Place& place, const yaml::Node& sections, Settings& out) {
  if (!sections.is_sequence()) return read_section(place, sections, out);
  for (const yaml::Node& section : sections.elements())
    if (Status read = read_section(place, section, out); !read.ok()) return read;
  return {};
}

Result<Settings> parse_yaml(const Place& place, std::string_view text) {
  const yaml::Document document(text);
  if (!document.ok()) return place.error(document.error_line(), document.error());
  const yaml::Node root = document.root();
  Settings settings;
  if (root.is_null()) return settings;
  if (!root.is_map()) return place.error(root.line(), "the file must be a map of names to values");
  if (Status read = flatten(place, root, "", 0, settings); !read.ok()) return read;
  return settings;
}

std::string_view without_comment(std::string_view value) noexcept {
  for (std::size_t i = 0; i < value.size(); ++i)
    if (value[i] == '#' && (i == 0 || value[i - 1] == ' ' || value[i - 1] == '\t'))
      return value.substr(0, i);
  return value;
}

// A value that may stand in quotes; whatever follows the closing quote must be a comment.
Result<std::string> plain_value(const Place& place, int line, std::string_view raw) {
  const std::string_view value = text::trim(raw);
  if (value.empty() || (value.front() != '"' && value.front() != '\''))
    return std::string(text::trim(without_comment(value)));
  const std::size_t end = value.find(value.front(), 1);
  if (end == std::string_view::npos) return place.error(line, "the quote is not closed");
  if (!text::trim(without_comment(text::trim(value.substr(end + 1)))).empty())
    return place.error(line, "there is text after the closing quote");
  return std::string(value.substr(1, end - 1));
}

// `--mca name value`, as tune files have it.
Result<ParamSetting> option_line(const Place& place, int line, std::string_view text) {
  const std::size_t word_end = text.find_first_of(" \t");
  const std::string_view option = text.substr(0, word_end);
  if (option != "--mca" && option != "-mca")
    return place.error(
        line,
        fmt::format("option '{}' does not belong into a parameter file; only --mca does", option));
  const std::string_view rest =
      word_end == std::string_view::npos ? "" : text::trim(text.substr(word_end));
  const std::size_t name_end = rest.find_first_of(" \t");
  if (name_end == std::string_view::npos)
    return place.error(line, "--mca needs a name and a value");
  auto value = plain_value(place, line, rest.substr(name_end));
  if (!value) return value.status();
  return place.setting(rest.substr(0, name_end), *value, line);
}

Result<ParamSetting> plain_line(const Place& place, int line, std::string_view text) {
  if (text.front() == '-' && place.source == ParamSource::tune_file)
    return option_line(place, line, text);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return place.error(line, "there is no '=' between name and value");
  const std::string_view name = text::trim(text.substr(0, equals));
  if (name.empty() || name.find_first_of(" \t\"'") != std::string_view::npos)
    return place.error(line, fmt::format("'{}' is no parameter name", name));
  auto value = plain_value(place, line, text.substr(equals + 1));
  if (!value) return value.status();
  return place.setting(name, *value, line);
}

// `[host node*, ranks >= 16]` begins a section that reaches to the next one; `[always]` ends the
// conditions.
Result<std::string> section_line(const Place& place, int line, std::string_view text) {
  const std::string_view header = text::trim(without_comment(text));
  if (header.back() != ']') return place.error(line, "a section's header ends with ]");
  const std::string_view condition = text::trim(header.substr(1, header.size() - 2));
  if (condition == "always") return std::string();
  if (condition.empty())
    return place.error(
        line,
        "a section's header needs a condition, such as [host node*] or [ranks >= 16], or [always]");
  if (Status sound = check_condition(place, line, condition); !sound.ok()) return sound;
  return std::string(condition);
}

Result<Settings> parse_plain(Place place, std::string_view text) {
  Settings settings;
  int line = 0;
  for (std::string_view raw : text::split(text, '\n')) {
    ++line;
    const std::string_view content = text::trim(raw);
    if (content.empty() || content.front() == '#') continue;
    if (content.front() == '[') {
      auto when = section_line(place, line, content);
      if (!when) return when.status();
      place.when = std::move(*when);
      continue;
    }
    auto setting = plain_line(place, line, content);
    if (!setting) return setting.status();
    settings.push_back(std::move(*setting));
  }
  return settings;
}

Status unreadable(const std::string& path, std::string_view why) {
  return help_failure(Errc::system, topics::param_file_unreadable, path, why);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// A tune file was named for this run and may be a pipe or a device; files that are read unasked
// must not be able to stop us.
bool may_read(mode_t mode, ParamSource source) noexcept {
  return S_ISREG(mode) || ((S_ISFIFO(mode) || S_ISCHR(mode)) && source == ParamSource::tune_file);
}

Result<std::string> read_all(const std::string& path, ParamSource source) {
  struct stat info {};
  // A home that this user may not enter (common in containers) holds no parameters for him.
  const bool unasked = source != ParamSource::tune_file;
  if (stat(path.c_str(), &info) != 0)
    return errno == ENOENT || errno == ENOTDIR || (errno == EACCES && unasked)
               ? help_failure(Errc::not_found, topics::param_file_missing, path)
               : unreadable(path, std::strerror(errno));
  if (const std::string doubt = distrust(path); S_ISREG(info.st_mode) && !doubt.empty())
    return help_failure(Errc::refused, topics::param_file_untrusted, path, doubt);
  if (!may_read(info.st_mode, source)) return unreadable(path, "it is not a regular file");
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return unreadable(path, std::strerror(errno));
  std::string content;
  std::array<char, 16384> block;
  for (ssize_t got; (got = read(file.get(), block.data(), block.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, std::strerror(errno));
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > largest_file) return unreadable(path, "it is larger than 4 MiB");
  }
  return content;
}

}  // namespace

Result<Settings> parse_param_text(std::string_view text, const std::string& path,
                                  ParamSource source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const Place place{path, source, {}};
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return unreadable(path, "it is not a text file");
  return is_yaml(path) ? parse_yaml(place, text) : parse_plain(place, text);
}

Result<Settings> read_param_file(const std::string& path, ParamSource source) {
  auto content = read_all(path, source);
  if (!content) return content.status();
  return parse_param_text(*content, path, source);
}

}  // namespace tessera
