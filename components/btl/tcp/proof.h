// SPDX-License-Identifier: BSD-3-Clause
// How the two sides of a connection prove that they know the secrets of a card without showing
// them.
#pragma once
//
// A proof is an HMAC-SHA-256, cut to 16 bytes, over a word that says whose proof it is, over the
// random numbers of both sides and over what they have said. The called side draws a number for
// each connection, so that a greeting that was overheard is worth nothing on another one.
//
#include <cstddef>
#include <span>

#include "wire.h"

namespace tessera::btl::tcp {

// With the secret `door` of the called process: what stands in Hello::proof.
Secret prove_caller(const Secret& door, const Secret& challenge, const Hello& hello) noexcept;
// With its secret `sign`: what stands in Welcome::proof.
Secret prove_called(const Secret& sign, const Secret& challenge, const Hello& hello,
                    const Welcome& welcome) noexcept;

// In a time that does not depend on where they differ.
bool equal(const Secret& a, const Secret& b) noexcept;

}  // namespace tessera::btl::tcp
