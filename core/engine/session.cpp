// SPDX-License-Identifier: BSD-3-Clause
// Sessions: their process sets.
#include "core/engine/session.h"

#include <strings.h>

#include "core/engine/instance.h"

namespace tessera {
namespace {

Ref<Group> copy_of(const Group& group, const std::shared_ptr<BufferedSends>& buffer) {
  Ref<Group> copy(Group::make({group.members(), group.members() + group.size()}));
  copy->set_session_buffer(buffer);
  return copy;
}

bool same(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Session::Session(Instance& instance, Ref<Errhandler> errhandler)
    : Object(ObjectKind::session),
      buffer_(std::make_shared<BufferedSends>(instance.progress())),
      errhandler_(std::move(errhandler)) {
  world_ = copy_of(*instance.world().group(), buffer_);
  self_ = copy_of(*instance.self().group(), buffer_);
}

Group* Session::set(std::string_view name) const noexcept {
  if (same(name, kSets[0])) return world_.get();
  if (same(name, kSets[1])) return self_.get();
  return nullptr;
}

}  // namespace tessera
