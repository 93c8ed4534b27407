// SPDX-License-Identifier: BSD-3-Clause
// Streams that no client and no host would send: mutants of a corpus, in pieces of any size.
#pragma once
//
// A parser has a corpus of streams that are right, made by code, and one of streams that once made
// it do something new, tests/impi/corpus/PARSER.hex: a line of hexadecimal digits each. A round
// says what the parser made of its input; what it has not made before is new.
//
// IMPI_FUZZ_SECONDS is the time for each parser (default: a fixed number of rounds). A failure
// names the seed; IMPI_FUZZ_SEED repeats it. IMPI_FUZZ_SAVE is a folder for inputs that are new.
//
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "impi/wire/bytes.h"

namespace tessera::impi::fuzzing {

inline constexpr std::uint64_t kRounds = 20000;
inline constexpr std::size_t kLongest = 64U << 10;
inline constexpr std::size_t kLongestKept = 600;        // bytes of an input that joins the corpus
inline constexpr std::size_t kMostGrowth = 256U << 10;  // bytes of memory, after the first rounds
inline constexpr unsigned kHangS = 60;                  // a round that takes longer does not end

class Forge {
 public:
  explicit Forge(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  // Changed bytes, numbers at their limits, parts doubled, removed or cut off.
  Bytes mutant(const std::vector<Bytes>& corpus) {
    Bytes bytes = corpus[below(corpus.size())];
    for (std::size_t i = below(6); i > 0 && !bytes.empty(); --i) change(bytes);
    if (below(4) == 0) append(bytes, corpus[below(corpus.size())]);
    bytes.resize(std::min(bytes.size(), kLongest));
    return bytes;
  }

  template <class Take>
  void in_pieces(ByteView bytes, Take take) {
    while (!bytes.empty()) {
      const std::size_t count = 1 + below(below(2) == 0 ? 8 : bytes.size());
      take(bytes.first(std::min(count, bytes.size())));
      bytes = bytes.subspan(std::min(count, bytes.size()));
    }
  }

 private:
  void change(Bytes& bytes) {
    constexpr std::uint32_t kLimits[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                         0xFFFFFFFF, 0xFFFFFFF0, 1U << 20,   (1U << 20) + 1};
    const std::size_t at = below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<std::byte>(random_());
        break;
      case 1:
        if (at / 4 * 4 + 4 <= bytes.size()) store(&bytes[at / 4 * 4], kLimits[below(8)]);
        break;
      case 2:
        bytes.erase(place, place + static_cast<std::ptrdiff_t>(below(bytes.size() - at)));
        break;
      default:
        append(bytes, Bytes(place, bytes.end()));
    }
  }
  std::mt19937_64 random_;
};

inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) append(all, part);
  return all;
}

// What a parser made of its input, in words; numbers in its texts do not count, hexadecimal ones
// included.
class Outcomes {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      const bool digit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
      if (!digit) text_ += c;
    }
    text_ += '|';
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

namespace detail {

inline volatile std::uint64_t seed_now = 0;

[[noreturn]] inline void say_seed(int signal) noexcept {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "IMPI_FUZZ_SEED=%llu, signal %d\n",
                                 static_cast<unsigned long long>(seed_now), signal);
  if (size < 0 || ::write(2, text, static_cast<std::size_t>(size)) < 0) ::_exit(2);
  ::_exit(1);
}

inline std::string corpus_file(const char* parser) {
  return std::string(IMPI_FUZZ_CORPUS "/") + parser + ".hex";
}

inline std::vector<Bytes> stored(const char* parser) {
  std::vector<Bytes> inputs;
  std::ifstream file(corpus_file(parser));
  for (std::string line; std::getline(file, line);) {
    Bytes bytes;
    for (std::size_t at = 0; at + 1 < line.size() && line[0] != '#'; at += 2)
      bytes.push_back(static_cast<std::byte>(std::stoi(line.substr(at, 2), nullptr, 16)));
    if (!bytes.empty()) inputs.push_back(std::move(bytes));
  }
  return inputs;
}

inline void keep(const char* parser, const std::string& outcome, ByteView input) {
  const char* const folder = std::getenv("IMPI_FUZZ_SAVE");
  if (folder == nullptr || input.empty() || input.size() > kLongestKept) return;
  std::ofstream file(std::string(folder) + "/" + parser + ".hex", std::ios::app);
  file << "# " << outcome << '\n';
  for (const std::byte byte : input) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
    file << digits;
  }
  file << '\n';
}

}  // namespace detail

// Calls round(forge, corpus, input, outcomes) for the budget: it makes `input` of the corpus, gives
// it to the parser and says what came of it.
template <class Round>
void fuzz(const char* parser, std::vector<Bytes> corpus, Round round) {
  const char* const seconds = std::getenv("IMPI_FUZZ_SECONDS");
  const char* const first = std::getenv("IMPI_FUZZ_SEED");
  const auto begun = std::chrono::steady_clock::now();
  const auto budget = std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  for (Bytes& input : detail::stored(parser)) corpus.push_back(std::move(input));
  for (const int signal : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE}) ::signal(signal, detail::say_seed);
  std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  std::uint64_t rounds = 0;
  std::size_t in_use = 0;
  std::set<std::string> seen;
  while (seconds == nullptr ? rounds < kRounds
                            : std::chrono::steady_clock::now() - begun < budget) {
    detail::seed_now = seed;
    ::alarm(kHangS);
    Forge forge(seed);
    Bytes input;
    Outcomes outcomes;
    round(forge, corpus, input, outcomes);
    if (testing::Test::HasFailure()) FAIL() << parser << " with IMPI_FUZZ_SEED=" << seed;
    if (input.size() <= kLongestKept && seen.insert(outcomes.text()).second)
      detail::keep(parser, outcomes.text(), input);
    if (++rounds == kRounds / 10) in_use = ::mallinfo2().uordblks;
    ++seed;
  }
  ::alarm(0);
  for (const int signal : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE}) ::signal(signal, SIG_DFL);
  EXPECT_LE(::mallinfo2().uordblks, in_use + kMostGrowth + 1000 * seen.size()) << parser;
  std::printf("%s: %llu executions, %zu different outcomes, a corpus of %zu\n", parser,
              static_cast<unsigned long long>(rounds), seen.size(), corpus.size());
}

}  // namespace tessera::impi::fuzzing
