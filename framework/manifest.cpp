// SPDX-License-Identifier: BSD-3-Clause
// Parses the text of a component's manifest.
#include "framework/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "framework/text.h"
#include "tessera/component.h"

namespace tessera {
namespace {

using Fields = std::vector<std::string_view>;

Status bad_line(std::string_view line, std::string_view why) {
  return Status::failure(
      Errc::refused, fmt::format("manifest line '{}' {}", text::escape(line.substr(0, 80)), why));
}

bool read_number(std::string_view word, int& number) noexcept {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end && !word.empty();
}

// Names become parts of parameter names, file names and symbols.
bool is_identifier(std::string_view word) noexcept {
  return !word.empty() && word.size() <= 64 &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

Result<ParamSpec> parse_param(const Manifest& manifest, const Fields& fields) {
  if (fields.size() != 8 || !(is_identifier(fields[1]) || fields[1].empty()))
    return Status::failure(Errc::refused, "does not declare a parameter");
  ParamSpec spec;
  const auto type = type_from_name(fields[2]);
  if (!type || !read_number(fields[6], spec.level))
    return Status::failure(Errc::refused, "has an unknown parameter type or level");
  spec.name = manifest.parameter(fields[1]);
  spec.type = *type;
  spec.default_text = fields[3];
  spec.allowed = fields[4];
  spec.unit = fields[5];
  spec.help = fields[7];
  spec.framework = manifest.framework;
  spec.component = manifest.name;
  if (auto sound = read_default(spec); !sound) return sound.status();
  return spec;
}

Status read_param(Manifest& manifest, const Fields& fields) {
  auto spec = parse_param(manifest, fields);
  if (!spec) return spec.status();
  manifest.params.push_back(std::move(*spec));
  return {};
}

template <class Spec>
Status keep(std::vector<Spec>& list, Result<Spec> spec) {
  if (!spec) return spec.status();
  const bool twice = std::any_of(list.begin(), list.end(),
                                 [&](const Spec& other) { return other.name == spec->name; });
  if (twice) return Status::failure(Errc::refused, "has the name of another one");
  list.push_back(std::move(*spec));
  return {};
}

std::string owner_of(const Manifest& manifest) {
  return fmt::format("{}_{}", manifest.framework, manifest.name);
}

Status read_fact(Manifest& manifest, const Fields& fields) {
  if (fields.size() != 3) return Status::failure(Errc::refused, "is no fact");
  manifest.facts.push_back({std::string(fields[1]), std::string(fields[2])});
  return {};
}

Status read_word(std::string& target, const Fields& fields, bool identifier) {
  if (fields.size() != 2 || (identifier && !is_identifier(fields[1])))
    return Status::failure(Errc::refused, "has no usable value");
  target = fields[1];
  return {};
}

Status read_int(int& target, const Fields& fields) {
  if (fields.size() == 2 && read_number(fields[1], target)) return {};
  return Status::failure(Errc::refused, "has no number");
}

Status read_field(Manifest& manifest, const Fields& fields) {
  const std::string_view key = fields.front();
  if (key == "param") return read_param(manifest, fields);
  if (key == "variable") return keep(manifest.variables, read_variable(owner_of(manifest), fields));
  if (key == "event") return keep(manifest.events, read_event(owner_of(manifest), fields));
  if (key == "fact") return read_fact(manifest, fields);
  if (key == "framework") return read_word(manifest.framework, fields, true);
  if (key == "interface") return read_int(manifest.interface_number, fields);
  if (key == "abi") return read_word(manifest.abi, fields, false);
  if (key == "name") return read_word(manifest.name, fields, true);
  if (key == "version") return read_word(manifest.version, fields, false);
  if (key == "priority") return read_int(manifest.priority, fields);
  if (key == "summary") return read_word(manifest.summary, fields, false);
  return Status::failure(Errc::refused, "is unknown");
}

Status check_complete(const Manifest& manifest) {
  for (const auto& [key, value] :
       {std::pair<const char*, const std::string&>{"framework", manifest.framework},
        {"abi", manifest.abi},
        {"name", manifest.name},
        {"version", manifest.version}})
    if (value.empty())
      return Status::failure(Errc::refused, fmt::format("manifest has no {} line", key));
  if (manifest.priority < 0 || manifest.priority > 100)
    return Status::failure(Errc::refused,
                           fmt::format("manifest: priority {} is not 0..100", manifest.priority));
  return {};
}

Status read_layout(Manifest& manifest, std::string_view line) {
  const Fields fields = text::split(line, '\t');
  if (fields.size() == 2 && fields[0] == "layout" && read_number(fields[1], manifest.layout))
    return {};
  return bad_line(line, "is not a layout line");
}

// How the line of a boolean parameter begins; its default follows.
std::string switch_line(std::string_view short_name) {
  return fmt::format("\nparam\t{}\t{}\t", short_name, type_name(ParamType::boolean));
}

// The lines that an outline leaves out.
bool is_bulk(std::string_view line) noexcept {
  return line.starts_with("param\t") || line.starts_with("variable\t") ||
         line.starts_with("event\t");
}

}  // namespace

Result<Manifest> Manifest::parse(std::string_view note, Depth depth) {
  Manifest manifest;
  manifest.text = note;
  manifest.depth = depth;
  const std::size_t first_end = std::min(note.find('\n'), note.size());
  if (Status layout = read_layout(manifest, note.substr(0, first_end)); !layout.ok()) return layout;
  if (TESSERA_MANIFEST_LAYOUT != std::to_string(manifest.layout)) return manifest;
  if (!note.ends_with('\n')) return bad_line(note.substr(note.rfind('\n') + 1), "does not end");
  for (std::size_t at = first_end + 1, end = 0; at < note.size(); at = end + 1) {
    end = note.find('\n', at);
    const std::string_view line = note.substr(at, end - at);
    if (depth == Depth::outline && is_bulk(line)) continue;
    const Status read = read_field(manifest, text::split(line, '\t'));
    if (!read.ok()) return bad_line(line, read.text());
  }
  if (Status complete = check_complete(manifest); !complete.ok()) return complete;
  return manifest;
}

std::string Manifest::parameter(std::string_view short_name) const {
  return short_name.empty() ? fmt::format("{}_{}", framework, name)
                            : fmt::format("{}_{}_{}", framework, name, short_name);
}

bool Manifest::has_switch(std::string_view short_name) const {
  return text.find(switch_line(short_name)) != std::string::npos;
}

bool Manifest::switched_on(std::string_view short_name) const {
  const std::string begin = switch_line(short_name);
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return false;
  const std::string_view value = std::string_view(text).substr(at + begin.size());
  ParamSpec spec;
  spec.type = ParamType::boolean;
  auto read = parse_value(spec, value.substr(0, value.find('\t')));
  return read.ok() && std::get<bool>(*read);
}

std::vector<std::string_view> Manifest::facts_of(std::string_view key) const {
  std::vector<std::string_view> values;
  for (const Fact& fact : facts)
    if (fact.key == key) values.push_back(fact.value);
  return values;
}

}  // namespace tessera
