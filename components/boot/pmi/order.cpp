// SPDX-License-Identifier: BSD-3-Clause
// Writes orders, and words as env -S reads them.
#include "order.h"

#include <string_view>

namespace tessera::boot::pmi {
namespace {

std::string as_word(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) {
    switch (c) {
      case '"':
      case '\\':
      case '$':
        (text += '\\') += c;
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      default:
        text += c;
    }
  }
  return text += '"';
}

std::string line(std::string_view key, std::string_view value) {
  return (std::string(key) += '=') += std::string(value) + "\n";
}

}  // namespace

std::string env_words(const Program& program) {
  std::string text = "-S-C " + as_word(program.directory);
  for (const std::string& variable : program.environment) text += " " + as_word(variable);
  text += " " + as_word(program.path);
  for (const std::string& argument : program.arguments) text += " " + as_word(argument);
  return text;
}

std::string order_of(const Program& program, std::size_t number, std::size_t count) {
  std::string text = line("mcmd", "spawn");
  text += line("nprocs", std::to_string(program.processes)) + line("execname", kEnvProgram);
  text += line("totspawns", std::to_string(count)) + line("spawnssofar", std::to_string(number));
  text += line("arg1", env_words(program)) + line("argcnt", "1") + line("preput_num", "0");
  text += line("info_num", program.host.empty() ? "0" : "1");
  if (!program.host.empty()) text += line("info_key_0", "host") + line("info_val_0", program.host);
  return text + "endcmd";
}

}  // namespace tessera::boot::pmi
