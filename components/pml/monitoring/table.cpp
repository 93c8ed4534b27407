// SPDX-License-Identifier: BSD-3-Clause
// The counters as a table.
#include "table.h"

#include <string>

namespace tessera::pml::monitoring {
namespace {

void append(std::string& line, const traffic::Cell& cell) {
  line += "\t" + std::to_string(cell.messages) + "\t" + std::to_string(cell.bytes);
}

}  // namespace

std::string table(const Traffic& traffic) {
  const bool windows = traffic.counts_windows();
  std::string text = "# from\tto\tmessages\tbytes\tcollective_messages\tcollective_bytes";
  text += windows ? "\twindow_operations\twindow_bytes\n" : "\n";
  for (std::uint32_t from = 0; from < traffic.size(); ++from) {
    for (std::uint32_t to = 0; traffic.has(from) && to < traffic.size(); ++to) {
      const traffic::Pair& pair = traffic.at(from, to);
      if (pair.messages() + pair.windows.messages == 0) continue;
      text += std::to_string(from) + "\t" + std::to_string(to);
      append(text, pair.program);
      append(text, pair.collective);
      if (windows) append(text, pair.windows);
      text += "\n";
    }
  }
  return text;
}

}  // namespace tessera::pml::monitoring
