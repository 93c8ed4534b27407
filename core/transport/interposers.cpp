// SPDX-License-Identifier: BSD-3-Clause
// Putting interposers in front of the pml and of each btl.
#include "core/transport/interposers.h"

#include "framework/help.h"
#include "framework/help_topics.h"

namespace tessera {

Result<std::vector<Member*>> load_interposers(FrameworkBase& framework, const Microkernel& kernel,
                                              Decision& decision) {
  std::vector<Member*> loaded;
  for (const Candidate* candidate : framework.interposers()) {
    if (const std::string why = framework.unwanted(*candidate); !why.empty()) {
      decision.replies.push_back({candidate->name, false,
                                  static_cast<double>(framework.priority(*candidate)), why, false});
      continue;
    }
    auto member = framework.admit(*candidate);
    if (member.ok()) {
      loaded.push_back(*member);
      continue;
    }
    const Selection& selection = kernel.selection(framework.name());
    if (selection.requires_name(candidate->name)) {
      return help_failure(Errc::refused, topics::component_unusable, framework.name(),
                          candidate->name, selection.origin(), member.status().text());
    }
    decision.replies.push_back({candidate->name, false,
                                static_cast<double>(framework.priority(*candidate)),
                                member.status().text(), false});
  }
  return loaded;
}

Result<pml::Module*> wrap_pml(FrameworkBase& framework, const Microkernel& kernel, const Host& host,
                              pml::Module& pml, Explanation& explanation) {
  Decision decision{
      "pml", "which interposers stand in front of it, the last on top", Shape::ranked, {}};
  auto interposers = load_interposers(framework, kernel, decision);
  if (!interposers.ok()) return interposers.status();
  pml::Module* top = &pml;
  for (Member* member : *interposers) {
    auto module = Framework<pml::Component>::opening(*member)->wrap(
        {member->params(), host.job, host.progress, host.bootstrap, member->events()}, *top);
    if (module.ok()) top = *module;
    decision.replies.push_back({member->name(), module.ok(),
                                static_cast<double>(member->priority()),
                                module.ok() ? "" : module.status().text(), module.ok()});
    if (module.ok()) continue;
    if (member->required()) {
      return help_failure(Errc::refused, topics::component_declined, "pml", member->name(),
                          module.status().text());
    }
    framework.dismiss(*member);
  }
  if (!decision.replies.empty()) explanation.record(std::move(decision));
  return top;
}

// What an interposer sees of the layers below it.
class BtlStack::Layer final : public btl::Wrapped {
 public:
  Layer(BtlStack& stack, std::size_t layers) noexcept : stack_(stack), layers_(layers) {}
  const char* name() const noexcept override { return stack_.component_.name().c_str(); }
  Result<std::span<btl::Module* const>> open(const btl::Sinks& sinks) noexcept override {
    opened_ = true;
    return stack_.open(layers_, sinks);
  }
  bool opened() const noexcept { return opened_; }

 private:
  BtlStack& stack_;
  std::size_t layers_;
  bool opened_ = false;
};

Result<std::span<btl::Module* const>> BtlStack::open(std::size_t layers,
                                                     const btl::Sinks& sinks) noexcept {
  if (layers == 0)
    return Framework<btl::Component>::opening(component_)->open(host_of(component_), sinks);
  const Member& interposer = *interposers_[layers - 1];
  Layer below(*this, layers - 1);
  auto modules =
      Framework<btl::Component>::opening(interposer)->wrap(host_of(interposer), sinks, below);
  if (modules.ok()) {
    note(interposer.name());
  } else if (!below.opened()) {
    note(interposer.name() + " (not: " + modules.status().text() + ")");
    return open(layers - 1, sinks);
  }
  return modules;
}

void BtlStack::note(const std::string& text) {
  story_ += (story_.empty() ? "" : ", ") + text;
}

}  // namespace tessera
