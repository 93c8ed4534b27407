// SPDX-License-Identifier: BSD-3-Clause
// Declarations that are put off until somebody asks.
#include "framework/param_registry.h"

namespace tessera {
namespace {

// Whether a parameter of this name can belong to the owner.
bool may_own(std::string_view owner, std::string_view name) noexcept {
  return name.starts_with(owner) && (name.size() == owner.size() || name[owner.size()] == '_');
}

}  // namespace

void ParamRegistry::promise(std::string owner, std::function<void()> declare) {
  promises_.push_back({std::move(owner), std::move(declare)});
}

// That a declaration is made late is not seen from outside: so asking counts as const.
void ParamRegistry::keep(Promise& promise) const {
  if (!promise.declare) return;
  auto& self = const_cast<ParamRegistry&>(*this);
  const auto declare = std::exchange(promise.declare, nullptr);
  self.keeping_ = true;
  declare();
  self.keeping_ = false;
  self.settle_late();
}

void ParamRegistry::declare_all() const {
  for (Promise& promise : promises_) keep(promise);
  promises_.clear();
}

void ParamRegistry::declare_owner(std::string_view owner) const {
  for (Promise& promise : promises_)
    if (promise.owner == owner) keep(promise);
}

// A component's name may itself contain what looks like another one's: all that fit are asked. A
// synonym may belong to a component of another name; only then everything is declared.
void ParamRegistry::declare_for(std::string_view name) const {
  for (Promise& promise : promises_)
    if (may_own(promise.owner, name)) keep(promise);
  if (declared(name) == nullptr) declare_all();
}

void ParamRegistry::declare_mentioned() const {
  for (const ParamSetting& setting : settings_) static_cast<void>(find(setting.name));
}

}  // namespace tessera
