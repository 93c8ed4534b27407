// SPDX-License-Identifier: BSD-3-Clause
// Reads btl_tcp_silence.
#include "launcher/across/silence.h"

#include <stdlib.h>

#include <charconv>

namespace tessera::launcher::across {

int silence_s(const std::vector<std::pair<std::string, std::string>>& parameters) {
  constexpr int kDefault_s = 20, kMost_s = 86'400;
  const char* const variable = getenv("TESSERA_MCA_btl_tcp_silence");
  std::string text = variable != nullptr ? variable : "";
  for (const auto& [name, value] : parameters)
    if (name == "btl_tcp_silence") text = value;
  int seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  const bool good = error == std::errc() && stop == end && seconds >= 0 && seconds <= kMost_s;
  return good ? seconds : kDefault_s;
}

}  // namespace tessera::launcher::across
