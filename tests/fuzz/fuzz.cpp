// SPDX-License-Identifier: BSD-3-Clause
// Makes the texts, and names the seed of one that kills a parser or keeps it busy for ever.
#include "tests/fuzz/fuzz.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace tessera::fuzz {
namespace {

constexpr std::uint64_t kRounds = 10000;
constexpr std::size_t kLongest = 16U << 10;
constexpr unsigned kHangS = 60;  // a round that takes longer does not end

constexpr std::array<std::string_view, 32> kWords = {
    "\n",          "\t",  " ",    ":",     "=",       ",",  "..", "#",  "\\",
    "'",           "\"",  "[",    "]",     "{",       "}",  "&x", "*x", "!",
    "|",           "---", "-",    "--",    "^",       "%s", "-1", "0",  "18446744073709551616",
    "99999999999", "4K",  "\xFF", "1e999", "\xC3\xA9"};

constexpr std::array kEnds = {SIGALRM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE};

volatile std::uint64_t seed_now = 0;

[[noreturn]] void say_seed(int signal) noexcept {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "TESSERA_FUZZ_SEED=%llu, signal %d\n",
                                 static_cast<unsigned long long>(seed_now), signal);
  if (size < 0 || ::write(2, text, static_cast<std::size_t>(size)) < 0) ::_exit(2);
  ::_exit(1);
}

Corpus stored(const char* name) {
  Corpus corpus;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(TESSERA_FUZZ_CORPUS "/" + std::string(name)))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// Numbers and quoted parts of a text do not make it another one.
std::string kind_of(const std::string& said) {
  std::string kind;
  bool quoted = false;
  for (const char c : said) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c < '0' || c > '9')) kind += c;
  }
  return kind.substr(0, 60);
}

}  // namespace

std::string Forge::mutant(const Corpus& corpus) {
  std::string text = corpus[below(corpus.size())];
  for (std::size_t i = below(8); i > 0; --i) change(text, corpus);
  text.resize(std::min(text.size(), kLongest));
  return text;
}

void Forge::change(std::string& text, const Corpus& corpus) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = below(std::min<std::size_t>(text.size() - at, 64) + 1);
  const std::string& other = corpus[below(corpus.size())];
  switch (below(7)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random_());
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, std::string(text, at, length));
      break;
    case 3:
      text.replace(at, length, other, below(other.size()), 1 + below(64));
      break;
    case 4:
      text.resize(at);
      break;
    case 5:
      put_number(text);
      break;
    default:
      text.insert(at, kWords[below(kWords.size())]);
  }
}

// One at which readers of binary formats stumble, in a field of 1 to 8 bytes.
void Forge::put_number(std::string& text) {
  const std::array<std::uint64_t, 6> numbers = {0,    1, 0x7FFFFFFF, text.size(), text.size() - 1,
                                                ~0ULL};
  const std::uint64_t number = numbers[below(numbers.size())] - below(2) * below(64);
  const std::size_t bytes = std::size_t{1} << below(4);
  const std::size_t at = below(text.size() / bytes) * bytes;
  for (std::size_t i = 0; i < bytes && at + i < text.size(); ++i)
    text[at + i] = static_cast<char>(number >> (8 * i));
}

void run(const char* name, const Parser& parser) {
  const char* const seconds = std::getenv("TESSERA_FUZZ_SECONDS");
  const char* const first = std::getenv("TESSERA_FUZZ_SEED");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  const Corpus corpus = stored(name);
  ASSERT_FALSE(corpus.empty()) << name;
  for (const int signal : kEnds) ::signal(signal, say_seed);
  for (const std::string& text : corpus) parser(text);
  const std::uint64_t begin = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  std::set<std::string> seen;
  std::uint64_t rounds = 0;
  while (seconds == nullptr ? rounds < kRounds : std::chrono::steady_clock::now() < end) {
    seed_now = begin + rounds;
    ::alarm(kHangS);
    const std::string text = Forge(begin + rounds).mutant(corpus);
    seen.insert(kind_of(parser(text)));
    if (testing::Test::HasFailure())
      FAIL() << name << " with TESSERA_FUZZ_SEED=" << begin + rounds << ":\n" << text;
    ++rounds;
  }
  ::alarm(0);
  for (const int signal : kEnds) ::signal(signal, SIG_DFL);
  EXPECT_GE(seen.size(), 2U) << name << ": every text was accepted, or none";
  std::printf("%s: %llu executions, %zu different answers, a corpus of %zu\n", name,
              static_cast<unsigned long long>(rounds), seen.size(), corpus.size());
}

}  // namespace tessera::fuzz
