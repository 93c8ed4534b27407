// SPDX-License-Identifier: BSD-3-Clause
// coll/basic on one communicator.
#pragma once

#include "chooser.h"

namespace tessera::coll::basic {

class BasicModule final : public Module {
 public:
  BasicModule(const Chooser& chooser, bool inter) noexcept : chooser_(chooser), inter_(inter) {}
  bool serves(Operation operation) const noexcept override {
    return !inter_ || inter_algorithm(operation) != nullptr;
  }
  Status emit(const Call& call, Schedule& schedule) noexcept override;

 private:
  const Chooser& chooser_;  // the component's
  bool inter_;
};

}  // namespace tessera::coll::basic
