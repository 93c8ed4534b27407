// SPDX-License-Identifier: BSD-3-Clause
// What the modules of coll/sm have in common: memory, the figures of the machine, and their end.
#include <cstdio>

#include "module.h"

namespace tessera::coll::sm {

Arena* Common::arena() noexcept {
  if (!arena_) {
    const Result<SharedRegion> region = job_.shared("coll.sm", settings_.memory);
    if (!region) return nullptr;
    arena_.emplace(region.value());
  }
  return &*arena_;
}

const MachineFigures& Common::machine() noexcept {
  if (!machine_) machine_ = machine_figures(job_);
  return *machine_;
}

void Common::add(SmModule& module) noexcept {
  module.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &module;
  first_ = &module;
}

void Common::remove(SmModule& module) noexcept {
  (module.previous_ != nullptr ? module.previous_->next_ : first_) = module.next_;
  if (module.next_ != nullptr) module.next_->previous_ = module.previous_;
}

// The caller does not know which communicator a failure is about.
Status Common::end() noexcept {
  Status first;
  for (SmModule* module = first_; module != nullptr; module = module->next_) {
    const Status ended = module->end();
    if (ended.ok() || !first.ok()) continue;
    const char* const name = module->comm_.name();
    char text[700];
    std::snprintf(text, sizeof text, "on %s, %s",
                  *name != '\0' ? name : "a communicator without a name", ended.text());
    first = Status::failure(ended.code(), text);
  }
  return first;
}

}  // namespace tessera::coll::sm
