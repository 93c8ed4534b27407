// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm carries out a call.
#include "chooser.h"

#include <string_view>

namespace tessera::coll::basic {

namespace {

constexpr std::size_t index(Operation operation) noexcept {
  return static_cast<std::size_t>(operation);
}

const Algorithm* find(Operation operation, std::string_view wanted) noexcept {
  for (const Algorithm& each : algorithms()) {
    if (each.operation == operation && wanted == each.name) return &each;
  }
  return nullptr;
}

bool fits(const Algorithm& algorithm, const Call& call) noexcept {
  return algorithm.fits == nullptr || algorithm.fits(call);
}

std::string text_of(const Rule& rule) {
  std::string text = "built-in rule";
  if (rule.most_bytes != kAnyAmount) text += ", up to " + std::to_string(rule.most_bytes) + " bytes";
  if (rule.most_processes != kAnyNumber)
    text += ", up to " + std::to_string(rule.most_processes) + " processes";
  return text;
}

}  // namespace

Chooser::Chooser(const Params& params, std::span<const Rule> rules, const Communicator* comm) {
  for (const Rule& rule : rules) {
    const Algorithm* algorithm = find(rule.operation, rule.algorithm);
    if (algorithm == nullptr) continue;
    rows_[index(rule.operation)].push_back({algorithm, rule.most_processes, rule.most_bytes, text_of(rule)});
  }
  for (std::size_t i = 0; i < kOperations; ++i) read_parameter(params, comm, static_cast<Operation>(i));
}

void Chooser::read_parameter(const Params& params, const Communicator* comm, Operation operation) {
  const std::string parameter = std::string(name(operation)) + "_algorithm";
  const std::string key = "tessera.coll_basic_" + parameter;
  const char* const hint = comm != nullptr ? comm->hint(key.c_str()) : nullptr;
  const Algorithm* wanted = find(operation, hint != nullptr ? hint : params.text(parameter));
  if (wanted == nullptr) return;  // auto
  const std::string text = (hint != nullptr ? key : "coll_basic_" + parameter) + " = " + wanted->name;
  forced_[index(operation)] = {wanted, text, text + " needs " + wanted->needs + "; by size instead"};
}

Choice Chooser::choose(const Call& call) const noexcept {
  if (call.inter) return {inter_algorithm(call.operation), "the only one for intercommunicators"};
  const Forced& forced = forced_[index(call.operation)];
  if (forced.algorithm != nullptr && fits(*forced.algorithm, call))
    return {forced.algorithm, forced.text.c_str()};
  const Row* row = by_rule(call);
  if (row == nullptr) return {nullptr, ""};
  return {row->algorithm, forced.algorithm != nullptr ? forced.fallback_text.c_str() : row->text.c_str()};
}

const Chooser::Row* Chooser::by_rule(const Call& call) const noexcept {
  const Count bytes = amount(call);
  for (const Row& row : rows_[index(call.operation)]) {
    if (call.size <= row.most_processes && bytes <= row.most_bytes && fits(*row.algorithm, call)) return &row;
  }
  return nullptr;
}

Count amount(const Call& call) noexcept {
  const auto bytes = [](const Side& side) { return side.count * side.type->size(); };
  switch (call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
    case Operation::allgather:
    case Operation::alltoall:
      return bytes(call.receive);
    case Operation::gather:
      return bytes(call.rank == call.root ? call.receive : call.send);
    case Operation::scatter:
      return bytes(call.rank == call.root ? call.send : call.receive);
    case Operation::reduce_scatter_block:
      return bytes(call.receive) * call.size;
    case Operation::reduce_scatter: {
      Count total = 0;
      for (int i = 0; i < call.size; ++i) total += call.receive.counts[i];
      return total * call.receive.type->size();
    }
    default:
      return 0;
  }
}

}  // namespace tessera::coll::basic
