// SPDX-License-Identifier: BSD-3-Clause
// An open file of the operating system.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "mapping.h"
#include "tessera/io.h"

namespace tessera::io::posix {

// Of all files; a thread of its own may transfer.
struct Traffic {
  std::atomic<std::uint64_t> reads{0}, writes{0};  // transfers asked for
  std::atomic<std::uint64_t> copied{0};            // of those, through a mapping
  std::atomic<std::uint64_t> bytes_read{0}, bytes_written{0};
};

// Which lists may go through a mapping.
struct Maps {
  bool reads = true, writes = true;
};

class File final : public Driver {
 public:
  // `traffic` outlives the file.
  static Result<Driver*> open(const Question& question, const Mode& mode, Maps maps,
                              Traffic& traffic) noexcept;
  ~File() override;

  Facts facts() const noexcept override { return facts_; }
  Outcome read(std::span<const Extent> list) noexcept override;
  Outcome write(std::span<const Extent> list) noexcept override;
  bool copies(bool writing, const Pieces& pieces) noexcept override;
  bool lend(const Pieces& pieces, Look look, void* context) noexcept override;
  Result<Offset> size() noexcept override;
  Status resize(Offset size) noexcept override;
  Status reserve(Offset size) noexcept override;
  Status sync() noexcept override;
  Status close() noexcept override;
  Status lock(Range range, bool exclusive) noexcept override;
  void unlock(Range range) noexcept override;

 private:
  File(std::string path, Traffic& traffic) : path_(std::move(path)), traffic_(traffic) {}
  Status identify(Maps maps) noexcept;
  Status extend(Offset size) noexcept;

  std::string path_;
  Traffic& traffic_;
  Facts facts_;
  int descriptor_ = -1;
  Mapping mapping_;
  bool device_ = false;  // whose size only its end tells
};

}  // namespace tessera::io::posix
