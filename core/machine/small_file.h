// SPDX-License-Identifier: BSD-3-Clause
// A file that the kernel makes up, such as those of /proc and /sys: SmallFile.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::machine {

// Reads at most kMost bytes of the file at once, by its constructor.
class SmallFile {
 public:
  explicit SmallFile(const char* path) noexcept;
  // Empty where the file cannot be read; a zero byte follows.
  std::string_view text() const noexcept { return {text_, length_}; }

 private:
  static constexpr std::size_t kMost = 2048;
  char text_[kMost + 1];
  std::size_t length_ = 0;
};

}  // namespace tessera::machine
