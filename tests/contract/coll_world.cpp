// SPDX-License-Identifier: BSD-3-Clause
// The processes of one communicator in the suite for coll.
#include "coll_world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/coll/rules.h"

namespace tessera::contract {

namespace {

const coll::Rules& shipped_rules() {
  static const coll::RuleSet& rules = []() -> const coll::RuleSet& {
    static coll::RuleSet all;
    all.add(coll::builtin_rules());
    return all;
  }();
  return rules;
}

}  // namespace

CollWorld::CollWorld(int size, int remote_size, bool rendezvous)
    : segment_(static_cast<std::uint32_t>(size + remote_size)),
      net_(size + remote_size, rendezvous, remote_size > 0 ? size : 0) {
  for (std::uint32_t id = 0; id < segment_.ranks(); ++id) make_process(id);
  for (std::uint32_t id = 0; id < segment_.ranks(); ++id) segment_.publishing_done(id);
}

void CollWorld::make_process(std::uint32_t id) {
  coll::test::FakeNet::Rank& rank = net_.rank(id);
  rank.peer.locality = Locality::node;
  rank.peer.pid = getpid();
  rank.peer.bell = &segment_.bell(id);
  Process& process = *list_.emplace_back(std::make_unique<Process>(segment_, id, *rank.progress));
  net_.comm(static_cast<int>(id)).live_in(process.job);
  auto& component = static_cast<coll::Component&>(process.subject.component());
  const Status opened =
      component.open({plugin().params(), process.job, *rank.progress, process.bootstrap});
  if (!opened.ok() && opened_.ok()) opened_ = opened;
  if (opened.ok()) component.use(shipped_rules());
  if (others() == nullptr) return;
  process.others = others()->create();
  auto& below = static_cast<coll::Component&>(*process.others);
  process.others_opened =
      below.open({others()->params(), process.job, *rank.progress, process.bootstrap});
  if (process.others_opened.ok()) below.use(shipped_rules());
}

Result<coll::Module*> CollWorld::query(int number) noexcept {
  Process& process = *list_[static_cast<std::size_t>(number)];
  return static_cast<coll::Component&>(process.subject.component()).query(comm(number));
}

std::unique_ptr<coll::Table> CollWorld::table(int number) {
  Process& process = *list_[static_cast<std::size_t>(number)];
  std::vector<coll::Candidate> candidates = {
      {static_cast<coll::Component&>(process.subject.component()), plugin().name(), 100}};
  if (process.others != nullptr && process.others_opened.ok())
    candidates.push_back({static_cast<coll::Component&>(*process.others), "others", 1});
  return std::move(coll::Table::make(comm(number), candidates)).value();
}

const Op& commuting_op() {
  static const coll::test::ModelOp op(true);
  return op;
}
const Op& ordered_op() {
  static const coll::test::ModelOp op(false);
  return op;
}

}  // namespace tessera::contract
