// SPDX-License-Identifier: BSD-3-Clause
// Reading YAML: what a document holds, and what is said of a text that is none.
#include "tessera/yaml.h"

#include <gtest/gtest.h>

using tessera::yaml::Document;
using tessera::yaml::Kind;
using tessera::yaml::Node;

namespace {

Kind kind_of(const char* text) {
  const Document document(text);
  EXPECT_TRUE(document.ok()) << text << ": " << document.error();
  return document.root().kind();
}

TEST(Yaml, KnowsTheKindsOfNodes) {
  EXPECT_EQ(kind_of("word"), Kind::scalar);
  EXPECT_EQ(kind_of("3"), Kind::scalar);
  EXPECT_EQ(kind_of("[1, 2]"), Kind::sequence);
  EXPECT_EQ(kind_of("- 1\n- 2\n"), Kind::sequence);
  EXPECT_EQ(kind_of("a: 1"), Kind::map);
  EXPECT_EQ(kind_of("{\"a\": [1, {\"b\": null}]}"), Kind::map);
  for (const char* null : {"", "# nothing\n", "~", "null", "Null", "NULL", "---\n"})
    EXPECT_EQ(kind_of(null), Kind::null) << null;
  for (const char* quoted : {"'~'", "\"null\"", "''"})
    EXPECT_EQ(kind_of(quoted), Kind::scalar) << quoted;
}

TEST(Yaml, KeepsTheOrderAndTheLines) {
  const Document document("b: 1\na:\n  - x\n  - 'y z'\nb: 2\n");
  ASSERT_TRUE(document.ok()) << document.error();
  const auto entries = document.root().entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].key.text(), "b");
  EXPECT_EQ(entries[2].value.text(), "2");
  EXPECT_EQ(entries[2].value.line(), 5);
  const auto elements = document.root().find("a").elements();
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(elements[1].text(), "y z");
  EXPECT_EQ(elements[1].line(), 4);
  EXPECT_EQ(document.root().find("b").text(), "1");
  EXPECT_TRUE(document.root().find("c").is_null());
  EXPECT_TRUE(elements[0].entries().empty());
  EXPECT_TRUE(elements[0].elements().empty());
  EXPECT_EQ(document.root().text(), "");
}

TEST(Yaml, ReadsTheFirstDocumentAlone) {
  const Document document("a: 1\n---\nb: [\n");
  ASSERT_TRUE(document.ok()) << document.error();
  EXPECT_EQ(document.root().find("a").text(), "1");
}

TEST(Yaml, FollowsAliases) {
  const Document document("a: &name [1, 2]\nb: *name\n");
  ASSERT_TRUE(document.ok()) << document.error();
  EXPECT_EQ(document.root().find("b").elements().size(), 2U);
}

TEST(Yaml, SaysWhatIsWrongAndWhere) {
  struct {
    const char* text;
    int line;
    const char* error;
  } const cases[] = {
      {"a: [", 1, "did not find expected node content while parsing a flow node"},
      {"a: [1,\n2\nb: 3\n", 3,
       "did not find expected ',' or ']' while parsing a flow sequence that begins in line 1"},
      {"a: *b\n", 1, "found undefined alias"},
      {"a: \"b\n", 1, "found unexpected end of stream while scanning a quoted scalar"},
      {"a: 1\n\tb: 2\n", 2,
       "found a tab character that violates indentation while scanning a plain scalar that begins "
       "in line 1"},
      {"a: \xFF\n", 1, "invalid leading UTF-8 octet"},
  };
  for (const auto& [text, line, error] : cases) {
    const Document document(text);
    EXPECT_FALSE(document.ok()) << text;
    EXPECT_EQ(document.error_line(), line) << text;
    EXPECT_EQ(document.error(), error) << text;
    EXPECT_TRUE(document.root().is_null());
  }
}

}  // namespace
