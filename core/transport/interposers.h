// SPDX-License-Identifier: BSD-3-Clause
// Components that stand in front of others: the interposers of pml and btl.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/framework.h"
#include "tessera/pml.h"

namespace tessera {

// Loads the wanted interposers of a framework, lowest priority first. One that does not load is
// noted in `decision`, or is an error (Errc::refused) when the user asked for it by name.
Result<std::vector<Member*>> load_interposers(FrameworkBase& framework, const Microkernel& kernel,
                                              Decision& decision);

// The module on top of `pml` once all interposers had their say. `host` is the engine's, without
// parameters.
Result<pml::Module*> wrap_pml(FrameworkBase& framework, const Microkernel& kernel, const Host& host,
                              pml::Module& pml, Explanation& explanation);

// A btl component with the interposers in front of it. Made for one call of open().
class BtlStack {
 public:
  BtlStack(const Member& component, const Host& host, std::span<Member* const> interposers) noexcept
      : component_(component), host_(host), interposers_(interposers) {}
  Result<std::span<btl::Module* const>> open(const btl::Sinks& sinks) noexcept {
    return open(interposers_.size(), sinks);
  }
  // The interposers in front of it, bottom first, and those that declined and why: "recorder",
  // "idle (not today)".
  const std::string& story() const noexcept { return story_; }

 private:
  class Layer;
  Host host_of(const Member& member) const noexcept {
    return {member.params(), host_.job, host_.progress, host_.bootstrap, member.events()};
  }
  Result<std::span<btl::Module* const>> open(std::size_t layers, const btl::Sinks& sinks) noexcept;
  void note(const std::string& text);

  const Member& component_;
  const Host& host_;
  std::span<Member* const> interposers_;
  std::string story_;
};

}  // namespace tessera
