// SPDX-License-Identifier: BSD-3-Clause
// Levels that processes find out themselves, with machines, packages and caches that the test makes
// up: the tree, and operations of processes that tell each other where they are.
#include <gtest/gtest.h>

#include "components/coll/basic/module.h"
#include "components/coll/hierarchy/finding_module.h"
#include "core/coll/rules.h"
#include "core/coll/table.h"
#include "tests/coll/cases.h"
#include "tests/coll/fake_net.h"
#include "tests/coll/fake_params.h"

namespace tessera::coll::test {
namespace {

using hierarchy::Place;
using hierarchy::Tree;
using Places = std::vector<Place>;
using Ranks = std::vector<int>;
using enum Operation;

constexpr std::uint64_t kRed = 0xf00d, kBlue = 0xbeef, kGreen = 3;

Place unbound(std::uint64_t machine) {
  return {machine, Place::kUnknown, Place::kUnknown};
}

Place in_system(std::uint64_t system, std::uint64_t machine) {
  return {machine, Place::kUnknown, Place::kUnknown, system};
}

// Two machines of two packages of two caches. Hwloc counts caches over the machine.
Places two_machines(int in_each_cache) {
  Places places;
  for (const std::uint64_t machine : {kRed, kBlue})
    for (const std::uint32_t cache : {0u, 1u, 2u, 3u})
      places.insert(places.end(), in_each_cache, {machine, cache / 2, cache});
  return places;
}

// As by a launcher that goes round the machines.
Places in_turn() {
  const Places blocks = two_machines(1);
  Places places;
  for (std::size_t i = 0; i < 4; ++i) places.insert(places.end(), {blocks[i], blocks[i + 4]});
  return places;
}

Places some_unbound() {
  Places places = two_machines(1);
  places[6] = unbound(kBlue);
  return places;
}

// Processes that may run in a whole package lie in no one cache of it.
Places bound_to_packages() {
  Places places = two_machines(2);
  for (Place& place : places) place.cache = Place::kUnknown;
  return places;
}

struct Case {
  const char* name;
  Places places;
  const char* words;
  Ranks order;  // positions
};

void PrintTo(const Case& made, std::ostream* out) {
  *out << made.name;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"every_level",
       two_machines(2),
       "2 node x 2 socket x 2 cache x 2 process",
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
      {"one_in_each_cache",
       two_machines(1),
       "2 node x 2 socket x 2 cache",
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"in_turn", in_turn(), "2 node x 2 socket x 2 cache", {0, 2, 4, 6, 1, 3, 5, 7}},
      {"one_unbound", some_unbound(), "2 node x 4 process", {0, 1, 2, 3, 4, 5, 6, 7}},
      {"bound_to_packages",
       bound_to_packages(),
       "2 node x 2 socket x 4 process",
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
      {"uneven",
       {unbound(kGreen), unbound(kRed), unbound(kRed), unbound(kBlue), unbound(kGreen),
        unbound(kGreen)},
       "3 node x 3 process",
       {0, 4, 5, 1, 2, 3}},
      {"uneven_packages",
       {{kRed, 0, 0}, {kRed, 1, 1}, {kRed, 0, 0}, {kBlue, 0, 0}},
       "2 node x 2 socket x 2 process",
       {0, 2, 1, 3}},
      {"one_on_each", {unbound(kRed), unbound(kBlue), unbound(kGreen)}, "3 node", {0, 1, 2}},
      {"one_machine", {unbound(kRed), unbound(kRed), unbound(kRed)}, "3 process", {0, 1, 2}},
      {"two_systems_on_one_machine",
       {in_system(1, kRed), in_system(2, kRed), in_system(2, kRed), in_system(1, kRed)},
       "2 system x 2 process",
       {0, 3, 1, 2}},
      {"systems_share_machines",
       {in_system(1, kRed), in_system(1, kRed), in_system(1, kBlue), in_system(1, kBlue),
        in_system(2, kRed), in_system(2, kRed), in_system(2, kBlue), in_system(2, kBlue)},
       "2 system x 2 node x 2 process",
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"one_machine_two_packages",
       {{kRed, 0, 0}, {kRed, 0, 0}, {kRed, 1, 1}},
       "2 socket x 2 process",
       {0, 1, 2}},
  };
  return all;
}

class Found : public testing::TestWithParam<Case> {};

TEST_P(Found, TreeHasTheGroupsOfThePlaces) {
  const Case& made = GetParam();
  const Tree tree(static_cast<int>(made.places.size()), hierarchy::levels_of(made.places));
  EXPECT_EQ(tree.words(), made.words);
  Ranks order;
  for (int i = 0; i < tree.size(); ++i) order.push_back(tree.rank_at(i));
  EXPECT_EQ(order, made.order);
}

// Processes do not see where the others are.
class FakeJob final : public Job {
 public:
  explicit FakeJob(std::uint32_t size) : size_(size) {}
  std::uint32_t my_id() const noexcept override { return 0; }
  std::uint32_t size() const noexcept override { return size_; }
  std::uint32_t local_size() const noexcept override { return 1; }
  std::uint32_t usable_cpus() const noexcept override { return 1; }
  Peer& peer(std::uint32_t) const noexcept override { std::abort(); }
  Result<SharedRegion> shared(std::string_view, std::size_t) const noexcept override {
    return Status(Errc::unsupported);
  }

 private:
  std::uint32_t size_;
};

// What one process has: coll/hierarchy that is to find the levels, above coll/basic, both by the
// shipped rules.
class Finder final : public Component {
 public:
  Finder(const Place& place, const Rules& rules) : place_(place), rules_(rules) {
    settings_.alltoall_limit = 4096;
  }
  Status open(const Host&) noexcept override { return {}; }
  Result<Module*> query(Communicator& comm) noexcept override {
    return static_cast<Module*>(new hierarchy::FindingModule(settings_, &rules_, comm, place_));
  }

 private:
  hierarchy::Settings settings_;
  std::optional<Place> place_;
  const Rules& rules_;
};

class Below final : public Component {
 public:
  explicit Below(const Rules& rules) : chooser_(FakeParams(), rules) {}
  Status open(const Host&) noexcept override { return {}; }
  Result<Module*> query(Communicator& comm) noexcept override {
    return static_cast<Module*>(new basic::BasicModule(chooser_, layout_of(comm), comm.inter()));
  }

 private:
  basic::Chooser chooser_;
};

std::string carried_out_by(Table& table, const Call& call) {
  for (Module* module : table.modules(call.operation)) {
    Schedule schedule;
    if (module->emit(call, schedule).ok()) return schedule.algorithm();
  }
  return "nobody";
}

const ModelOp& commuting() {
  static const ModelOp op(true);
  return op;
}

// The first one is where they meet.
constexpr Operation kRun[] = {bcast,      allreduce, gather,         scatter,
                              allgatherv, alltoall,  reduce_scatter, gatherv};
using Groups = std::vector<std::vector<Process>>;  // per operation

Groups groups_of(int size) {
  Groups groups;
  for (const Operation operation : kRun)
    groups.push_back(make_processes(
        {.operation = operation, .size = size, .root = size - 1, .count = 5}, &commuting()));
  return groups;
}

void run_all(Groups& groups, FakeCommunicator& comm, const Place& place, const Rules& rules,
             bool levels) {
  Finder finder(place, rules);
  Below below(rules);
  const Candidate candidates[] = {{below, "basic", 10}, {finder, "hierarchy", 60}};
  const auto table = std::move(Table::make(comm, candidates)).value();
  bool met = false;
  for (std::vector<Process>& group : groups) {
    const Call call = group[static_cast<std::size_t>(comm.rank())].on(comm);
    const bool by_levels = levels && call.operation != gatherv;
    EXPECT_EQ(carried_out_by(*table, call) == "hierarchy", by_levels && met)
        << name(call.operation);
    EXPECT_TRUE(table->run(call).ok());
    met = true;
  }
}

TEST_P(Found, OperationsGoByTheLevelsOnceProcessesHaveMet) {
  const Places& places = GetParam().places;
  const int size = static_cast<int>(places.size());
  const bool levels = Tree(size, hierarchy::levels_of(places)).stages() > 1;
  const RuleSet rules(builtin_rules());
  const FakeJob job(static_cast<std::uint32_t>(size));
  FakeNet net(size, false);
  Groups groups = groups_of(size);
  net.run([&](int rank) {
    net.comm(rank).live_in(job);
    run_all(groups, net.comm(rank), places[static_cast<std::size_t>(rank)], rules, levels);
  });
  for (const auto& group : groups) {
    for (const Process& process : group) {
      if (!process.receive_matters) continue;
      EXPECT_EQ(process.receive.bytes, process.expected) << name(process.call.operation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, Found, testing::ValuesIn(cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace tessera::coll::test
