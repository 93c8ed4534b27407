// SPDX-License-Identifier: BSD-3-Clause
// boot/slurm: srun without a store (--mpi=none). Processes of one host need none.
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tessera/boot.h"

namespace tessera::boot::slurm {
namespace {

std::uint32_t number_or(const char* variable, std::uint32_t otherwise) noexcept {
  const char* const text = getenv(variable);
  std::uint32_t number = otherwise;
  if (text != nullptr) std::from_chars(text, text + std::string_view(text).size(), number);
  return number;
}

std::string text_of(const char* variable) {
  const char* const text = getenv(variable);
  return text != nullptr ? text : "";
}

Status no_store() {
  return Status::failure(Errc::unsupported, "srun was started without a store (--mpi=none)");
}

}  // namespace

class SlurmSession final : public Session {
 public:
  SlurmSession(std::uint32_t rank, std::uint32_t size) {
    place_.rank = rank;
    place_.size = size;
    place_.nodes.assign(size, 0);
    place_.job = "slurm/" + text_of("SLURM_JOB_ID") + "." + text_of("SLURM_STEP_ID");
    place_.engine = "Slurm, without a process manager interface";
  }
  const Place& place() const noexcept override { return place_; }
  Status put(std::string_view, std::span<const std::byte>) noexcept override { return no_store(); }
  Status fence() noexcept override { return no_store(); }
  Result<std::vector<std::byte>> get(std::uint32_t, std::string_view) noexcept override {
    return no_store();
  }
  void abort(int, std::string_view) noexcept override {}  // the others see the end of the process
  Status finalize() noexcept override { return {}; }

 private:
  Place place_;
};

class SlurmComponent final : public Component {
 public:
  // One task is a program alone; a program that a task starts has the task's variables too, and is
  // then refused by the segment, or alone where it runs by itself.
  Result<std::unique_ptr<Session>> open() noexcept override {
    const std::uint32_t size = number_or("SLURM_STEP_NUM_TASKS", 1);
    const std::uint32_t rank = number_or("SLURM_PROCID", size);
    if (size <= 1) return Errc::not_found;
    if (rank >= size)
      return Status::failure(Errc::refused, "SLURM_PROCID is not below SLURM_STEP_NUM_TASKS");
    if (number_or("SLURM_STEP_NUM_NODES", 1) > 1) {
      return Status::failure(Errc::refused,
                             "srun started this job on several hosts without a process manager "
                             "interface; add --mpi=pmi2 (or --mpi=pmix) to srun");
    }
    return std::unique_ptr<Session>(std::make_unique<SlurmSession>(rank, size));
  }
};

}  // namespace tessera::boot::slurm

TESSERA_COMPONENT(boot, slurm, "1.0.0", 10, tessera::boot::slurm::SlurmComponent,
                  "srun without a process manager interface, on one host",
                  TESSERA_FACT("marker", "SLURM_STEP_ID+SLURM_PROCID"))
