// SPDX-License-Identifier: BSD-3-Clause
// Methods of authentication: which are enabled, which is chosen, what is proved.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "impi/auth/challenge.h"
#include "impi/auth/credentials.h"
#include "impi/wire/environment.h"
#include "tests/impi/hex.h"

namespace tessera::impi {
namespace {

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {kAuthNone, kAuthKey, kAuthSecret, kAuthSecretFile}) unsetenv(name);
  }
  void TearDown() override {
    SetUp();
    unlink(path_.c_str());
  }
  void write_secret(const std::string& text, mode_t mode) {
    std::ofstream(path_) << text;
    chmod(path_.c_str(), mode);
    setenv(kAuthSecretFile, path_.c_str(), 1);
  }
  std::string path_ = testing::TempDir() + "impi-secret-" + std::to_string(getpid());
};

TEST_F(Environment, NothingIsEnabledByItself) {  // req impi 1.4
  EXPECT_EQ(credentials_from_environment().value().mask(), 0U);
  setenv(kAuthNone, "", 1);
  EXPECT_EQ(credentials_from_environment().value().mask(), 1U);
  setenv(kAuthKey, "18446744073709551615", 1);
  EXPECT_EQ(credentials_from_environment().value().mask(), 3U);
}

TEST_F(Environment, KeysThatAreNone) {
  for (const char* text : {"", "x", "0x10", "-1", "1 ", "18446744073709551616"}) {
    setenv(kAuthKey, text, 1);
    const auto credentials = credentials_from_environment();
    ASSERT_FALSE(credentials.ok()) << text;
    EXPECT_EQ(credentials.text().find("0x10"), std::string::npos);
  }
}

TEST_F(Environment, SecretsOfFiles) {
  write_secret("a secret of many bytes\n", 0600);
  const auto credentials = credentials_from_environment();
  ASSERT_TRUE(credentials.ok()) << credentials.text();
  EXPECT_EQ(credentials.value().secret.size(), 22U);
  EXPECT_EQ(credentials.value().mask(), 1U << 16);
  write_secret("a secret of many bytes\n", 0640);
  EXPECT_NE(credentials_from_environment().text().find("chmod 600"), std::string::npos);
  write_secret("short\n", 0600);
  const auto failed = credentials_from_environment();
  EXPECT_NE(failed.text().find("5 bytes"), std::string::npos);
  EXPECT_EQ(failed.text().find("short"), std::string::npos);
  setenv(kAuthSecretFile, "/nowhere/at/all", 1);
  EXPECT_FALSE(credentials_from_environment().ok());
  setenv(kAuthSecretFile, "/", 1);
  EXPECT_FALSE(credentials_from_environment().ok());
}

TEST(Preferences, Lists) {  // req impi 1.3
  EXPECT_EQ(parse_preferences("3,1-0").value(), (Preferences{3, 1, 0}));
  EXPECT_EQ(parse_preferences("0-2,1").value(), (Preferences{0, 1, 2}));
  EXPECT_EQ(parse_preferences("16").value(), (Preferences{16}));
  for (const char* text : {"", ",", "1,", "x", "32", "1-", "-1", "1-2-3", "1-99", "4294967296"})
    EXPECT_FALSE(parse_preferences(text).ok()) << text;
}

TEST(Preferences, TheMostPreferredOfBoth) {  // req impi 2.5
  EXPECT_EQ(choose({1, 0}, 3, 3), AuthMethod::key);
  EXPECT_EQ(choose({0, 1}, 3, 3), AuthMethod::none);
  EXPECT_EQ(choose({1, 0}, 3, 1), AuthMethod::none);
  EXPECT_EQ(choose({1}, 3, 1), std::nullopt);
  EXPECT_EQ(choose(kStrongestFirst, 0x10003, 0xFFFFFFFF), AuthMethod::hmac);
}

// HMAC-SHA256 of RFC 4231 is nettle's affair; what is hashed is ours.
TEST(Challenge, Proofs) {  // req impi 2.20
  Nonce server{}, client{};
  server[0] = std::byte{1};
  const Bytes secret(20, std::byte{0x0B});
  const Proof proof = prove(Prover::client, secret, server, client);
  EXPECT_EQ(to_hex(proof), to_hex(prove(Prover::client, secret, server, client)));
  EXPECT_NE(to_hex(proof), to_hex(prove(Prover::server, secret, server, client)));
  EXPECT_NE(to_hex(proof), to_hex(prove(Prover::client, secret, client, server)));
  EXPECT_NE(to_hex(proof), to_hex(prove(Prover::client, Bytes(20), server, client)));
  EXPECT_TRUE(equal(proof, proof));
  EXPECT_FALSE(equal(proof, ByteView(proof).first(31)));
  EXPECT_NE(random_nonce(), random_nonce());
}

}  // namespace
}  // namespace tessera::impi
