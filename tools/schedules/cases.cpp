// SPDX-License-Identifier: BSD-3-Clause
// Complete operations with input data and the result that MPI prescribes.
#include "tools/schedules/builder.h"

#include <algorithm>
#include <set>

namespace tessera::coll::schedules {

namespace {

using enum Operation;

// How many ints go from one process to another, or from root to process, or from process to all.
Count amount(const Shape& shape, int from, int to) {
  switch (shape.operation) {
    case gatherv:
    case allgatherv:
      return varied(from, 0, shape.count);
    case scatterv:
      return varied(to, 0, shape.count);
    case alltoallv:
    case alltoallw:
      // In place, the amounts must be symmetric.
      return shape.in_place ? varied(std::min(from, to), std::max(from, to), shape.count)
                            : varied(from, to, shape.count);
    default:
      return shape.count;
  }
}

bool has_layout(Operation operation, Space space) {
  return operation == alltoallv || operation == alltoallw ||
         (space == Space::receive && (operation == gatherv || operation == allgatherv)) ||
         (space == Space::send && operation == scatterv);
}

// Movements of data. Processes are numbered over both sides; `others` are those a process exchanges
// data with.
class Movement {
 public:
  Movement(const Shape& shape, Process& process, int number)
      : shape_(shape),
        process_(process),
        call_(process.call),
        number_(number),
        builder_(process, shape.wide) {
    const bool second = number >= shape.size;
    const bool inter = shape.remote_size > 0;
    const int first_other = inter && !second ? shape.size : 0;
    for (int i = 0; i < call_.remote_size; ++i) others_.push_back(first_other + i);
  }

  void build() {
    sends_ = sends_data();
    receives_ = receives_data();
    process_.receive_matters = receives_;
    call_.in_place = shape_.in_place && (rooted(shape_.operation) ? is_root() : true);
    if (sends_) set_up(Space::send);
    if (receives_) set_up(Space::receive);
    if (sends_) fill();
    builder_.start_expectation();
    if (receives_) expect();
    builder_.finish();
    if (call_.in_place)
      forget(shape_.operation == scatter || shape_.operation == scatterv ? Space::receive
                                                                         : Space::send);
  }

 private:
  bool is_root() const {
    return shape_.remote_size > 0 ? call_.root == kRoot : call_.rank == shape_.root;
  }
  bool idle() const { return rooted(shape_.operation) && call_.root == kProcNull; }
  bool from_root() const {
    return shape_.operation == bcast || shape_.operation == scatter || shape_.operation == scatterv;
  }
  bool sends_data() const {
    if (idle() || shape_.operation == bcast) return false;
    return !rooted(shape_.operation) || shape_.remote_size == 0 || is_root() == from_root();
  }
  bool receives_data() const {
    if (idle()) return false;
    if (shape_.operation == bcast) return true;
    if (!rooted(shape_.operation)) return true;
    return shape_.remote_size == 0 ? from_root() || is_root() : is_root() != from_root();
  }
  // Whether a side has one block per other process.
  bool many(Space space) const {
    switch (shape_.operation) {
      case gather:
      case gatherv:
      case allgather:
      case allgatherv:
        return space == Space::receive;
      case scatter:
      case scatterv:
        return space == Space::send;
      case bcast:
        return false;
      default:
        return true;
    }
  }
  Count count(Space space, int other) const {
    return space == Space::send ? amount(shape_, number_, other) : amount(shape_, other, number_);
  }
  const Datatype& type(Space space) const {
    return shape_.sparse && space == Space::receive ? static_cast<const Datatype&>(sparse_int())
                                                    : dense_int();
  }

  void set_up(Space space) {
    if (space == Space::send && rooted(shape_.operation) && from_root() && !is_root()) return;
    if (!many(space)) {
      const int from = space == Space::send ? number_ : root_number();
      const int to = space == Space::send ? root_number() : number_;
      builder_.one_count(space, amount(shape_, from, to), 1, type(space));
    } else if (!has_layout(shape_.operation, space)) {
      builder_.one_count(space, shape_.count, call_.remote_size, type(space));
    } else {
      std::vector<Count> counts;
      for (const int other : others_) counts.push_back(count(space, other));
      Layout layout = layout_of(counts);
      if (shape_.operation == alltoallw)
        make_typed(layout, number_ + (space == Space::send ? 0 : 1), shape_.sparse);
      builder_.layout(space, layout, type(space));
    }
  }
  int root_number() const { return rooted(shape_.operation) ? shape_.root : 0; }

  Buffer where(Space space, std::size_t i) {
    const Side& side = builder_.side(space);
    return many(space) ? block_of(side, space, static_cast<int>(i))
                       : Buffer{space, 0, side.count, side.type};
  }
  bool blocks_of_root_only() const { return rooted(shape_.operation) && from_root() && !is_root(); }
  int destination(std::size_t i) const { return many(Space::send) ? others_[i] : 999; }

  // In place, what would be sent lies where the data of this process is received (scatter: not at
  // all).
  void fill() {
    if (blocks_of_root_only()) return;
    const bool from_receive = call_.in_place && !from_root();
    for (std::size_t i = 0; i < others_.size(); ++i) {
      const bool mine = others_[i] == number_;
      const bool all_to_all = shape_.operation == alltoall || shape_.operation == alltoallv ||
                              shape_.operation == alltoallw;
      if (!many(Space::send) && i > 0 && !from_receive) break;
      if (from_receive && !all_to_all && !mine) continue;
      const Space space = from_receive ? Space::receive : Space::send;
      const Buffer at = where(space, i);
      builder_.put(space, at, tokens(number_, destination(i), at.count));
    }
  }

  void expect() {
    if (shape_.operation == bcast) {
      const Buffer at = where(Space::receive, 0);
      const std::vector<int> data = tokens(shape_.root, 999, at.count);
      if (is_root()) builder_.put(Space::receive, at, data);
      builder_.start_expectation();
      builder_.expect(at, data);
      return;
    }
    const bool to_me_only = many(Space::send);
    for (std::size_t i = 0; i < (many(Space::receive) ? others_.size() : 1); ++i) {
      const int from = many(Space::receive) ? others_[i] : shape_.root;
      if (from_root() && call_.in_place) return;  // the root's receive buffer stays
      const Buffer at = where(Space::receive, i);
      builder_.expect(at, tokens(from, to_me_only ? number_ : 999, at.count));
    }
  }

  // The side that in_place makes meaningless must not be looked at.
  void forget(Space space) {
    builder_.side(space) = {};
    if (space == Space::receive) {
      process_.receive_matters = false;
    } else {
      process_.send = {};
    }
  }

  const Shape& shape_;
  Process& process_;
  Call& call_;
  int number_;
  Builder builder_;
  std::vector<int> others_;
  bool sends_ = false;
  bool receives_ = false;
};

// Reductions over `size` contributions; in intercommunicators a side receives what the other
// contributes.
void build_reduction(const Shape& shape, Process& process, int number) {
  Call& call = process.call;
  Builder builder(process, shape.wide);
  const Datatype& type =
      shape.sparse ? static_cast<const Datatype&>(sparse_element()) : dense_element();
  const bool inter = shape.remote_size > 0;
  const bool second = number >= shape.size;
  // On an intercommunicator, lengths must come out equal on both sides: one portion for each pair
  // of processes.
  const auto portion = [&](int rank) -> Count {
    if (shape.operation == reduce_scatter && !inter) return varied(rank, 1, shape.count);
    if (shape.operation == reduce_scatter || shape.operation == reduce_scatter_block) {
      return inter ? shape.count * call.remote_size : shape.count;
    }
    return shape.count;
  };
  const bool scatters =
      shape.operation == reduce_scatter || shape.operation == reduce_scatter_block;
  Count total = 0, before = 0;
  std::vector<Count> counts;
  for (int i = 0; i < call.size; ++i) {
    counts.push_back(portion(i));
    if (i < call.rank) before += portion(i);
    total += portion(i);
  }
  if (!scatters) total = shape.count, before = 0;
  const bool is_root = inter ? call.root == kRoot : call.rank == shape.root;
  const bool contributes = shape.operation != reduce || !inter || second;
  const bool receives = shape.operation != reduce || is_root;
  call.in_place = shape.in_place && (shape.operation != reduce || is_root);
  const Count mine = scatters ? portion(call.rank) : shape.count;
  builder.one_count(Space::send, mine, 1, type);
  builder.one_count(Space::receive, mine, 1, type);
  if (shape.operation == reduce_scatter) {
    Layout layout{counts, counts, {}, total};
    builder.layout(Space::receive, layout, type);
    call.receive.displacements = {};
  }
  process.send = Memory::of(contributes && !call.in_place ? total : 0, &type);
  process.receive = Memory::of(!receives ? 0 : call.in_place ? total : mine, &type);
  if (contributes) {
    std::vector<Element> elements;
    for (Count i = 0; i < total; ++i) elements.push_back(contribution_of(call.rank, i));
    const Space space = call.in_place ? Space::receive : Space::send;
    unpack(std::as_bytes(std::span(elements)), builder.memory(space), {space, 0, total, &type});
  }
  builder.start_expectation();
  int first = 0, last = call.remote_size - 1;
  if (shape.operation == scan) last = call.rank;
  if (shape.operation == exscan) last = call.rank - 1;
  process.receive_matters = receives && last >= first;
  if (process.receive_matters) {
    std::vector<Element> sums;
    for (Count i = 0; i < mine; ++i) sums.push_back(sum_of(first, last, before + i));
    builder.expect(Buffer{Space::receive, 0, mine, &type}, sums);
  }
  builder.finish();
  if (call.in_place) call.send = {};
}

}  // namespace

std::string describe(const Shape& shape) {
  return std::string(name(shape.operation)) + ", " + std::to_string(shape.size) +
         (shape.remote_size > 0 ? " + " + std::to_string(shape.remote_size) : "") +
         " processes, root " + std::to_string(shape.root) + ", count " +
         std::to_string(shape.count) + (shape.in_place ? ", in place" : "") +
         (shape.sparse ? ", sparse types" : "") + (shape.wide ? ", 64-bit arrays" : "");
}

bool rooted(Operation operation) {
  static const std::set<Operation> kRooted = {bcast, gather, gatherv, scatter, scatterv, reduce};
  return kRooted.count(operation) > 0;
}

bool reduces(Operation operation) {
  static const std::set<Operation> kReduces = {
      reduce, allreduce, reduce_scatter, reduce_scatter_block, scan, exscan};
  return kReduces.count(operation) > 0;
}

bool has_in_place(Operation operation) {
  return operation != barrier && operation != bcast && operation < neighbor_allgather;
}

std::vector<Process> make_processes(const Shape& shape, const Op* op) {
  std::vector<Process> processes;
  for (int number = 0; number < shape.size + shape.remote_size; ++number) {
    processes.push_back(blank(shape, number, op));
  }
  for (int number = 0; number < static_cast<int>(processes.size()); ++number) {
    Process& process = processes[static_cast<std::size_t>(number)];
    if (shape.operation == barrier) continue;
    if (reduces(shape.operation)) {
      build_reduction(shape, process, number);
    } else {
      Movement(shape, process, number).build();
    }
  }
  return processes;
}

}  // namespace tessera::coll::schedules
