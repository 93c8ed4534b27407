// SPDX-License-Identifier: BSD-3-Clause
// The catalog as text, handed to processes that did not scan.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "framework/catalog.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kCatalogHeader = "tessera-catalog 2";
constexpr char kCatalogTrailer[] = "end\n";

bool read_verdict(std::string_view word, Verdict& verdict) noexcept {
  for (Verdict known : {Verdict::usable, Verdict::refused, Verdict::shadowed, Verdict::excluded}) {
    if (verdict_name(known) != word) continue;
    verdict = known;
    return true;
  }
  return false;
}

// The manifest follows as it is: most of the text, and nobody has to look at each of its bytes.
std::string candidate_lines(const Candidate& candidate) {
  return fmt::format("component\t{}\t{}\t{}\t{}\t{}\t{}\n{}\n", verdict_name(candidate.verdict),
                     text::escape(candidate.path), text::escape(candidate.framework),
                     text::escape(candidate.name), text::escape(candidate.reason),
                     candidate.manifest.text.size(), candidate.manifest.text);
}

Status damaged() {
  return Status::failure(Errc::argument, "a line of the catalog is damaged");
}

// Takes the next line off the text, or all of it when it does not end.
std::string_view take_line(std::string_view& rest) noexcept {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// Takes as many bytes as `number` says, and the newline behind them.
bool take_note(std::string_view number, std::string_view& rest, std::string_view& note) noexcept {
  std::size_t bytes = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, bytes);
  if (error != std::errc() || stop != end || bytes >= rest.size() || rest[bytes] != '\n')
    return false;
  note = rest.substr(0, bytes);
  rest.remove_prefix(bytes + 1);
  return true;
}

}  // namespace

std::string Catalog::serialise() const {
  std::string result = fmt::format("{}\n", kCatalogHeader);
  for (const SearchDirectory& directory : directories_)
    result += fmt::format("directory\t{}\t{}\n", text::escape(directory.path),
                          text::escape(directory.problem));
  for (const Candidate& candidate : candidates()) result += candidate_lines(candidate);
  return result + kCatalogTrailer;
}

Status Catalog::restore_candidate(std::string_view line, std::string_view& rest) {
  const auto fields = text::split(line, '\t');
  Candidate candidate;
  std::string_view note;
  if (fields.size() != 7 || fields[0] != "component" ||
      !read_verdict(fields[1], candidate.verdict) || !take_note(fields[6], rest, note))
    return damaged();
  candidate.path = text::unescape(fields[2]);
  candidate.framework = text::unescape(fields[3]);
  candidate.name = text::unescape(fields[4]);
  candidate.reason = text::unescape(fields[5]);
  if (!note.empty()) {
    auto manifest = Manifest::parse(note, Depth::outline);
    if (!manifest) return manifest.status();
    candidate.manifest = std::move(*manifest);
  }
  candidates_.push_back(std::move(candidate));
  return {};
}

Status Catalog::restore(std::string_view whole) {
  std::string_view rest = whole;
  if (take_line(rest) != kCatalogHeader || !whole.ends_with(kCatalogTrailer))
    return Status::failure(Errc::argument, "the text does not hold a catalog, or is cut off");
  Catalog restored;
  while (rest != kCatalogTrailer) {
    if (rest.empty()) return damaged();
    const std::string_view line = take_line(rest);
    if (line.starts_with("component\t")) {
      if (Status read = restored.restore_candidate(line, rest); !read.ok()) return read;
      continue;
    }
    const auto fields = text::split(line, '\t');
    if (fields.size() != 3 || fields[0] != "directory") return damaged();
    restored.directories_.push_back({text::unescape(fields[1]), text::unescape(fields[2])});
  }
  *this = std::move(restored);
  return {};
}

}  // namespace tessera
