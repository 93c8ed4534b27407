// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks of an operation, made from numbers.
#include <fmt/format.h>

#include "tools/schedules/cases.h"
#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

namespace {

using enum Operation;

Question checked(Question asked) {
  if (asked.ranks < 1) throw BadInput(fmt::format("{} ranks: at least 1 is needed", asked.ranks));
  if (asked.root < 0 || asked.root >= asked.ranks) {
    throw BadInput(fmt::format("root {}: the ranks are 0 to {}", asked.root, asked.ranks - 1));
  }
  if (asked.bytes < 0) throw BadInput(fmt::format("{} bytes: a negative amount", asked.bytes));
  if (asked.element < 0)
    throw BadInput(fmt::format("elements of {} bytes: a negative amount", asked.element));
  if (asked.element > 0 && asked.bytes % asked.element != 0) {
    throw BadInput(
        fmt::format("{} bytes are not a multiple of the element's {}", asked.bytes, asked.element));
  }
  if (asked.element == 0) asked.element = 8;
  while (asked.bytes % asked.element != 0) asked.element /= 2;
  return asked;
}

bool scatters(Operation operation) {
  return operation == reduce_scatter || operation == reduce_scatter_block;
}

bool has_counts(Operation operation) {
  return operation == gatherv || operation == scatterv || operation == allgatherv ||
         operation == alltoallv || operation == alltoallw || operation == reduce_scatter;
}

}  // namespace

Problem::Problem(const Question& question)
    : asked_(checked(question)),
      type_({{0, asked_.element}}, 0, asked_.element),
      op_(asked_.commutative),
      count_(asked_.bytes / asked_.element) {
  const auto ranks = static_cast<std::size_t>(asked_.ranks);
  if (scatters(asked_.operation)) {
    const Count total = count_;
    count_ = total / asked_.ranks;
    if (asked_.operation == reduce_scatter_block) count_ += total % asked_.ranks != 0 ? 1 : 0;
    if (asked_.operation == reduce_scatter) {
      counts_.assign(ranks, count_);
      for (Count i = 0; i < total % asked_.ranks; ++i) ++counts_[static_cast<std::size_t>(i)];
    }
  } else if (has_counts(asked_.operation)) {
    counts_.assign(ranks, count_);
    const Count unit = asked_.operation == alltoallw ? asked_.element : 1;
    for (Count i = 0; i < asked_.ranks; ++i) places_.push_back(i * count_ * unit);
    if (asked_.operation == alltoallw) types_.assign(ranks, &type_);
  }
  if (asked_.operation < neighbor_allgather) return;
  counts_.assign(2, count_);
  places_ = {0, count_ * (asked_.operation == neighbor_alltoallw ? asked_.element : 1)};
  types_.assign(2, &type_);
  for (int rank = 0; rank < asked_.ranks; ++rank) {
    neighbours_.push_back({(rank + asked_.ranks - 1) % asked_.ranks, (rank + 1) % asked_.ranks});
  }
}

Call Problem::call(int rank) const {
  Call call;
  call.operation = asked_.operation;
  call.rank = rank;
  call.size = call.remote_size = asked_.ranks;
  call.root = asked_.root;
  if (asked_.operation == barrier) return call;
  call.in_place = asked_.in_place && has_in_place(asked_.operation) &&
                  (!rooted(asked_.operation) || rank == asked_.root);
  reduces(asked_.operation) ? set_reduction(call) : set_movement(call);
  if (asked_.operation < neighbor_allgather) return call;
  call.cartesian = true;
  call.sources = call.destinations = neighbours_[static_cast<std::size_t>(rank)];
  return call;
}

void Problem::set_movement(Call& call) const {
  const Side plain{nullptr, count_, &type_, {}, {}, nullptr};
  Side blocks = plain;
  if (!counts_.empty()) blocks.counts = counts_.data();
  if (!places_.empty()) blocks.displacements = places_.data();
  if (!types_.empty()) blocks.types = types_.data();
  const bool collects = call.operation == gatherv || call.operation == allgatherv ||
                        call.operation == neighbor_allgather ||
                        call.operation == neighbor_allgatherv;
  call.send = collects ? plain : blocks;
  call.receive = call.operation == scatterv ? plain : blocks;
  if (call.in_place)
    (call.operation == scatter || call.operation == scatterv ? call.receive : call.send) = {};
}

void Problem::set_reduction(Call& call) const {
  call.op = &op_;
  call.receive = {nullptr, count_, &type_, {}, {}, nullptr};
  if (!counts_.empty()) call.receive.counts = counts_.data();
  call.send = call.in_place ? Side{} : call.receive;
}

}  // namespace tessera::coll::schedules
