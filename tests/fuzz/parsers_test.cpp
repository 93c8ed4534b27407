// SPDX-License-Identifier: BSD-3-Clause
// The parsers of texts that users and components hand in, with texts that nobody would write.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "core/coll/rules_file.h"
#include "framework/manifest.h"
#include "framework/manifest_reader.h"
#include "framework/param_file.h"
#include "launcher/command_file.h"
#include "launcher/command_line.h"
#include "launcher/elf_needs.h"
#include "launcher/hosts.h"
#include "tests/fuzz/fuzz.h"

namespace tessera {
namespace {

// A refusal says something, and names the file where there is one.
std::string said(const Status& status, std::string_view path = {}) {
  if (status) return {};
  const std::string text = status.text();
  EXPECT_FALSE(text.empty());
  EXPECT_NE(text.find(path), std::string::npos) << text;
  return text;
}

// A file with the text, for parsers that open what they read; in memory.
class File {
 public:
  File() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }
  const std::string& holding(const std::string& text) const {
    EXPECT_EQ(::ftruncate(descriptor_, 0), 0);
    EXPECT_EQ(::pwrite(descriptor_, text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
    return path_;
  }

 private:
  int descriptor_;
  std::string path_;
};

TEST(Fuzz, Manifest) {
  fuzz::run("manifest", [](const std::string& text) {
    const auto manifest = Manifest::parse(text);
    EXPECT_TRUE(!manifest || Manifest::parse(text, Depth::outline).ok());
    return said(manifest.status());
  });
}

// Bytes behind which lies a page that nobody may read.
class Guarded {
 public:
  explicit Guarded(std::string_view text)
      : room_((text.size() + page() - 1) / page() * page()),
        memory_(static_cast<std::byte*>(::mmap(nullptr, room_ + page(), PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        bytes_(memory_ + room_ - text.size(), text.size()) {
    std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(),
                memory_ + room_ - text.size());
    ::mprotect(memory_ + room_, page(), PROT_NONE);
  }
  ~Guarded() { ::munmap(memory_, room_ + page()); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  std::size_t room_;
  std::byte* memory_;
  std::span<const std::byte> bytes_;
};

// Files of components, of which the manifest is read, and of programs, whose libraries are looked
// for.
TEST(Fuzz, ElfFiles) {
  fuzz::run("elf", [](const std::string& text) {
    const Guarded file(text);
    const NoteReading reading = ManifestReader::read_bytes(file.bytes());
    EXPECT_TRUE(reading.note.empty() || reading.problem.empty());
    EXPECT_LE(reading.note.size(), text.size());
    const launcher::ElfNeeds needs = launcher::read_elf_needs(file.bytes());
    for (const std::string& library : needs.libraries) EXPECT_LE(library.size(), text.size());
    EXPECT_TRUE(needs.rpath.empty() || needs.runpath.empty());
    return reading.problem + (needs.libraries.empty() ? "" : " and libraries");
  });
}

std::string settings(const std::string& text, const std::string& path) {
  auto read = parse_param_text(text, path, ParamSource::user_file);
  if (!read) return said(read.status(), path);
  for (const ParamSetting& one : *read) EXPECT_FALSE(one.name.empty() || one.where.empty());
  return {};
}

TEST(Fuzz, ParameterFiles) {
  fuzz::run("params", [](const std::string& text) { return settings(text, "f.conf"); });
  fuzz::run("params_yaml", [](const std::string& text) { return settings(text, "f.yaml"); });
}

TEST(Fuzz, Rules) {
  fuzz::run("rules", [](const std::string& text) {
    return said(coll::parse_rules("f.yaml", text, {}).status(), "f.yaml");
  });
}

TEST(Fuzz, HostFiles) {
  const File file;
  fuzz::run("hosts", [&](const std::string& text) {
    launcher::CommandLine line;
    line.host_files.push_back(file.holding(text));
    auto list = launcher::read_hosts(line);
    if (!list) return said(list.status(), line.host_files[0]);
    for (const launcher::Host& host : list->hosts) EXPECT_FALSE(host.name.empty());
    return std::string();
  });
}

TEST(Fuzz, CommandFiles) {
  const File file;
  fuzz::run("command_file", [&](const std::string& text) {
    auto words = launcher::read_command_file(file.holding(text));
    EXPECT_TRUE(!words || !words->empty());
    return said(words.status(), file.path());
  });
}

// A line of the text is a word.
TEST(Fuzz, CommandLines) {
  fuzz::run("command_line", [](const std::string& text) {
    std::string lines = text;
    std::vector<char*> words;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      words.push_back(&lines[at]);
      lines[end] = '\0';
      at = end + 1;
    }
    return said(launcher::parse(words).status());
  });
}

}  // namespace
}  // namespace tessera
