// SPDX-License-Identifier: BSD-3-Clause
// What a process asks of a process manager, in the words of one of the versions of PMI: Dialect.
#pragma once
//
// Contract. introduce() comes first, finalize() or abort() last. A command waits for its answer; an
// answer that says no, is another command's, or does not come is a failure whose text shows it.
// Keys and values are text without blanks and without ';'.
//
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tessera/boot.h"

namespace tessera::boot::pmi {

// How long keys and values may be, in bytes, with a byte for their end.
struct Limits {
  std::size_t key = 0;
  std::size_t value = 0;
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual const char* name() const noexcept = 0;
  // The name of the job's key-value space. unsupported: the process manager refuses this version,
  // and another one may be tried.
  virtual Result<std::string> introduce(std::uint32_t rank) noexcept = 0;
  // PMI_process_mapping. not_found: it is not told.
  virtual Result<std::string> mapping() noexcept = 0;
  virtual Result<Limits> limits() noexcept = 0;
  // none: it is not told.
  virtual std::optional<std::int64_t> app_number() noexcept = 0;
  virtual std::optional<std::int64_t> universe() noexcept = 0;
  virtual Status put(std::string_view key, std::string_view value) noexcept = 0;
  virtual Status fence() noexcept = 0;
  virtual Result<std::string> get(std::string_view key) noexcept = 0;  // not_found: no such key
  virtual Status spawn(std::span<const Program> programs) noexcept = 0;
  virtual void abort(int code, std::string_view why) noexcept = 0;
  virtual Status finalize() noexcept = 0;
};

}  // namespace tessera::boot::pmi
