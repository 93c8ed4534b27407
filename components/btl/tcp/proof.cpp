// SPDX-License-Identifier: BSD-3-Clause
// The proofs of the greeting.
#include "proof.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include <string_view>

namespace tessera::btl::tcp {
namespace {

class Proof {
 public:
  Proof(const Secret& key, std::string_view word) noexcept {
    hmac_sha256_set_key(&context_, key.size(), octets(key.data()));
    hmac_sha256_update(&context_, word.size(), octets(word.data()));
  }
  Proof& over(std::span<const std::byte> bytes) noexcept {
    hmac_sha256_update(&context_, bytes.size(), octets(bytes.data()));
    return *this;
  }
  Secret made() noexcept {
    Secret proof;
    hmac_sha256_digest(&context_, proof.size(), reinterpret_cast<std::uint8_t*>(proof.data()));
    return proof;
  }

 private:
  static const std::uint8_t* octets(const void* at) noexcept {
    return static_cast<const std::uint8_t*>(at);
  }
  hmac_sha256_ctx context_;
};

}  // namespace

Secret prove_caller(const Secret& door, const Secret& challenge, const Hello& hello) noexcept {
  std::array<std::byte, Hello::kBytes> said;
  hello.write(said.data());
  return Proof(door, "tessera tcp caller")
      .over(challenge)
      .over(std::span(said).first(Hello::kProven))
      .made();
}

Secret prove_called(const Secret& sign, const Secret& challenge, const Hello& hello,
                    const Welcome& welcome) noexcept {
  std::array<std::byte, Hello::kBytes> asked;
  std::array<std::byte, Welcome::kBytes> said;
  hello.write(asked.data());
  welcome.write(said.data());
  return Proof(sign, "tessera tcp called")
      .over(challenge)
      .over(std::span(asked).first(Hello::kProven))
      .over(std::span(said).first(Welcome::kProven))
      .made();
}

bool equal(const Secret& a, const Secret& b) noexcept {
  return memeql_sec(a.data(), b.data(), a.size()) != 0;
}

}  // namespace tessera::btl::tcp
