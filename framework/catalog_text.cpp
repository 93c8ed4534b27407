// SPDX-License-Identifier: BSD-3-Clause
// The catalog as text, handed to processes that did not scan.
#include <fmt/format.h>

#include "framework/catalog.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view header = "tessera-catalog 1";
constexpr char trailer[] = "end\n";

bool read_verdict(std::string_view word, Verdict& verdict) noexcept {
  for (Verdict known : {Verdict::usable, Verdict::refused, Verdict::shadowed, Verdict::excluded}) {
    if (verdict_name(known) != word) continue;
    verdict = known;
    return true;
  }
  return false;
}

std::string candidate_line(const Candidate& candidate) {
  return fmt::format("component\t{}\t{}\t{}\t{}\t{}\t{}\n", verdict_name(candidate.verdict),
                     text::escape(candidate.path), text::escape(candidate.framework),
                     text::escape(candidate.name), text::escape(candidate.reason),
                     text::escape(candidate.manifest.text));
}

}  // namespace

std::string Catalog::serialise() const {
  std::string result = fmt::format("{}\n", header);
  for (const SearchDirectory& directory : directories_)
    result += fmt::format("directory\t{}\t{}\n", text::escape(directory.path),
                          text::escape(directory.problem));
  for (const Candidate& candidate : candidates_) result += candidate_line(candidate);
  return result + trailer;
}

Status Catalog::restore_line(std::string_view line) {
  const auto fields = text::split(line, '\t');
  if (fields.size() == 3 && fields[0] == "directory") {
    directories_.push_back({text::unescape(fields[1]), text::unescape(fields[2])});
    return {};
  }
  Candidate candidate;
  if (fields.size() != 7 || fields[0] != "component" || !read_verdict(fields[1], candidate.verdict))
    return Status::failure(Errc::argument, "a line of the catalog is damaged");
  candidate.path = text::unescape(fields[2]);
  candidate.framework = text::unescape(fields[3]);
  candidate.name = text::unescape(fields[4]);
  candidate.reason = text::unescape(fields[5]);
  if (!fields[6].empty()) {
    auto manifest = Manifest::parse(text::unescape(fields[6]));
    if (!manifest) return manifest.status();
    candidate.manifest = std::move(*manifest);
  }
  candidates_.push_back(std::move(candidate));
  return {};
}

Status Catalog::restore(std::string_view whole) {
  const auto lines = text::split(whole, '\n');
  if (lines.front() != header || !whole.ends_with(trailer))
    return Status::failure(Errc::argument, "the text does not hold a catalog, or is cut off");
  Catalog restored;
  for (std::size_t i = 1; i + 2 < lines.size(); ++i)
    if (Status read = restored.restore_line(lines[i]); !read.ok()) return read;
  *this = std::move(restored);
  return {};
}

}  // namespace tessera
