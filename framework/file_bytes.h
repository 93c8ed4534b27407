// SPDX-License-Identifier: BSD-3-Clause
// A file's bytes, read where they are looked at: FileBytes.
#pragma once
//
// Contract. Meant for formats that keep what is looked for near the ends of a file, as ELF does,
// and otherwise close together: both ends are read at once, everything else when it is asked for,
// with its surroundings. Nothing is mapped, so that a file that shrinks meanwhile is cut off and
// raises no SIGBUS. Offsets and sizes may be anything: what does not lie inside is not read. One
// thread at a time.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

class FileBytes {
 public:
  // Opens a regular file that is not empty; problem() says in one phrase why that was not possible.
  explicit FileBytes(const std::string& path);
  // Bytes in memory that outlive this; no alignment is required.
  explicit FileBytes(std::span<const std::byte> memory) noexcept;
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& problem() const noexcept { return problem_; }
  std::uint64_t size() const noexcept { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t size) const noexcept {
    return offset <= size_ && size <= size_ - offset;
  }

  // Copies what lies there; false: it does not lie inside, or cannot be read.
  bool copy(std::uint64_t offset, std::span<std::byte> to) const noexcept;
  std::optional<std::vector<std::byte>> slice(std::uint64_t offset, std::uint64_t size) const;

  template <class T>
  std::optional<T> read_at(std::uint64_t offset) const noexcept {
    T value;
    if (!copy(offset, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
    return value;
  }

 private:
  struct Part {
    std::uint64_t offset = 0;
    std::span<const std::byte> bytes{};
  };
  // The section table of a component fits, and a seal.
  static constexpr std::size_t kPart = 4096;
  using Buffer = std::array<std::byte, kPart>;

  std::string open(const std::string& path);
  std::string read_ends();
  bool copy_known(std::uint64_t offset, std::span<std::byte> to) const noexcept;

  int fd_ = -1;
  std::uint64_t size_ = 0;
  Buffer first_, last_;
  mutable Buffer latest_;
  mutable std::array<Part, 3> known_{};
  std::string problem_;  // the last one: open() sets the others
};

}  // namespace tessera
