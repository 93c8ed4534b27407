// SPDX-License-Identifier: BSD-3-Clause
// Text helpers.
#include "framework/text.h"

#include <gtest/gtest.h>

namespace tessera::text {
namespace {

TEST(Text, TrimsAndSplits) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(split("a,,b", ',').size(), 3u);
  EXPECT_EQ(split("", ',').size(), 1u);
  EXPECT_EQ(split("a,", ',').back(), "");
}

TEST(Text, EscapesAndBack) {
  const std::string odd = "a\tb\nc\\d\\te\r";
  EXPECT_EQ(escape(odd).find_first_of("\t\n\r"), std::string::npos);
  EXPECT_EQ(unescape(escape(odd)), odd);
  EXPECT_EQ(unescape("\\q\\"), "\\q\\");
}

TEST(Text, CountsEdits) {
  EXPECT_EQ(edit_distance("tcp", "tcp"), 0u);
  EXPECT_EQ(edit_distance("tpc", "tcp"), 1u);
  EXPECT_EQ(edit_distance("TCP", "tcp"), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(Text, FindsTheNearest) {
  const std::vector<std::string> known = {"btl_sm_size", "btl_tcp_sndbuf", "btl_tcp_rcvbuf"};
  EXPECT_EQ(nearest("btl_tpc_sndbuf", known), "btl_tcp_sndbuf");
  EXPECT_EQ(nearest("BTL_TCP_RCVBUF", known), "btl_tcp_rcvbuf");
  EXPECT_EQ(nearest("entirely_different", known), "");
  EXPECT_EQ(did_you_mean("btl_sm_siz", known), " (did you mean 'btl_sm_size'?)");
}

TEST(Text, Wraps) {
  EXPECT_EQ(wrap("aa bb cc", 7, 2), "  aa bb\n  cc");
  EXPECT_EQ(wrap("one\ntwo", 80, 0), "one\ntwo");
  EXPECT_EQ(wrap("averylongword b", 4, 0), "averylongword\nb");
  EXPECT_EQ(wrap("", 10, 4), "");
}

}  // namespace
}  // namespace tessera::text
