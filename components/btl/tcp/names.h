// SPDX-License-Identifier: BSD-3-Clause
// How messages to the user call things.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::btl::tcp {

inline std::string process(std::uint32_t id) {
  return std::string("process ").append(std::to_string(id));
}

}  // namespace tessera::btl::tcp
