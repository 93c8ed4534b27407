// SPDX-License-Identifier: BSD-3-Clause
// Texts that nobody would write: mutants of a corpus, given to the parsers of texts.
#pragma once
//
// A parser has a corpus of texts, tests/fuzz/corpus/PARSER/, each right or once the cause of a
// fault. A round makes of it a text that follows from a number, its seed, and gives it to the
// parser.
//
// TESSERA_FUZZ_SECONDS is the time for each parser (default: a fixed number of rounds). A failure
// names the seed; TESSERA_FUZZ_SEED begins with it.
//
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tessera::fuzz {

using Corpus = std::vector<std::string>;

// Makes texts; the same for the same seed.
class Forge {
 public:
  explicit Forge(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  // Changed, removed, doubled and exchanged parts, and words at which parsers stumble.
  std::string mutant(const Corpus& corpus);

 private:
  void change(std::string& text, const Corpus& corpus);
  void put_number(std::string& text);
  std::mt19937_64 random_;
};

// Gives the text to the parser and returns what was said of it; empty where it was accepted. What
// must hold for any text is an assertion.
using Parser = std::function<std::string(const std::string& text)>;

void run(const char* name, const Parser& parser);

}  // namespace tessera::fuzz
