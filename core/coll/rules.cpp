// SPDX-License-Identifier: BSD-3-Clause
// The selection data of collective operations.
#include "core/coll/rules.h"

#include <cstring>

#include "core/coll/builtin_rules.h"

namespace tessera::coll {

namespace {

Count bytes_of(const Side& side) noexcept {
  return side.type != nullptr ? side.count * side.type->size() : 0;
}

Count bytes_of_all(const Call& call) noexcept {
  Count elements = 0;
  for (int rank = 0; rank < call.size; ++rank) elements += call.receive.counts[rank];
  return elements * call.receive.type->size();
}

bool agrees(Rule::Only only, bool value) noexcept {
  return only == Rule::Only::any || (only == Rule::Only::yes) == value;
}

}  // namespace

[[gnu::hot]] Count amount(const Call& call) noexcept {
  switch (call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
    case Operation::allgather:
    case Operation::alltoall:
      return bytes_of(call.receive);
    case Operation::gather:
      return bytes_of(call.rank == call.root ? call.receive : call.send);
    case Operation::scatter:
      return bytes_of(call.rank == call.root ? call.send : call.receive);
    case Operation::reduce_scatter_block:
      return bytes_of(call.receive) * call.size;
    case Operation::reduce_scatter:
      return bytes_of_all(call);
    default:
      return 0;
  }
}

bool spans_jobs(const Communicator& comm) noexcept {
  const std::uint32_t own = comm.job().size();
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (comm.local_peer(rank).id >= own) return true;
  }
  for (int rank = 0; comm.inter() && rank < comm.remote_size(); ++rank) {
    if (comm.peer(rank).id >= own) return true;
  }
  return false;
}

// All processes of a communicator have to come to the same answer, and each knows only which ones
// share its own node: across nodes each process therefore counts as a node of its own, and nobody
// judges the processors of others.
Layout layout_of(const Communicator& comm) noexcept {
  const Job& job = comm.job();
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (comm.local_peer(rank).locality == Locality::remote)
      return {.nodes = comm.size(), .per_node = 1, .oversubscribed = false};
  }
  // Processes of different jobs must think alike, and know the processors of their own job only.
  const bool oversubscribed = !spans_jobs(comm) && job.local_size() > job.usable_cpus();
  return {.nodes = 1, .per_node = comm.size(), .oversubscribed = oversubscribed};
}

bool Rule::admits(const CallSignature& call, const Layout& layout) const noexcept {
  if (!processes.holds(call.size) || !bytes.holds(call.amount)) return false;
  if (!nodes.holds(layout.nodes) || !per_node.holds(layout.per_node)) return false;
  if (!agrees(oversubscribed, layout.oversubscribed)) return false;
  return call.op == nullptr || agrees(commutative, call.commutative());
}

int Rules::component(const char* name) const noexcept {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (std::strcmp(components_[i], name) == 0) return static_cast<int>(i);
  }
  return kNobody;
}

const Rule* Rules::chosen(int component, const CallSignature& call,
                          const Layout& layout) const noexcept {
  for (const Rule& rule : of(call.operation)) {
    if (rule.admits(call, layout)) return rule.component == component ? &rule : nullptr;
  }
  return nullptr;
}

void RuleSet::add(const std::vector<RuleLine>& lines) {
  for (const RuleLine& line : lines) {
    Rule rule = line.rule;
    rule.component = number_of(line.component);
    rule.algorithm = keep(line.algorithm);
    rule.where = keep(line.where);
    rules_[static_cast<std::size_t>(line.operation)].push_back(rule);
  }
  for (std::size_t i = 0; i < kOperations; ++i) of_[i] = rules_[i];
  components_ = names_;
}

std::uint8_t RuleSet::number_of(const std::string& component) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (component == names_[i]) return static_cast<std::uint8_t>(i);
  }
  names_.push_back(keep(component));
  return static_cast<std::uint8_t>(names_.size() - 1);
}

const char* RuleSet::keep(const std::string& text) {
  return texts_.emplace_back(text).c_str();
}

std::vector<RuleLine> builtin_rules() {
  std::vector<RuleLine> lines;
  for (const BuiltinRule& each : kBuiltinRules) {
    lines.push_back({each.operation, each.component, each.algorithm, each.where, each.rule});
    lines.back().rule.shipped = true;
  }
  return lines;
}

}  // namespace tessera::coll
