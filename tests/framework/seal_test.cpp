// SPDX-License-Identifier: BSD-3-Clause
// The checksum at the end of a component: what it notices, and what it leaves alone.
#include "framework/seal.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using Content = std::vector<std::byte>;

Content sealed(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  Content content(first, first + text.size());
  const Seal seal = make_seal(content);
  content.insert(content.end(), seal.begin(), seal.end());
  return content;
}

TEST(Seal, IsTheSha256OfWhatStandsBeforeIt) {
  const Content file = sealed("abc");
  ASSERT_EQ(file.size(), 3 + kSealSize);
  EXPECT_EQ(
      std::memcmp(file.data() + 3, "TesSeal1\3\0\0\0\0\0\0\0\xba\x78\x16\xbf\x8f\x01\xcf\xea", 24),
      0);
  EXPECT_EQ(check_seal(file), SealState::right);
}

TEST(Seal, OfNothing) {
  EXPECT_EQ(check_seal(sealed("")), SealState::right);
  EXPECT_EQ(check_seal({}), SealState::absent);
}

// In what is sealed, in the seal and in its marks.
TEST(Seal, EachBitCounts) {
  Content file = sealed("a component, more or less");
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_EQ(check_seal(file), SealState::wrong) << "bit " << bit;
    file[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST(Seal, LostAndAddedBytesAreNoticed) {
  const Content file = sealed("a component, more or less");
  Content shorter(file.begin() + 1, file.end()), longer = file;
  longer.insert(longer.begin() + 4, std::byte{0});
  EXPECT_EQ(check_seal(shorter), SealState::wrong);
  EXPECT_EQ(check_seal(longer), SealState::wrong);
}

// Tools that write an ELF file anew leave out what stands behind its sections.
TEST(Seal, AFileWithoutOneIsNotJudged) {
  const Content file =
      sealed("a component, more or less, and so long that a seal would fit into it");
  EXPECT_EQ(check_seal(std::span(file).first(file.size() - kSealSize)), SealState::absent);
}

}  // namespace
}  // namespace tessera
