// SPDX-License-Identifier: BSD-3-Clause
// Reading files in YAML, of which JSON is a part.
#pragma once
//
// Contract. A Document is the first document of a text, read whole; what it holds is known by its
// Nodes, which are valid while it lives and cost nothing to copy. A text that is no YAML is not an
// exception: ok() is false, and error() and error_line() say what is wrong and where. A reader asks
// each node for its kind before its contents, and names line() in what it says to the user. Aliases
// are the nodes that they name, so that a walk without a bound on its depth may have no end.
//
#include <string>
#include <string_view>
#include <vector>

namespace tessera::yaml {

// `null` is what stands nowhere, or is empty, ~ or null without quotes.
enum class Kind { null, scalar, sequence, map };

class Document;

class Node {
 public:
  Kind kind() const noexcept;
  bool is_null() const noexcept { return kind() == Kind::null; }
  bool is_scalar() const noexcept { return kind() == Kind::scalar; }
  bool is_sequence() const noexcept { return kind() == Kind::sequence; }
  bool is_map() const noexcept { return kind() == Kind::map; }

  // Where it begins, from 1.
  int line() const noexcept;
  // The text of a scalar without its quotes; that of other kinds is empty.
  const std::string& text() const noexcept;

  struct Entry;
  // The elements of a sequence, and the entries of a map, in the order written; other kinds have
  // none.
  std::vector<Node> elements() const;
  std::vector<Entry> entries() const;
  // The value of the first entry of a map whose key is this scalar; null where there is none.
  Node find(std::string_view key) const;

 private:
  friend class Document;
  Node(const Document* document, int index) noexcept : document_(document), index_(index) {}
  const Document* document_;
  int index_;
};

struct Node::Entry {
  Node key, value;
};

class Document {
 public:
  explicit Document(std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  bool ok() const noexcept { return error_.empty(); }
  const std::string& error() const noexcept { return error_; }
  int error_line() const noexcept { return error_line_; }
  // Null where the text is empty or wrong.
  Node root() const noexcept { return {this, records_.size() > 1 ? 1 : 0}; }

 private:
  friend class Node;
  struct Record {
    Kind kind = Kind::null;
    int line = 1;
    std::string text = {};
    std::vector<int> parts = {};  // numbers of records; of a map keys and values in turn
  };

  std::vector<Record> records_ = {Record()};  // the first is that of nodes which are not there
  std::string error_;
  int error_line_ = 0;
};

}  // namespace tessera::yaml
