// SPDX-License-Identifier: BSD-3-Clause
// Error classes and codes that the program adds, and the class and text of any error code.
#pragma once
//
// Added classes and codes share one row of numbers that begins after MPI_ERR_LASTCODE. An added
// class is also a code of itself. All functions may be called before MPI_Init and after
// MPI_Finalize, from any thread.
//
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tessera::api {

class ErrorCodes {
 public:
  // What became of an attempt to add to or remove from the table.
  enum class Outcome { done, not_added, not_a_class, in_use, has_text };

  // The table of this process.
  static ErrorCodes& instance();

  int add_class();
  // The new code of `error_class`, which may be predefined or added; none if there is no such
  // class.
  std::optional<int> add_code(int error_class);
  // An empty string removes the text again.
  Outcome set_text(int code, std::string text);
  Outcome remove_class(int error_class);
  Outcome remove_code(int code);

  // The class of a code; none if no function has ever given out such a code.
  std::optional<int> class_of(int code) const;
  // Whether this is a class, predefined or added.
  bool is_class(int value) const;
  // What MPI_Error_string says (for an added code without a text: nothing); none for an unknown
  // code.
  std::optional<std::string> describe(int code) const;
  // The value of the attribute MPI_LASTUSEDCODE.
  int last_used() const;

 private:
  struct Added {
    int error_class;  // equal to its own number for a class
    std::string text;
  };
  int next() const;
  mutable std::mutex mutex_;
  std::map<int, Added> added_;
};

}  // namespace tessera::api
