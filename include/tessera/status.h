// SPDX-License-Identifier: BSD-3-Clause
// Outcome of an operation inside the library: Status, Result<T>.
#pragma once
//
// Contract. Every function that can fail returns a Status (or a Result<T>), never throws and never
// prints. A Status is eight bytes, passed in a register: a code plus the number of a detail text.
// The text is stored by the thread that detected the failure, in a small ring of that thread;
// whoever reports the failure reads it at once, with text(). The code stays valid for ever, the
// text until the thread has stored 32 further ones. The first detector writes the text (what was
// wrong, what would be right); callers only pass the Status up. Outputs are set only on success.
// `again` is not a failure: the operation had no effect and may be repeated after progress was
// made.
//
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

namespace tessera {

enum class Errc : std::uint32_t {
  ok = 0,
  again,        // no effect now; repeat after progress (a full ring, a socket buffer)
  unsupported,  // this object does not offer the operation; the caller may choose another way
  argument,     // a value outside what the contract allows
  not_found,
  no_memory,
  no_space,     // a bounded resource (segment, file system, descriptor table) is exhausted
  truncated,    // a message is longer than the buffer posted for it
  type,         // a datatype does not fit the operation
  operation,    // a reduction does not fit the datatype
  peer_failed,  // the other process is gone or unreachable
  system,       // a system call failed; the text names call and errno
  refused,      // judged and not admitted (a plug-in, a parameter)
  cancelled,
  internal,  // an invariant of the library does not hold
};

class [[nodiscard]] Status {
 public:
  constexpr Status() noexcept = default;
  constexpr Status(Errc code) noexcept
      : code_(code) {}  // NOLINT: a bare code is a Status without detail

  // A failure with its detail text (copied, cut at 1,000 bytes). Allocation failures degrade to the
  // bare code.
  static Status failure(Errc code, std::string_view text) noexcept;

  constexpr bool ok() const noexcept { return code_ == Errc::ok; }
  constexpr explicit operator bool() const noexcept { return ok(); }
  constexpr Errc code() const noexcept { return code_; }
  constexpr bool operator==(Errc code) const noexcept { return code_ == code; }

  // The detail text if it is still held by this thread, else a general phrase for the code. Never
  // null.
  const char* text() const noexcept;

 private:
  constexpr Status(Errc code, std::uint32_t detail) noexcept : code_(code), detail_(detail) {}
  Errc code_ = Errc::ok;
  std::uint32_t detail_ = 0;
};
static_assert(sizeof(Status) == 8);

// A value, or the Status that says why there is none. Test with ok() before value().
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit by design.
  Result(T value) noexcept : has_value_(true) { ::new (&value_) T(std::move(value)); }  // NOLINT
  Result(Status failure) noexcept : status_(failure) {}                                 // NOLINT
  Result(Errc failure) noexcept : status_(failure) {}                                   // NOLINT
  Result(Result&& other) noexcept : status_(other.status_), has_value_(other.has_value_) {
    if (has_value_) ::new (&value_) T(std::move(other.value_));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (has_value_) value_.~T();
  }

  bool ok() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }
  Status status() const noexcept { return status_; }
  T& value() & noexcept { return value_; }
  const T& value() const& noexcept { return value_; }
  T&& value() && noexcept { return std::move(value_); }
  T& operator*() & noexcept { return value_; }
  T* operator->() noexcept { return &value_; }

 private:
  Status status_;
  union {
    T value_;
  };
  bool has_value_ = false;
};

}  // namespace tessera
