// SPDX-License-Identifier: BSD-3-Clause
#include "framework/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tessera {
namespace {

TEST(Json, WritesValues) {
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json(true).text(), "true");
  EXPECT_EQ(Json(-7).text(), "-7");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Json(0.1).text(), "0.1");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
  EXPECT_EQ(Json("yes").text(), "\"yes\"");
  EXPECT_EQ(Json::array().text(), "[]");
  EXPECT_EQ(Json::object().text(), "{}");
}

TEST(Json, WritesALevelPerTwoBlanks) {
  Json json = Json::object();
  json.set("ranks", std::vector<int>{0, 2}).set("a \"name\"", Json::object().set("empty", ""));
  EXPECT_EQ(json.text(), R"({
  "ranks": [
    0,
    2
  ],
  "a \"name\"": {
    "empty": ""
  }
})");
}

TEST(Json, EscapesWhatTextMayNotHold) {
  EXPECT_EQ(Json("a\"b\\c\n\t\r\b\f").text(), R"("a\"b\\c\n\t\r\b\f")");
  EXPECT_EQ(Json("\x1b[0m").text(), R"("\u001b[0m")");
  EXPECT_EQ(Json(std::string_view("\0", 1)).text(), R"("\u0000")");
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(Json("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC").text(), "\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC\"");
  EXPECT_EQ(Json("a\xFF"
                 "b\xC3")
                .text(),
            "\"a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace tessera
