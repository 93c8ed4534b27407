// SPDX-License-Identifier: BSD-3-Clause
// Reading the variables of engines.
#include "launcher/across/surroundings.h"

#include <charconv>
#include <numeric>
#include <string_view>

#include "launcher/across/names.h"

namespace tessera::launcher::across {
namespace {

std::string text_of(const Look& look, const char* name) {
  const char* const text = look(name);
  return text != nullptr ? text : "";
}

std::optional<std::uint32_t> number_of(const Look& look, const char* name) {
  const std::string text = text_of(look, name);
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

struct Sign {
  const char* engine;
  const char* copies;
  const char* number;
};
constexpr Sign kSigns[] = {
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
    {"a launcher that speaks PMI", "PMI_SIZE", "PMI_RANK"},
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
};

std::optional<Nested> nest(const Look& look) {
  for (const Sign& sign : kSigns) {
    const auto copies = number_of(look, sign.copies);
    const auto number = number_of(look, sign.number);
    if (copies && number && *copies > 1) return Nested{sign.engine, *copies, *number == 0};
  }
  return {};
}

Status about(const char* variable, const Status& status) {
  return Status::failure(status.code(), std::string(variable) + ": " + status.text());
}

bool is_allocated(const Look& look) {
  return !text_of(look, "SLURM_JOB_ID").empty() && !text_of(look, "SLURM_JOB_NODELIST").empty();
}

Result<Allocation> allocation_of(const Look& look) {
  Allocation allocation;
  auto names = expand_hosts(text_of(look, "SLURM_JOB_NODELIST"));
  if (!names.ok()) return about("SLURM_JOB_NODELIST", names.status());
  allocation.hosts = std::move(names).value();
  auto counts = expand_counts(text_of(look, "SLURM_TASKS_PER_NODE"));
  if (counts.ok())
    allocation.tasks = std::accumulate(counts.value().begin(), counts.value().end(), 0u);
  else if (look("SLURM_TASKS_PER_NODE") != nullptr)
    return about("SLURM_TASKS_PER_NODE", counts.status());
  if (counts.ok() && counts->size() == allocation.hosts.size()) allocation.counts = *counts;
  allocation.tasks = number_of(look, "SLURM_NTASKS").value_or(allocation.tasks);
  if (allocation.tasks == 0) allocation.tasks = static_cast<std::uint32_t>(allocation.hosts.size());
  return allocation;
}

}  // namespace

Result<Surroundings> look_around(const Look& look) {
  Surroundings around;
  around.nested = nest(look);
  if (around.nested || !is_allocated(look)) return around;
  auto allocation = allocation_of(look);
  if (!allocation.ok()) return allocation.status();
  around.allocation = std::move(allocation).value();
  return around;
}

}  // namespace tessera::launcher::across
