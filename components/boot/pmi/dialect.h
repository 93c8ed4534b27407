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
#include <span>
#include <string>
#include <string_view>

#include "tessera/boot.h"

namespace tessera::boot::pmi {

// What a process manager tells of the job.
struct Job {
  std::string store;  // the name of its key-value space
  std::int64_t app_number = 0;
  std::int64_t universe = -1;  // -1: not told
  std::size_t key_limit = 0;
  std::size_t value_limit = 0;
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual const char* name() const noexcept = 0;
  // unsupported: the process manager refuses this version, and another one may be tried.
  virtual Status introduce(std::uint32_t rank, Job& job) noexcept = 0;
  // PMI_process_mapping. not_found: it is not told.
  virtual Result<std::string> mapping() noexcept = 0;
  virtual Status put(std::string_view key, std::string_view value) noexcept = 0;
  virtual Status fence() noexcept = 0;
  virtual Result<std::string> get(std::string_view key) noexcept = 0;  // not_found: no such key
  virtual Status spawn(std::span<const Program> programs) noexcept = 0;
  virtual void abort(int code, std::string_view why) noexcept = 0;
  virtual Status finalize() noexcept = 0;
};

}  // namespace tessera::boot::pmi
