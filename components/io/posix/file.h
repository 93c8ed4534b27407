// SPDX-License-Identifier: BSD-3-Clause
// An open file of the operating system.
#pragma once

#include <string>

#include "tessera/io.h"

namespace tessera::io::posix {

class File final : public Driver {
 public:
  static Result<Driver*> open(const Question& question, const Mode& mode) noexcept;
  ~File() override;

  Facts facts() const noexcept override { return facts_; }
  Outcome read(std::span<const Extent> list) noexcept override;
  Outcome write(std::span<const Extent> list) noexcept override;
  Result<Offset> size() noexcept override;
  Status resize(Offset size) noexcept override;
  Status reserve(Offset size) noexcept override;
  Status sync() noexcept override;
  Status close() noexcept override;
  Status lock(Range range, bool exclusive) noexcept override;
  void unlock(Range range) noexcept override;

 private:
  explicit File(std::string path) : path_(std::move(path)) {}
  Status look() noexcept;
  Status extend(Offset size) noexcept;

  std::string path_;
  Facts facts_;
  int descriptor_ = -1;
  bool device_ = false;  // whose size only its end tells
};

}  // namespace tessera::io::posix
