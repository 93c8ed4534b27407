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

TEST(Text, ShowsNothingThatControlsATerminal) {
  const std::string fine = "plain\ttext\n, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80";
  EXPECT_EQ(printable(fine), fine);
  EXPECT_EQ(printable("\x1b[2J\r\x7f"), "\\x1b[2J\\x0d\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b") << "a control character of 8 bits";
  for (const char* const wrong : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"})
    EXPECT_EQ(printable(wrong).substr(0, 2), "\\x") << "no character of UTF-8";
  EXPECT_EQ(wrap("\x1b[1m bold", 80, 2), "  \\x1b[1m bold");
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
