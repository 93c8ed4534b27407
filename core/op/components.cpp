// SPDX-License-Identifier: BSD-3-Clause
// Opens op components and asks them for loops.
#include "core/op/components.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/op/kernels.h"
#include "framework/help.h"
#include "framework/help_topics.h"
#include "tessera/peer.h"

namespace tessera::op {
namespace {

constexpr std::string_view kName = "op";

bool takes_part(const Microkernel& kernel, const Candidate& candidate) {
  return kernel.priority(candidate) > kOwnPriority ||
         kernel.selection(kName).requires_name(candidate.name);
}

}  // namespace

bool Components::wanted(const Microkernel& kernel) {
  const auto usable = kernel.catalog().usable(kName);
  return std::any_of(usable.begin(), usable.end(), [&kernel](const Candidate* candidate) {
    return takes_part(kernel, *candidate);
  });
}

Components::Components(const Microkernel& kernel, const Lent& lent)
    : kernel_(kernel), lent_(lent), framework_(kernel, kName, static_cast<int>(lent.job.my_id())) {
  attach_loop_source(*this);
}

Components::~Components() {
  detach_loop_source(*this);
}

Status Components::choose(const Wanted& wanted, Loop& loop) noexcept try {
  if (!opened_) {
    if (Status s = open(); !s) return s;
    opened_ = true;
  }
  Decision decision{
      std::string(kName),
      fmt::format("which loop serves {} on {}", wanted.operation_name, wanted.type_name),
      Shape::per_question,
      {}};
  const Loop theirs = ask(wanted, decision);
  decision.replies.push_back({"core", true, kOwnPriority,
                              fmt::format("the engine's own, {}", isa_name()), theirs == nullptr});
  explanation_.record(std::move(decision));
  loop = theirs != nullptr ? theirs : wanted.own;
  return {};
} catch (const std::exception& failure) {
  return Status::failure(Errc::no_memory, failure.what());
}

// Members are in order of priority; all are asked, so that the explanation is complete.
Loop Components::ask(const Wanted& wanted, Decision& decision) {
  Loop chosen = nullptr;
  for (const Member* member : framework_.members()) {
    const Loop loop =
        Framework<Component>::of(*member).loop(wanted.operation, wanted.number, wanted.index);
    const bool offers = loop != nullptr;
    const bool first = offers && chosen == nullptr;
    if (first) chosen = loop;
    if (first) framework_.log()(1, "{}: {} chosen", decision.question, member->name());
    decision.replies.push_back({member->name(), offers, static_cast<double>(member->priority()),
                                offers ? "" : "offers none", first});
  }
  return chosen;
}

Status Components::open() {
  Decision decision{
      std::string(kName), "which components offer loops for reductions", Shape::per_question, {}};
  for (const Candidate* candidate : framework_.candidates()) {
    if (takes_part(kernel_, *candidate)) {
      if (Status s = admit(*candidate, decision); !s) {
        framework_.close();
        return s;
      }
      continue;
    }
    decision.replies.push_back(
        {candidate->name, false, static_cast<double>(framework_.priority(*candidate)),
         fmt::format("not asked for: its priority, {}, does not exceed {}, that of the "
                     "engine's own loops",
                     framework_.priority(*candidate), kOwnPriority),
         false});
  }
  if (!decision.replies.empty()) explanation_.record(std::move(decision));
  return {};
}

// Fails only for a component that was asked for by name.
Status Components::admit(const Candidate& candidate, Decision& decision) {
  const double priority = framework_.priority(candidate);
  auto member = framework_.admit(candidate);
  if (!member.ok()) {
    const Selection& selection = kernel_.selection(kName);
    if (selection.requires_name(candidate.name)) {
      return help_failure(Errc::refused, topics::component_unusable, kName, candidate.name,
                          selection.origin(), member.status().text());
    }
    decision.replies.push_back({candidate.name, false, priority, member.status().text(), false});
    return {};
  }
  const Status opened = Framework<Component>::opening(**member)->open(
      {(*member)->params(), lent_.job, lent_.progress, lent_.bootstrap, (*member)->events()});
  if (!opened) return declined(**member, opened, decision);
  decision.replies.push_back({candidate.name, true, priority, "", true});
  return {};
}

Status Components::declined(Member& member, const Status& why, Decision& decision) {
  if (member.required())
    return help_failure(Errc::refused, topics::component_declined, kName, member.name(),
                        why.text());
  decision.replies.push_back(
      {member.name(), false, static_cast<double>(member.priority()), why.text(), false});
  framework_.dismiss(member);
  return {};
}

}  // namespace tessera::op
