// SPDX-License-Identifier: BSD-3-Clause
// Opening the osc components, asking them about a window, and putting interposers in front.
#include "core/rma/one_sided.h"

#include "framework/help.h"
#include "framework/help_topics.h"

namespace tessera {

OneSided::OneSided(const Microkernel& kernel, const OneSidedHost& host, btl::Sinks& sinks,
                   Explanation* explanation)
    : kernel_(kernel), host_(host), sinks_(sinks), explanation_(explanation) {}

Status OneSided::open() {
  if (framework_) return {};
  auto framework = std::make_unique<Framework<osc::Component>>(kernel_, "osc",
                                                               static_cast<int>(host_.job.my_id()));
  framework_ = std::move(framework);
  if (Status s = framework_->open(explanation_); !s) return s;
  const std::vector<Member*> loaded = framework_->members();
  for (Member* member : loaded) {
    if (Status s = take_in(*member); !s) return s;
  }
  for (const Candidate* candidate : framework_->interposers()) {
    if (!framework_->unwanted(*candidate).empty()) continue;
    auto member = framework_->admit(*candidate);
    if (!member.ok()) return member.status();
    const auto known = std::find(competing_.begin(), competing_.end(), *member);
    if (known != competing_.end()) competing_.erase(known);
    const std::size_t before = competing_.size();
    if (Status s = take_in(**member); !s) return s;
    if (competing_.size() == before) continue;  // it does not open
    competing_.pop_back();
    interposers_.push_back(*member);
  }
  return {};
}

Status OneSided::take_in(Member& member) {
  auto& component = Framework<osc::Component>::of(member);
  const Host host{member.params(), host_.job, host_.progress, host_.bootstrap, member.events()};
  const Status opened = Framework<osc::Component>::opening(member)->open(host, host_.router);
  if (!opened.ok() && member.required()) {
    return help_failure(Errc::refused, topics::component_declined, "osc", member.name(),
                        opened.text());
  }
  if (!opened.ok()) return framework_->dismiss(member), Status();
  if (btl::Sink* const sink = component.sink(); sink != nullptr)
    sinks_.set(btl::Channel::osc, sink);
  competing_.push_back(&member);
  return {};
}

std::uint64_t OneSided::judge(const osc::Question& question, std::vector<std::string>& reasons) {
  std::uint64_t accepted = 0;
  for (std::size_t i = 0; i < competing_.size() && i < 64; ++i) {
    const Status answer = Framework<osc::Component>::of(*competing_[i]).judge(question);
    reasons.push_back(answer.ok() ? "" : answer.text());
    if (answer.ok()) accepted |= std::uint64_t{1} << i;
  }
  return accepted;
}

Status OneSided::make(std::uint64_t accepted, Win& window) {
  const auto first = static_cast<std::size_t>(__builtin_ctzll(accepted));
  auto module = Framework<osc::Component>::of(*competing_[first]).make(window);
  if (!module.ok()) return module.status();
  std::unique_ptr<osc::Module> top = std::move(*module);
  if (Status s = wrap(window, top); !s) return s;
  window.serve(std::move(top), competing_[first]->name());
  return {};
}

Status OneSided::wrap(Win& window, std::unique_ptr<osc::Module>& module) {
  for (Member* member : interposers_) {
    auto above = Framework<osc::Component>::of(*member).wrap(window, module);
    if (above.ok()) {
      module = std::move(*above);
    } else if (member->required()) {
      return above.status();
    }
  }
  return {};
}

void OneSided::explain(const Win& window, const std::vector<std::string>& reasons) {
  if (explanation_ == nullptr) return;
  constexpr const char* kinds[] = {"", "MPI_Win_create", "MPI_Win_allocate",
                                   "MPI_Win_create_dynamic", "MPI_Win_allocate_shared"};
  Decision decision{"osc",
                    "which one serves window " + std::to_string(window.number()) + " of " +
                        kinds[static_cast<int>(window.flavor())] + ", " +
                        std::to_string(window.size()) + " processes",
                    Shape::per_question,
                    {}};
  for (std::size_t i = 0; i < competing_.size(); ++i) {
    const bool chosen = competing_[i]->name() == window.component();
    decision.replies.push_back({competing_[i]->name(), reasons[i].empty(),
                                static_cast<double>(competing_[i]->priority()),
                                chosen ? window.module().describe() : reasons[i], chosen});
  }
  explanation_->record(std::move(decision));
}

std::string OneSided::names() const {
  std::string names;
  for (const Member* member : competing_) names += (names.empty() ? "" : ", ") + member->name();
  return names.empty() ? "none" : names;
}

// The note of the call stays where it is.
void OneSided::begin_wait(const osc::Waiting& waiting, const char* function) noexcept {
  waiting_ = &waiting;
  note_ = {function, -1, -1, &waiting.window().comm(), 0, nullptr};
  const WaitNote* const outer = host_.progress.note(&note_);
  if (outer != nullptr) host_.progress.note(outer);
}

void OneSided::end_wait(const osc::Waiting& waiting) noexcept {
  if (waiting_ == &waiting) waiting_ = nullptr;
  const WaitNote* const last = host_.progress.note(nullptr);
  if (last != &note_) host_.progress.note(last);
}

Status OneSided::start_agent(AdaptiveProgress& progress) noexcept try {
  if (!std::exchange(agent_wanted_, false)) return {};
  if (!agent_) agent_ = std::make_unique<ProgressAgent>(progress, host_.question);
  return agent_->start();
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

bool OneSided::drained() noexcept {
  for (Member* member : competing_) {
    if (!Framework<osc::Component>::of(*member).drained()) return false;
  }
  return true;
}

void OneSided::close() noexcept {
  sinks_.set(btl::Channel::osc, nullptr);
  framework_.reset();
}

}  // namespace tessera
