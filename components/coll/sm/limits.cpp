// SPDX-License-Identifier: BSD-3-Clause
// The rules of coll/sm as data.
#include "limits.h"

#include <string>

namespace tessera::coll::sm {

namespace {

using enum Operation;

constexpr Count KiB = 1024;

struct Rule {
  Operation operation;
  Count alone;   // bytes, where every process has a processor
  Count shared;  // bytes, where processes share processors
};

// Measured against direct copies with 2 and with 4 processes on 2 processors (bench/collectives).
constexpr Rule kRules[] = {
    {barrier, 0, 0},
    {bcast, 256 * KiB, 1024 * KiB},
    {gather, 8 * KiB - 1, 64 * KiB},
    {scatter, 8 * KiB - 1, 2 * KiB},
    {allgather, 8 * KiB - 1, 128 * KiB},
    {alltoall, 8 * KiB - 1, 8 * KiB},
    {reduce, 8 * KiB - 1, 32 * KiB},
    {allreduce, 32 * KiB, 128 * KiB},
    {reduce_scatter, 8 * KiB - 1, 32 * KiB},
    {reduce_scatter_block, 8 * KiB - 1, 32 * KiB},
    {scan, 8 * KiB - 1, 32 * KiB},
    {exscan, 8 * KiB - 1, 32 * KiB},
};

Count bytes(const Side& side) noexcept {
  return side.count * side.type->size();
}

Count total(const Call& call) noexcept {
  Count elements = 0;
  for (int rank = 0; rank < call.size; ++rank) elements += call.receive.counts[rank];
  return elements * call.receive.type->size();
}

Count amount(const Call& call) noexcept {
  switch (call.operation) {
    case barrier:
      return 0;
    case gather:
      return call.rank == call.root ? bytes(call.receive) : bytes(call.send);
    case scatter:
      return call.rank == call.root ? bytes(call.send) : bytes(call.receive);
    case reduce_scatter:
      return total(call);
    default:
      return bytes(call.receive);
  }
}

}  // namespace

Limits::Limits(const Params& params, const Job& job) {
  const bool shared = job.local_size() > job.usable_cpus();
  most_.fill(-1);
  for (const Rule& rule : kRules) {
    Count& most = most_[static_cast<std::size_t>(rule.operation)];
    most = shared ? rule.shared : rule.alone;
    const std::string name = std::string(coll::name(rule.operation)) + "_limit";
    if (rule.operation != barrier && params.chosen(name)) most = static_cast<Count>(params.size(name));
  }
}

bool Limits::admit(const Call& call) const noexcept {
  return amount(call) <= most_[static_cast<std::size_t>(call.operation)];
}

}  // namespace tessera::coll::sm
