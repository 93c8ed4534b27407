// SPDX-License-Identifier: BSD-3-Clause
// A Status that one thread sets and another one may report: KeptStatus.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "tessera/status.h"

namespace tessera {

// The text of a Status stays with the thread that has stored it; this one has a copy. Success costs
// nothing.
class KeptStatus {
 public:
  KeptStatus& operator=(Status status) noexcept {
    code_ = status.code();
    text_.reset();
    if (!status.ok()) [[unlikely]]
      keep(status.text());
    return *this;
  }

  bool ok() const noexcept { return code_ == Errc::ok; }
  bool operator==(Errc code) const noexcept { return code_ == code; }
  // With its text, for the thread that asks.
  Status get() const noexcept {
    return text_ != nullptr ? Status::failure(code_, text_.get()) : Status(code_);
  }

 private:
  void keep(const char* text) noexcept {
    const std::size_t bytes = std::strlen(text) + 1;
    text_.reset(new (std::nothrow) char[bytes]);
    if (text_ != nullptr) std::memcpy(text_.get(), text, bytes);
  }

  Errc code_ = Errc::ok;
  std::unique_ptr<char[]> text_;
};

}  // namespace tessera
