// SPDX-License-Identifier: BSD-3-Clause
// The labels of version 0.0: what each means, whose values it gathers, in which form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impi/wire/bytes.h"
#include "impi/wire/constants.h"
#include "impi/wire/outcome.h"
#include "impi/wire/packet.h"

namespace tessera::impi {

enum class Scope : std::uint8_t { client, host, process };
enum class Element : std::uint8_t { version, u32, i32, i64, address };

struct LabelRule {
  Label label;
  const char* name;
  Scope scope;
  Element element;
};
std::span<const LabelRule> label_rules() noexcept;  // ascending
const LabelRule* find_label(std::uint32_t label) noexcept;
std::string name_of(Label label);  // "C_NHOSTS", or the number
std::size_t bytes_of(Element element) noexcept;

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

// Versions of our own, above those of the protocol: systems of ours, on machines that represent
// data alike, do what 0.0 has no packets for; with the second one the user also lets them choose
// other algorithms for what it has.
inline constexpr Version kOwnVersion{0x54455353, 1};
inline constexpr Version kFreeVersion{0x54455353, 2};

// The lists of all clients from their concatenation: each begins with 0.0 and ascends.
Outcome<std::vector<std::vector<Version>>> split_versions(ByteView values, std::size_t clients);
// The highest version that is in every list; there is always 0.0.
Version common_version(std::span<const std::vector<Version>> lists) noexcept;

// The value of C_COLL_XSIZE or C_COLL_MAXLINEAR: -1 means the default, and all must agree.
Outcome<std::int32_t> agreed_threshold(Label label, std::span<const std::int32_t> values);

Bytes encode_values(std::span<const Version> versions);
Bytes encode_values(std::span<const std::uint32_t> numbers);
Bytes encode_values(std::span<const std::int64_t> numbers);
Bytes encode_values(std::span<const HostId> addresses);

}  // namespace tessera::impi
