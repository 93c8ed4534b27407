// SPDX-License-Identifier: BSD-3-Clause
// Which methods of authentication a user enabled, and which one two sides use.
#pragma once
//
// Contract. A method is enabled by the environment (impi/wire/environment.h) and by nothing else:
// IMPI_AUTH_NONE by being there, IMPI_AUTH_KEY by a decimal number of 64 bits, the challenge by
// IMPI_AUTH_SECRET_FILE (a file of the user that nobody else may read) or IMPI_AUTH_SECRET, with at
// least kLeastSecret bytes. A value that cannot be used is an error, never a method less. No text
// of this file shows a key or a secret.
//
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "impi/wire/bytes.h"
#include "impi/wire/constants.h"
#include "impi/wire/outcome.h"

namespace tessera::impi {

inline constexpr std::size_t kLeastSecret = 16;
inline constexpr std::size_t kMostSecret = 4096;

// Most preferred first. The strongest comes first where the user said nothing.
using Preferences = std::vector<std::uint32_t>;
inline const Preferences kStrongestFirst = {static_cast<std::uint32_t>(AuthMethod::hmac),
                                            static_cast<std::uint32_t>(AuthMethod::key),
                                            static_cast<std::uint32_t>(AuthMethod::none)};

struct Credentials {
  bool none = false;
  std::optional<std::uint64_t> key;
  Bytes secret;

  std::uint32_t mask() const noexcept;  // bit m: method m can be used
};

Outcome<Credentials> credentials_from_environment();

// "3,1-0": numbers and ranges of 0 to 31; ranges may run downwards.
Outcome<Preferences> parse_preferences(const std::string& text);
std::uint32_t mask_of(const Preferences& preferences) noexcept;

// The most preferred method that both masks have.
std::optional<AuthMethod> choose(const Preferences& preferences, std::uint32_t mine,
                                 std::uint32_t theirs) noexcept;

// What a side without a method says.
inline constexpr char kNoMethod[] =
    "no authentication method is available: set IMPI_AUTH_SECRET_FILE to a file with a secret, "
    "IMPI_AUTH_KEY to a number, or IMPI_AUTH_NONE to admit anybody";

}  // namespace tessera::impi
