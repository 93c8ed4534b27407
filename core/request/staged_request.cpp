// SPDX-License-Identifier: BSD-3-Clause
#include "core/request/staged_request.h"

namespace tessera {

StagedRequest::StagedRequest(Request& operation, const Staging& staging) noexcept
    : operation_(operation), staging_(staging) {
  set_owner(operation.owner());
  persistent_ = operation.persistent();
  if (!persistent_) follow();
}

StagedRequest::~StagedRequest() {
  operation_.free();
  staging_.release(staging_.state);
}

Status StagedRequest::start() noexcept {
  staging_.stage(staging_.state);
  const Status started = operation_.start();
  if (!started) return started;
  follow();
  return {};
}

void StagedRequest::follow() noexcept {
  begin();
  retain();  // the operation's own reference, until it is complete
  if (operation_.complete()) return conclude();
  operation_.then(
      [](Request&, void* self) noexcept { static_cast<StagedRequest*>(self)->conclude(); }, this);
}

void StagedRequest::conclude() noexcept {
  status_ = operation_.status();
  status_.error = operation_.error();
  operation_.deactivate();
  staging_.unstage(staging_.state);
  finish();
  release();
}

}  // namespace tessera
