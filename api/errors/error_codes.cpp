// SPDX-License-Identifier: BSD-3-Clause
// The table behind ErrorCodes.
#include "api/errors/error_codes.h"

#include <algorithm>
#include <utility>

#include "api/api.h"
#include "api/errors/error_classes.h"
#include "api/errors/error_log.h"

namespace tessera::api {
namespace {

bool is_predefined_class(int value) {
  return value >= 0 && find_error_class(value) != nullptr;
}

// Codes of the library itself: the tool interface has plain numbers, all others carry their class
// in the low bits.
std::optional<int> predefined_class_of(int code) {
  if (is_predefined_class(code)) return code;
  if (code < 0 || code > MPI_ERR_LASTCODE) return std::nullopt;
  const int error_class = ErrorLog::class_of(code);
  if (error_class == MPI_SUCCESS || !is_predefined_class(error_class)) return std::nullopt;
  return error_class;
}

std::string describe_class(int error_class) {
  const ErrorClass& entry = *find_error_class(error_class);
  return std::string(entry.name) + ": " + entry.meaning;
}

std::string describe_predefined(int code, int error_class) {
  if (code == error_class) return describe_class(error_class);
  return ErrorLog::instance().text(code).value_or(
      describe_class(error_class) + " (the details have given way to those of later errors)");
}

}  // namespace

ErrorCodes& ErrorCodes::instance() {
  static ErrorCodes& codes = *new ErrorCodes;  // never destroyed, as the log
  return codes;
}

int ErrorCodes::next() const {
  return (added_.empty() ? MPI_ERR_LASTCODE : added_.rbegin()->first) + 1;
}

int ErrorCodes::add_class() {
  const std::lock_guard lock(mutex_);
  const int value = next();
  added_[value] = {value, {}};
  return value;
}

std::optional<int> ErrorCodes::add_code(int error_class) {
  if (!is_class(error_class)) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const int value = next();
  added_[value] = {error_class, {}};
  return value;
}

ErrorCodes::Outcome ErrorCodes::set_text(int code, std::string text) {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  if (found == added_.end()) return Outcome::not_added;
  found->second.text = std::move(text);
  return Outcome::done;
}

ErrorCodes::Outcome ErrorCodes::remove_class(int error_class) {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(error_class);
  if (found == added_.end()) return Outcome::not_added;
  if (found->second.error_class != error_class) return Outcome::not_a_class;
  const auto belongs = [error_class](const auto& entry) {
    return entry.first != error_class && entry.second.error_class == error_class;
  };
  if (std::any_of(added_.begin(), added_.end(), belongs)) return Outcome::in_use;
  if (!found->second.text.empty()) return Outcome::has_text;
  added_.erase(found);
  return Outcome::done;
}

ErrorCodes::Outcome ErrorCodes::remove_code(int code) {
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  if (found == added_.end() || found->second.error_class == code) return Outcome::not_added;
  if (!found->second.text.empty()) return Outcome::has_text;
  added_.erase(found);
  return Outcome::done;
}

std::optional<int> ErrorCodes::class_of(int code) const {
  if (const auto predefined = predefined_class_of(code)) return predefined;
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  if (found == added_.end()) return std::nullopt;
  return found->second.error_class;
}

bool ErrorCodes::is_class(int value) const {
  return class_of(value) == value;
}

std::optional<std::string> ErrorCodes::describe(int code) const {
  if (const auto error_class = predefined_class_of(code))
    return describe_predefined(code, *error_class);
  const std::lock_guard lock(mutex_);
  const auto found = added_.find(code);
  if (found == added_.end()) return std::nullopt;
  return found->second.text;
}

int ErrorCodes::last_used() const {
  const std::lock_guard lock(mutex_);
  return next() - 1;
}

}  // namespace tessera::api
