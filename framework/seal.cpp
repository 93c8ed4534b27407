// SPDX-License-Identifier: BSD-3-Clause
// Makes and compares the checksum at the end of a component's file.
#include "framework/seal.h"

#include <nettle/sha2.h>

#include <cstring>
#include <string_view>

namespace tessera {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kFirstMark = "TesSeal1", kLastMark = "SealEnd1";
constexpr std::size_t kLengthAt = 8, kDigestAt = 16, kLastMarkAt = 56;
static_assert(kDigestAt + SHA256_DIGEST_SIZE + 8 == kLastMarkAt);
static_assert(kLastMarkAt + kLastMark.size() == kSealSize);

bool marked(Bytes seal, std::size_t at, std::string_view mark) noexcept {
  return std::memcmp(seal.data() + at, mark.data(), mark.size()) == 0;
}

}  // namespace

Seal make_seal(Bytes content) noexcept {
  Seal seal{};
  std::memcpy(seal.data(), kFirstMark.data(), kFirstMark.size());
  for (std::size_t i = 0; i < 8; ++i)
    seal[kLengthAt + i] = static_cast<std::byte>(content.size() >> (8 * i));
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, content.size(), reinterpret_cast<const std::uint8_t*>(content.data()));
  sha256_digest(&context, SHA256_DIGEST_SIZE,
                reinterpret_cast<std::uint8_t*>(seal.data() + kDigestAt));
  std::memcpy(seal.data() + kLastMarkAt, kLastMark.data(), kLastMark.size());
  return seal;
}

SealState check_seal(Bytes file) noexcept {
  if (file.size() < kSealSize) return SealState::absent;
  const Bytes seal = file.last(kSealSize);
  if (!marked(seal, 0, kFirstMark) && !marked(seal, kLastMarkAt, kLastMark))
    return SealState::absent;
  const Seal right = make_seal(file.first(file.size() - kSealSize));
  const bool equal = std::memcmp(seal.data(), right.data(), kSealSize) == 0;
  return equal ? SealState::right : SealState::wrong;
}

}  // namespace tessera
