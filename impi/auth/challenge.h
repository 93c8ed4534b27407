// SPDX-License-Identifier: BSD-3-Clause
// The method that sends no secret: both sides prove that they know it.
#pragma once
//
// Contract. Method 16, in the room that the protocol leaves to extensions. All lengths are fixed:
//   server: {which 16, len 32} and 32 random bytes S
//   client: 32 random bytes C, and HMAC-SHA256(secret, "IMPI-16 client" S C)
//   server: HMAC-SHA256(secret, "IMPI-16 server" S C), or it closes the connection
// The two words keep a proof from being sent back to its maker; the client leaves when the proof of
// the server is wrong. What follows on the stream is neither encrypted nor authenticated.
//
#include <array>

#include "impi/wire/bytes.h"

namespace tessera::impi {

inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kProofBytes = 32;

using Nonce = std::array<std::byte, kNonceBytes>;
using Proof = std::array<std::byte, kProofBytes>;

Nonce random_nonce();
enum class Prover : std::uint8_t { client, server };
Proof prove(Prover prover, ByteView secret, const Nonce& server, const Nonce& client) noexcept;

// In a time that does not depend on where two values differ.
bool equal(ByteView a, ByteView b) noexcept;

}  // namespace tessera::impi
