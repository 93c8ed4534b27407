// SPDX-License-Identifier: BSD-3-Clause
// Loads a framework's components and chooses among them.
#include "framework/framework.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/load_watch.h"

namespace tessera {
namespace {

constexpr std::string_view kInterposes = "interposes";

std::string summary(const Decision& decision) {
  std::string all;
  for (const Reply& reply : decision.replies)
    all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", reply.component, reply.text);
  return all.empty() ? "none was found on the search path" : all;
}

}  // namespace

Member::Member(const Microkernel& kernel, const Candidate& candidate, LoadedComponent loaded)
    : name_(candidate.name),
      version_(candidate.manifest.version),
      priority_(kernel.priority(candidate)),
      required_(kernel.selection(candidate.framework).requires_name(candidate.name)),
      params_(kernel.params(), candidate.framework, candidate.name),
      loaded_(std::move(loaded)),
      owner_(fmt::format("{}_{}", candidate.framework, candidate.name)),
      watcher_(kernel.watcher()),
      load_note_(kernel.load_note()),
      blame_(load_note_ != nullptr ? blame(candidate) : "") {
  if (watcher_ == nullptr) return;
  events_ = &watcher_->events_of(owner_);
  watcher_->joined(owner_, *loaded_.component);
}

Member::~Member() {
  const NotedComponent closing = noted("closed");
  const LoadedComponent last = std::move(loaded_);  // deleted and unloaded while that stands
  if (watcher_ != nullptr) watcher_->left(owner_, *last.component);
  last.component->close();
}

FrameworkBase::FrameworkBase(const Microkernel& kernel, std::string_view name, int rank)
    : kernel_(kernel), name_(name) {
  if (const int level = kernel.verbosity(name); level > 0) log_ = Log(name, level, rank);
}

std::vector<const Candidate*> FrameworkBase::candidates() const {
  return in_order(false);
}

std::vector<const Candidate*> FrameworkBase::interposers() const {
  std::vector<const Candidate*> list = in_order(true);
  std::reverse(list.begin(), list.end());
  return list;
}

std::string FrameworkBase::unwanted(const Candidate& interposer) const {
  const std::string_view when = interposer.manifest.facts_of(kInterposes).front();
  if (when == "always" || kernel_.selection(name_).requires_name(interposer.name)) return {};
  const std::string switch_name = interposer.manifest.parameter(when);
  const bool on = kernel_.untouched() ? interposer.manifest.switched_on(when)
                                      : kernel_.params().find(switch_name) != nullptr &&
                                            kernel_.params().boolean(switch_name);
  return on ? "" : fmt::format("not asked for: {} is false", switch_name);
}

std::vector<const Candidate*> FrameworkBase::in_order(bool interposing) const {
  std::vector<const Candidate*> list = kernel_.catalog().usable(name_);
  std::erase_if(list, [interposing](const Candidate* candidate) {
    return candidate->manifest.facts_of(kInterposes).empty() == interposing;
  });
  std::stable_sort(list.begin(), list.end(), [this](const Candidate* a, const Candidate* b) {
    return priority(*a) != priority(*b) ? priority(*a) > priority(*b) : a->name < b->name;
  });
  return list;
}

Result<Member*> FrameworkBase::admit(const Candidate& candidate) {
  if (Status sound = kernel_.prepare(candidate); !sound.ok()) return sound;
  auto loaded = load_component(candidate, kernel_.load_note());
  if (!loaded) {
    kernel_.tell_of_mix(candidate);
    return loaded.status();
  }
  auto member = std::make_unique<Member>(kernel_, candidate, std::move(*loaded));
  const auto place = std::find_if(members_.begin(), members_.end(), [&member](const auto& other) {
    return other->priority() != member->priority() ? other->priority() < member->priority()
                                                   : other->name() > member->name();
  });
  return members_.insert(place, std::move(member))->get();
}

// An error when the user asked for it by name, otherwise a reply that says why it was skipped.
Status FrameworkBase::unloadable(const Candidate& candidate, Status why, Decision& decision) const {
  const Selection& selection = kernel_.selection(name_);
  if (selection.requires_name(candidate.name))
    return help_failure(Errc::refused, topics::component_unusable, name_, candidate.name,
                        selection.origin(), why.text());
  decision.replies.push_back(
      {candidate.name, false, static_cast<double>(priority(candidate)), why.text(), false});
  return {};
}

void FrameworkBase::note_unusable(Decision& decision) const {
  for (const Candidate* candidate : kernel_.catalog().of(name_))
    if (!candidate->usable())
      decision.replies.push_back({candidate->name, false, static_cast<double>(priority(*candidate)),
                                  candidate->reason, false});
}

Status FrameworkBase::open(Explanation* explanation) {
  Decision decision{name_, "which components can be loaded", Shape::ranked, {}};
  for (const Candidate* candidate : candidates()) {
    auto member = admit(*candidate);
    if (member) {
      decision.replies.push_back(
          {candidate->name, true, static_cast<double>((*member)->priority()), "", true});
    } else if (Status skipped = unloadable(*candidate, member.status(), decision); !skipped.ok()) {
      close();
      return skipped;
    }
  }
  note_unusable(decision);
  note(std::move(decision), explanation);
  return {};
}

void FrameworkBase::close() noexcept {
  while (!members_.empty()) members_.pop_back();
}

void FrameworkBase::dismiss(Member& member) {
  std::erase_if(members_, [&member](const auto& own) { return own.get() == &member; });
}

void FrameworkBase::retain(const std::vector<Member*>& keep) {
  for (std::size_t i = members_.size(); i-- > 0;)
    if (std::find(keep.begin(), keep.end(), members_[i].get()) == keep.end())
      members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
}

std::vector<Member*> FrameworkBase::members() const {
  std::vector<Member*> list;
  for (const auto& member : members_) list.push_back(member.get());
  return list;
}

void FrameworkBase::note(Decision decision, Explanation* explanation) const {
  for (const Reply& reply : decision.replies)
    log_(reply.chosen ? 1 : 10, "{}: {} {}{}{}", decision.question, reply.component,
         reply.chosen ? "chosen" : (reply.accepted ? "not chosen" : "declined"),
         reply.text.empty() ? "" : ": ", reply.text);
  if (explanation != nullptr) explanation->record(std::move(decision));
}

// Highest score first; members come by priority and name, so ties are in that order.
FrameworkBase::AskedList FrameworkBase::sorted(AskedList asked) {
  for (Asked& one : asked)
    if (!one.answer.score) one.answer.score = one.member->priority();
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Asked& a, const Asked& b) { return a.answer.score > b.answer.score; });
  return asked;
}

Decision FrameworkBase::decide(const AskedList& asked, std::string_view question,
                               Shape shape) const {
  const bool only_one = shape == Shape::per_question;
  Decision decision{name_, std::string(question), shape, {}};
  bool taken = false;
  for (const auto& [member, answer] : asked) {
    const bool chosen = answer.accepted && !(only_one && taken);
    decision.replies.push_back(
        {member->name(), answer.accepted, *answer.score, answer.text, chosen});
    taken = taken || chosen;
  }
  return decision;
}

std::vector<Member*> FrameworkBase::accepted(const AskedList& asked) {
  std::vector<Member*> list;
  for (const auto& [member, answer] : asked)
    if (answer.accepted) list.push_back(member);
  return list;
}

// Fails only for a component that was asked for by name and does not load.
Status FrameworkBase::try_candidate(const Candidate& candidate,
                                    const std::function<Answer(Member&)>& query, Decision& decision,
                                    Member*& winner) {
  const double score = priority(candidate);
  auto member = admit(candidate);
  if (!member) return unloadable(candidate, member.status(), decision);
  Answer answer;
  {
    const NotedComponent noted = (*member)->noted("opened");
    answer = query(**member);
  }
  decision.replies.push_back(
      {candidate.name, answer.accepted, score, std::move(answer.text), answer.accepted});
  if (answer.accepted)
    winner = *member;
  else
    dismiss(**member);
  return {};
}

Result<Member*> FrameworkBase::choose_best(const std::function<Answer(Member&)>& query,
                                           std::string_view question, Explanation* explanation) {
  Decision decision{name_, std::string(question), Shape::one_winner, {}};
  Member* winner = nullptr;
  for (const Candidate* candidate : candidates()) {
    if (winner != nullptr) {
      decision.replies.push_back({candidate->name, false, static_cast<double>(priority(*candidate)),
                                  "not asked: the winner comes first", false});
      continue;
    }
    if (Status tried = try_candidate(*candidate, query, decision, winner); !tried.ok())
      return tried;
  }
  note_unusable(decision);
  const std::string why = winner == nullptr ? summary(decision) : "";
  note(std::move(decision), explanation);
  if (winner == nullptr)
    return help_failure(Errc::not_found, topics::nobody_accepted, name_, question, why);
  return winner;
}

Result<std::vector<Member*>> FrameworkBase::choose_ranked(AskedList list, std::string_view question,
                                                          Explanation* explanation) const {
  const AskedList asked = sorted(std::move(list));
  note(decide(asked, question, Shape::ranked), explanation);
  for (const auto& [member, answer] : asked)
    if (!answer.accepted && member->required())
      return help_failure(Errc::refused, topics::component_declined, name_, member->name(),
                          answer.text);
  return accepted(asked);
}

std::vector<Member*> FrameworkBase::choose_stack(AskedList list, std::string_view question,
                                                 Explanation* explanation) const {
  const AskedList asked = sorted(std::move(list));
  note(decide(asked, question, Shape::stacked), explanation);
  std::vector<Member*> layers = accepted(asked);
  std::reverse(layers.begin(), layers.end());
  return layers;
}

Member* FrameworkBase::choose_answer(AskedList list, std::string_view question,
                                     Explanation* explanation) const {
  const AskedList asked = sorted(std::move(list));
  note(decide(asked, question, Shape::per_question), explanation);
  const auto willing = accepted(asked);
  return willing.empty() ? nullptr : willing.front();
}

}  // namespace tessera
