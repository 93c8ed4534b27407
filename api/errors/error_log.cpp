// SPDX-License-Identifier: BSD-3-Clause
// The ring behind ErrorLog.
#include "api/errors/error_log.h"

#include <utility>

namespace tessera::api {

ErrorLog& ErrorLog::instance() {
  // Never destroyed: errors may be reported while the process runs its exit handlers.
  static ErrorLog& log = *new ErrorLog;
  return log;
}

int ErrorLog::store(int error_class, std::string text) {
  const std::lock_guard lock(mutex_);
  latest_ = (latest_ + 1) % slot_count;
  entries_[latest_] = {error_class, std::move(text)};
  return error_class + class_count * (latest_ + 1);
}

std::optional<std::string> ErrorLog::text(int code) const {
  const int slot = code / class_count;
  if (slot < 1 || slot > slot_count) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const Entry& entry = entries_[slot - 1];
  if (entry.error_class != class_of(code)) return std::nullopt;
  return entry.text;
}

}  // namespace tessera::api
