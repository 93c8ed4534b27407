// SPDX-License-Identifier: BSD-3-Clause
// A persistent send that is counted each time it is started.
#include "persistent.h"

#include <new>

namespace tessera::pml::monitoring {

namespace {

class CountedRequest final : public Request {
 public:
  CountedRequest(Request* below, const Account& account) noexcept
      : below_(below), account_(account) {
    persistent_ = true;
  }

  Status start() noexcept override {
    begin();
    const Status started = below_->start();
    if (!started.ok()) {
      deactivate();
      return started;
    }
    account_.count();
    if (below_->complete()) {
      take_over();
    } else {
      below_->then(
          [](Request&, void* self) noexcept { static_cast<CountedRequest*>(self)->take_over(); },
          this);
    }
    return {};
  }
  void cancel() noexcept override { below_->cancel(); }
  // Of an active one, what is under way completes first.
  void free() noexcept override {
    if (active() && !complete()) {
      abandoned_ = true;
      return;
    }
    below_->free();
    release();
  }

 private:
  void take_over() noexcept {
    status_ = below_->status();
    status_.error = below_->error();
    below_->deactivate();
    if (abandoned_) {
      below_->free();
      finish();
      release();
    } else {
      finish();
    }
  }

  Request* below_;
  Account account_;
  bool abandoned_ = false;
};

}  // namespace

Request* counted(Request* below, const Account& account) noexcept {
  return new (std::nothrow) CountedRequest(below, account);
}

}  // namespace tessera::pml::monitoring
