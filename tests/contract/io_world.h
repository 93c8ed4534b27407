// SPDX-License-Identifier: BSD-3-Clause
// One process as the engine of files makes it for a component of io, and lists of extents to try.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fakes.h"
#include "subject.h"
#include "tessera/io.h"

namespace tessera::contract::storage {

using Bytes = std::vector<std::byte>;

// The subject of one process. Names of files are relative to the place of the tests' files.
class Files {
 public:
  Files();

  Status opened() const noexcept { return opened_; }
  io::Component& component() noexcept { return instances_.storage(); }
  io::Question question(const std::string& path) const;
  // With the interposer under test in front.
  Result<io::Driver*> open(const std::string& name, const io::Mode& mode);
  // A new, empty file; the test ends where it cannot be made.
  std::unique_ptr<io::Driver> create(const std::string& name);
  std::unique_ptr<io::Driver> open_existing(const std::string& name, bool read, bool write);
  std::string path(const std::string& name) const;

 private:
  Segment segment_{1};
  FakeJob job_{segment_, 0};
  FakeProgress progress_{segment_.bell(0), Waiting::yield};
  FakeBootstrap bootstrap_{segment_, 0, progress_};
  Instances instances_;
  Status opened_;
  std::string prefix_;
  std::string directory_;
};

// A list of extents under construction: each has memory of its own, or lies in a row.
class List {
 public:
  // `data` stay where they are.
  List& add(io::Offset offset, Bytes& data, std::size_t from, std::size_t bytes) {
    extents_.push_back({offset, data.data() + from, bytes});
    return *this;
  }
  List& add(io::Offset offset, Bytes& data) { return add(offset, data, 0, data.size()); }
  operator std::span<const io::Extent>() const noexcept { return extents_; }  // NOLINT
  bool empty() const noexcept { return extents_.empty(); }

 private:
  std::vector<io::Extent> extents_;
};

Bytes pattern(std::size_t bytes, unsigned salt);
// The whole file by one extent; fails the test where that is not possible.
Bytes content_of(io::Driver& driver);
void write_all(io::Driver& driver, io::Offset offset, Bytes data);

}  // namespace tessera::contract::storage
