// SPDX-License-Identifier: BSD-3-Clause
// Formats help topics and writes them out.
#include "framework/help.h"

#include <fmt/args.h>
#include <unistd.h>

#include <vector>

#include "framework/terminal.h"
#include "framework/text.h"

namespace tessera {
namespace {

using ArgumentList = fmt::dynamic_format_arg_store<fmt::format_context>;

std::string fill(std::string_view pattern, const ArgumentList& arguments) {
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), arguments);
}

}  // namespace

std::string format_help(std::string_view name, std::string_view what, std::string_view next_step,
                        std::span<const std::string_view> arguments) {
  ArgumentList list;
  for (std::string_view argument : arguments) list.push_back(argument);
  if (next_step.empty()) return fmt::format("{} [{}]", fill(what, list), name);
  return fmt::format("{}\nWhat to do: {} [{}]", fill(what, list), fill(next_step, list), name);
}

void print_help(std::string_view text) {
  constexpr std::string_view lead = "tessera: ";
  std::string block = text::wrap(text, output_columns(STDERR_FILENO), lead.size());
  block.replace(0, lead.size(), lead);
  block += '\n';
  // One write, so that the blocks of several processes do not interleave; nothing sensible can be
  // done if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, block.data(), block.size());
}

}  // namespace tessera
