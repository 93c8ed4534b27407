// SPDX-License-Identifier: BSD-3-Clause
// The registry as text: handed to other processes, or written as a parameter file.
#include <fmt/format.h>

#include <charconv>

#include "framework/param_registry.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kParamsHeader = "tessera-params 2";
constexpr char kParamsTrailer[] = "end\n";

bool read_source(std::string_view word, ParamSource& source) noexcept {
  unsigned number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end ||
      number > static_cast<unsigned>(ParamSource::override_file))
    return false;
  source = static_cast<ParamSource>(number);
  return true;
}

// A double-quoted YAML scalar; bytes above 127 stand for themselves.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + '"';
}

}  // namespace

std::string ParamRegistry::serialise() const {
  std::string result = fmt::format("{}\n", kParamsHeader);
  for (const ParamSetting& setting : settings_)
    result += fmt::format("{}\t{}\t{}\t{}\t{}\n", static_cast<unsigned>(setting.source),
                          text::escape(setting.where), text::escape(setting.name),
                          text::escape(setting.value), text::escape(setting.when));
  return result + kParamsTrailer;
}

Status ParamRegistry::restore(std::string_view whole) {
  auto lines = text::split(whole, '\n');
  if (lines.front() != kParamsHeader || !whole.ends_with(kParamsTrailer))
    return Status::failure(Errc::argument, "the text does not hold parameters, or is cut off");
  std::vector<ParamSetting> settings;
  for (std::size_t i = 1; i + 2 < lines.size(); ++i) {
    const auto fields = text::split(lines[i], '\t');
    ParamSource source{};
    if (fields.size() != 5 || !read_source(fields[0], source))
      return Status::failure(Errc::argument,
                             fmt::format("line {} of the parameters is damaged", i + 1));
    settings.push_back({text::unescape(fields[2]), text::unescape(fields[3]), source,
                        text::unescape(fields[1]), text::unescape(fields[4])});
  }
  settings_.insert(settings_.end(), settings.begin(), settings.end());
  return {};
}

std::string ParamRegistry::uniform_values() const {
  std::string lines;
  declare_mentioned();
  for (const auto& [name, parameter] : parameters_) {
    const ParamSpec& spec = parameter.spec;
    if (!spec.uniform || !parameter.chosen()) continue;
    if (parameter.value == parse_value(spec, spec.default_text).value()) continue;
    lines += fmt::format("{}\t{}\t{}\n", name, text::escape(plain_text(parameter.value)),
                         text::escape(describe_source(parameter.source, parameter.where)));
  }
  return lines;
}

std::string ParamRegistry::dump(bool all) const {
  std::string result;
  for (const auto& [name, parameter] : parameters()) {
    if (!all && !parameter.chosen()) continue;
    result += fmt::format("# {}\n{}: {}\n",
                          text::escape(describe_source(parameter.source, parameter.where)), name,
                          in_quotes(parameter.text));
  }
  return result;
}

}  // namespace tessera
