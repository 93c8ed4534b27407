// SPDX-License-Identifier: BSD-3-Clause
// A file read at both ends, in its middle, beyond its end, and after it has shrunk.
#include "framework/file_bytes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>

namespace tessera {
namespace {

std::string text(const FileBytes& file, std::uint64_t offset, std::uint64_t size) {
  const auto bytes = file.slice(offset, size);
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "none";
}

class Scratch {
 public:
  explicit Scratch(const std::string& content) {
    const int fd = mkstemp(name_);
    EXPECT_EQ(write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(fd);
  }
  ~Scratch() { unlink(name_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const char* name() const noexcept { return name_; }

 private:
  char name_[32] = "/tmp/tessera-bytes-XXXXXX";
};

// Numbers of eight digits, each its own offset.
std::string numbered(std::size_t size) {
  std::string content;
  for (std::size_t at = 0; at < size; at += 8) {
    const std::string digits = std::to_string(at);
    content += std::string(8 - digits.size(), '0') + digits;
  }
  return content;
}

TEST(FileBytes, AreTheSameEverywhere) {
  for (const std::size_t size : {8, 4096, 4104, 8192, 8200, 100'000}) {
    const std::string content = numbered(size);
    const Scratch scratch(content);
    const FileBytes file(scratch.name()), memory(std::as_bytes(std::span(content)));
    ASSERT_EQ(file.problem(), "");
    EXPECT_EQ(file.size(), size);
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      ASSERT_EQ(text(file, at, 8), content.substr(at, 8)) << size;
      ASSERT_EQ(text(memory, at, 8), content.substr(at, 8)) << size;
    }
    EXPECT_EQ(text(file, 0, size), content);
    EXPECT_EQ(text(file, size, 0), "");
    EXPECT_EQ(text(file, size, 1), "none");
    EXPECT_EQ(text(file, size - 7, 8), "none");
    EXPECT_EQ(text(file, ~std::uint64_t{0}, 2), "none");
    EXPECT_FALSE(file.holds(8, ~std::uint64_t{0}));
  }
}

TEST(FileBytes, SayWhyTheyAreNotThere) {
  const Scratch empty("");
  EXPECT_EQ(FileBytes(empty.name()).problem(), "is empty");
  EXPECT_EQ(FileBytes("/tmp").problem(), "is a directory");
  EXPECT_EQ(FileBytes("/dev/null").problem(), "is not a regular file");
  EXPECT_EQ(FileBytes("/nowhere/at/all").problem(), "cannot be opened: No such file or directory");
  EXPECT_EQ(text(FileBytes("/nowhere/at/all"), 0, 1), "none");
}

TEST(FileBytes, OfAFileThatShrinksAreMissing) {
  const std::string content = numbered(100'000);
  const Scratch scratch(content);
  const FileBytes file(scratch.name());
  ASSERT_EQ(truncate(scratch.name(), 50'000), 0);
  EXPECT_EQ(text(file, 40'000, 8), "00040000");
  EXPECT_EQ(text(file, 49'996, 8), "none");
  EXPECT_EQ(text(file, 99'992, 8), "00099992") << "read when it was opened";
}

}  // namespace
}  // namespace tessera
