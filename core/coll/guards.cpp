// SPDX-License-Identifier: BSD-3-Clause
// Loading what stands in front of collectives, and asking it about each communicator.
#include "core/coll/guards.h"

#include "core/transport/interposers.h"
#include "framework/help.h"
#include "framework/help_topics.h"

namespace tessera::coll {

Guards::Guards(const std::vector<Interposer*>& interposers, Communicator& comm) {
  entries_.reserve(interposers.size());
  for (Interposer* interposer : interposers) {
    if (Guard* const guard = interposer->guard(comm); guard != nullptr)
      entries_.push_back({interposer, guard});
  }
}

Guards::~Guards() {
  for (const Entry& entry : entries_) entry.owner->forget(*entry.guard);
}

Result<std::unique_ptr<Interposers>> Interposers::make(const Microkernel& kernel, const Host& host,
                                                       AdaptiveProgress& progress, Boot& boot,
                                                       Explanation& explanation) {
  std::unique_ptr<Interposers> made(new Interposers(kernel, host, progress, boot));
  if (made->framework_.interposers().empty()) return std::unique_ptr<Interposers>();
  Decision decision{"coll", "what stands in front of collective operations", Shape::stacked, {}};
  auto members = load_interposers(made->framework_, kernel, decision);
  if (!members.ok()) return members.status();
  for (Member* member : *members) {
    if (Status s = made->open(host, *member); !s) return s;
  }
  for (Member* member : *members)
    decision.replies.push_back(
        {member->name(), true, static_cast<double>(member->priority()), "", true});
  if (!decision.replies.empty()) explanation.record(std::move(decision));
  return made->opened_.empty() ? nullptr : std::move(made);
}

Status Interposers::open(const Host& host, Member& member) {
  Interposer& interposer = Framework<Interposer>::of(member);
  const Status opened = Framework<Interposer>::opening(member)->open(
      {member.params(), host.job, host.progress, host.bootstrap, member.events()}, services_);
  if (opened.ok()) opened_.push_back(&interposer);
  if (opened.ok() || !member.required()) return {};
  return help_failure(Errc::refused, topics::component_declined, "coll", member.name(),
                      opened.text());
}

std::unique_ptr<Guards> Interposers::guard(Communicator& comm) const {
  auto guards = std::make_unique<Guards>(opened_, comm);
  return guards->any() ? std::move(guards) : nullptr;
}

void Interposers::flush() const noexcept {
  for (Interposer* interposer : opened_) interposer->flush();
}

void Interposers::finish(Communicator& world) const noexcept {
  for (Interposer* interposer : opened_) interposer->finish(world);
}

void Interposers::hear_out() const noexcept {
  for (Interposer* interposer : opened_) interposer->hear_out();
}

}  // namespace tessera::coll
