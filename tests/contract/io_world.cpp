// SPDX-License-Identifier: BSD-3-Clause
// One process as the engine of files makes it for a component of io.
#include "io_world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace tessera::contract::storage {

namespace {

// A directory that goes away with the suite.
class Directory {
 public:
  Directory() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") + "/tessera-contract-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

const std::string& own_directory() {
  static const Directory directory;
  return directory.path();
}

}  // namespace

Files::Files() {
  opened_ = instances_.open_io({plugin().params(), job_, progress_, bootstrap_});
  const std::string& given = place_of_files();
  const std::size_t colon = given.find(':');
  if (colon != std::string::npos) prefix_ = given.substr(0, colon);
  directory_ = given.empty()                ? own_directory()
               : colon == std::string::npos ? given
                                            : given.substr(colon + 1);
  // A driver that serves no file by its path alone is called by its own name.
  if (opened_.ok() && given.empty() && !component().judge(question(path("x"))).ok())
    prefix_ = plugin().name();
}

std::string Files::path(const std::string& name) const {
  return directory_ + "/" + name;
}

io::Question Files::question(const std::string& path) const {
  return {path, prefix_, 0};
}

Result<io::Driver*> Files::open(const std::string& name, const io::Mode& mode) {
  const std::string where = path(name);
  auto driver = component().open_file(question(where), mode);
  if (!driver.ok() || wrapped() == nullptr) return driver;
  auto& interposer = static_cast<io::Component&>(instances_.component());
  auto front = interposer.wrap(question(where), **driver);
  if (!front.ok()) delete *driver;  // what could not be wrapped is still the caller's
  return front;
}

std::unique_ptr<io::Driver> Files::create(const std::string& name) {
  io::Mode mode;
  mode.read = mode.write = mode.create = true;
  (void)component().remove(question(path(name)));
  auto driver = open(name, mode);
  if (!driver.ok()) throw std::runtime_error(driver.status().text());
  return std::unique_ptr<io::Driver>(*driver);
}

std::unique_ptr<io::Driver> Files::open_existing(const std::string& name, bool read, bool write) {
  io::Mode mode;
  mode.read = read;
  mode.write = write;
  auto driver = open(name, mode);
  if (!driver.ok()) throw std::runtime_error(driver.status().text());
  return std::unique_ptr<io::Driver>(*driver);
}

Bytes pattern(std::size_t bytes, unsigned salt) {
  Bytes data(bytes);
  unsigned state = salt * 2654435761U + 1;
  for (std::byte& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(state >> 24);
  }
  return data;
}

Bytes content_of(io::Driver& driver) {
  const auto size = driver.size();
  if (!size.ok()) throw std::runtime_error(size.status().text());
  Bytes data(static_cast<std::size_t>(size.value()));
  if (data.empty()) return data;
  const io::Outcome done = driver.read(List().add(0, data));
  if (!done.failure.ok()) throw std::runtime_error(done.failure.text());
  EXPECT_EQ(done.bytes, size.value());
  return data;
}

void write_all(io::Driver& driver, io::Offset offset, Bytes data) {
  const auto bytes = static_cast<io::Offset>(data.size());
  const io::Outcome done = driver.write(List().add(offset, data));
  if (!done.failure.ok()) throw std::runtime_error(done.failure.text());
  EXPECT_EQ(done.bytes, bytes);
}

}  // namespace tessera::contract::storage
