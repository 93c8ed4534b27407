// SPDX-License-Identifier: BSD-3-Clause
// The texts of the latest errors, found again by error code.
#pragma once
//
// An error code that the library returns is `class + 128 * slot`: the class in the low seven bits,
// and above them the number of one of 127 places (1 to 127) in which the text of the error is kept
// until 127 later errors have come. So every code is at most MPI_ERR_LASTCODE, and its class is
// found without the text. Slot 0 means "no text".
//
#include <array>
#include <mutex>
#include <optional>
#include <string>

namespace tessera::api {

class ErrorLog {
 public:
  static constexpr int class_count = 128;
  static constexpr int slot_count = 127;

  // The log of this process. Any thread may use it.
  static ErrorLog& instance();

  // Keeps the text and returns the code by which it is found. 0 < error_class < class_count.
  int store(int error_class, std::string text);
  // The text stored under this code; none if it has been overwritten by an error of another class.
  std::optional<std::string> text(int code) const;

  static constexpr int class_of(int code) { return code % class_count; }

 private:
  struct Entry {
    int error_class = 0;
    std::string text;
  };
  mutable std::mutex mutex_;
  std::array<Entry, slot_count> entries_;
  int latest_ = -1;
};

}  // namespace tessera::api
