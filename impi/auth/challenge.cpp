// SPDX-License-Identifier: BSD-3-Clause
#include "impi/auth/challenge.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace tessera::impi {
namespace {

const std::uint8_t* octets(ByteView bytes) noexcept {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

}  // namespace

Nonce random_nonce() {
  Nonce nonce;
  ssize_t count = 0;
  do count = getrandom(nonce.data(), nonce.size(), 0);
  while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(nonce.size())) std::abort();  // without randomness no proof
  return nonce;
}

Proof prove(Prover prover, ByteView secret, const Nonce& server, const Nonce& client) noexcept {
  const std::string_view word = prover == Prover::client ? "IMPI-16 client" : "IMPI-16 server";
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, secret.size(), octets(secret));
  hmac_sha256_update(&context, word.size(), reinterpret_cast<const std::uint8_t*>(word.data()));
  hmac_sha256_update(&context, server.size(), octets(server));
  hmac_sha256_update(&context, client.size(), octets(client));
  Proof proof;
  hmac_sha256_digest(&context, proof.size(), reinterpret_cast<std::uint8_t*>(proof.data()));
  return proof;
}

bool equal(ByteView a, ByteView b) noexcept {
  return a.size() == b.size() && memeql_sec(a.data(), b.data(), a.size()) != 0;
}

}  // namespace tessera::impi
