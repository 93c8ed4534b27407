// SPDX-License-Identifier: BSD-3-Clause
// Reads YAML with libyaml: a library in C, whose archive adds nothing to what a process loads.
#include "tessera/yaml.h"

#include <yaml.h>

#include <algorithm>

namespace tessera::yaml {
namespace {

struct Parser {
  yaml_parser_t state;
  bool ready = yaml_parser_initialize(&state) == 1;
  Parser() = default;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    if (ready) yaml_parser_delete(&state);
  }
};

struct Loaded {
  yaml_document_t document;
  bool ready;
  explicit Loaded(Parser& parser) : ready(yaml_parser_load(&parser.state, &document) == 1) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (ready) yaml_document_delete(&document);
  }
};

std::string_view text_of(const yaml_node_t& node) noexcept {
  return {reinterpret_cast<const char*>(node.data.scalar.value), node.data.scalar.length};
}

bool says_null(const yaml_node_t& node) noexcept {
  if (node.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
  for (const std::string_view word : {"", "~", "null", "Null", "NULL"}) {
    if (text_of(node) == word) return true;
  }
  return false;
}

Kind kind_of(const yaml_node_t& node) noexcept {
  if (node.type == YAML_SEQUENCE_NODE) return Kind::sequence;
  if (node.type == YAML_MAPPING_NODE) return Kind::map;
  return node.type == YAML_SCALAR_NODE && !says_null(node) ? Kind::scalar : Kind::null;
}

std::vector<int> parts_of(const yaml_node_t& node) {
  std::vector<int> parts;
  if (node.type == YAML_SEQUENCE_NODE) {
    const auto& items = node.data.sequence.items;
    parts.assign(items.start, items.top);
  } else if (node.type == YAML_MAPPING_NODE) {
    const auto& pairs = node.data.mapping.pairs;
    for (const yaml_node_pair_t* pair = pairs.start; pair != pairs.top; ++pair) {
      parts.push_back(pair->key);
      parts.push_back(pair->value);
    }
  }
  return parts;
}

int line_of(const yaml_mark_t& mark) noexcept {
  return static_cast<int>(mark.line) + 1;
}

std::string problem_of(const yaml_parser_t& parser, int line) {
  if (parser.problem == nullptr) return "there is no memory to read it";
  std::string text = parser.problem;
  if (parser.context == nullptr) return text;
  text += std::string(" ") + parser.context;
  if (line_of(parser.context_mark) < line)
    text += " that begins in line " + std::to_string(line_of(parser.context_mark));
  return text;
}

}  // namespace

Document::Document(std::string_view text) {
  Parser parser;
  if (parser.ready) {
    yaml_parser_set_input_string(&parser.state, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    const Loaded loaded(parser);
    if (loaded.ready) {
      // libyaml numbers its nodes from 1, the root first.
      for (const yaml_node_t* node = loaded.document.nodes.start; node != loaded.document.nodes.top;
           ++node) {
        const Kind kind = kind_of(*node);
        records_.push_back({kind, line_of(node->start_mark),
                            std::string(kind == Kind::scalar ? text_of(*node) : ""),
                            parts_of(*node)});
      }
      return;
    }
  }
  // What is missing at the end is missing in the last line that there is.
  const auto ends = std::count(text.begin(), text.end(), '\n') - (text.ends_with('\n') ? 1 : 0);
  const bool encoding = parser.state.error == YAML_READER_ERROR;
  error_line_ = std::min(line_of(encoding ? parser.state.mark : parser.state.problem_mark),
                         static_cast<int>(ends) + 1);
  error_ = problem_of(parser.state, error_line_);
}

Kind Node::kind() const noexcept {
  return document_->records_[static_cast<std::size_t>(index_)].kind;
}

int Node::line() const noexcept {
  return document_->records_[static_cast<std::size_t>(index_)].line;
}

const std::string& Node::text() const noexcept {
  return document_->records_[static_cast<std::size_t>(index_)].text;
}

std::vector<Node> Node::elements() const {
  std::vector<Node> elements;
  if (!is_sequence()) return elements;
  for (const int part : document_->records_[static_cast<std::size_t>(index_)].parts)
    elements.push_back({document_, part});
  return elements;
}

std::vector<Node::Entry> Node::entries() const {
  std::vector<Entry> entries;
  if (!is_map()) return entries;
  const auto& parts = document_->records_[static_cast<std::size_t>(index_)].parts;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
    entries.push_back({{document_, parts[i]}, {document_, parts[i + 1]}});
  return entries;
}

Node Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries()) {
    if (name.is_scalar() && name.text() == key) return value;
  }
  return {document_, 0};
}

}  // namespace tessera::yaml
