// SPDX-License-Identifier: BSD-3-Clause
// Options about the input and output of ranks.
#include <charconv>

#include "framework/text.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

template <Tags Which>
Status tag(const OptionUse& use) {
  use.line.output.tags = Which;
  return {};
}

template <bool OutputRequest::*Flag>
Status set_output(const OptionUse& use) {
  use.line.output.*Flag = true;
  return {};
}

Status pattern(const OptionUse& use) {
  use.line.output.pattern = use.values[0];
  use.line.output.tags = Tags::pattern;
  return {};
}

Status file_name(const OptionUse& use, std::string& place) {
  if (use.values[0].empty()) return bad_value(use, "the name of a file, not an empty one");
  place = use.values[0];
  return {};
}
Status out_file(const OptionUse& use) {
  return file_name(use, use.line.output.out_pattern);
}
Status err_file(const OptionUse& use) {
  return file_name(use, use.line.output.err_pattern);
}

// "NAME:nocopy" keeps the output off the terminal.
bool take_qualifier(OutputRequest& output, std::string_view& name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view qualifier = name.substr(colon + 1);
  if (qualifier != "nocopy" && qualifier != "copy") return false;
  output.keep_on_terminal = qualifier == "copy";
  name = name.substr(0, colon);
  return true;
}

Status output_directory(const OptionUse& use) {
  std::string_view name = use.values[0];
  take_qualifier(use.line.output, name);
  if (name.empty()) return bad_value(use, "the name of a directory, not an empty one");
  use.line.output.directory = name;
  return {};
}

Status output_word(OutputRequest& output, std::string_view word) {
  const std::string_view key = word.substr(0, word.find('='));
  if (key == "dir" || key == "file") {
    std::string_view name = word.substr(std::min(word.size(), key.size() + 1));
    std::string& place = key == "dir" ? output.directory : output.file;
    if (take_qualifier(output, name) && !name.empty()) return place = name, Status();
  } else if (word == "tag" || word == "tag-detailed") {
    return output.tags = Tags::job_rank_stream, Status();
  } else if (word == "rank") {
    return output.tags = Tags::rank, Status();
  } else if (word == "timestamp") {
    return output.timestamps = true, Status();
  } else if (word == "merge") {
    return output.merge_streams = true, Status();
  }
  return Status::failure(Errc::argument,
                         "'" + std::string(word) +
                             "' is none of tag, rank, timestamp, merge, dir=DIR[:nocopy], "
                             "file=FILE[:nocopy]");
}

Status output(const OptionUse& use) {
  for (std::string_view word : text::split(use.values[0], ','))
    if (const Status status = output_word(use.line.output, word); !status.ok())
      return bad_value(use, status.text());
  return {};
}

Status standard_input(const OptionUse& use) {
  const std::string& who = use.values[0];
  if (who == "none") return use.line.reader.reset(), Status();
  std::uint32_t rank = 0;
  const auto [stop, error] = std::from_chars(who.data(), who.data() + who.size(), rank);
  if (error != std::errc() || stop != who.data() + who.size())
    return bad_value(use,
                     "the number of a rank or 'none', not '" + who + "'; one rank can read it");
  use.line.reader = rank;
  return {};
}

constexpr Option kOutput[] = {
    {"tag-output", "", tag<Tags::job_rank_stream>,
     "Begin each line of output with [job,rank]<stream>:"},
    {"l prepend-rank", "", tag<Tags::rank>, "Begin each line of output with [rank]"},
    {"prepend-pattern", "TEXT", pattern,
     "Begin each line of output with TEXT, in which %r is the rank and %h the host."},
    {"timestamp-output", "", set_output<&OutputRequest::timestamps>,
     "Begin each line of output with date and time."},
    {"merge-stderr-to-stdout", "", set_output<&OutputRequest::merge_streams>,
     "Send both streams to standard output."},
    {"output-filename", "DIR", output_directory,
     "Copy the output of each rank to DIR/1/rank.N/stdout and stderr; DIR:nocopy keeps it off the "
     "terminal."},
    {"outfile-pattern", "FILE", out_file,
     "Send standard output to FILE instead; %r is the rank, %h the host."},
    {"errfile-pattern", "FILE", err_file, "The same for standard error."},
    {"output", "WORDS", output,
     "A comma list of tag, rank, timestamp, merge, dir=DIR (as --output-filename) and file=FILE "
     "(both streams to FILE.N), each also with :nocopy."},
    {"stdin s", "WHO", standard_input,
     "The rank that reads the standard input (default: 0), or none."},
};

}  // namespace

std::span<const Option> output_options() noexcept {
  return kOutput;
}

}  // namespace tessera::launcher
