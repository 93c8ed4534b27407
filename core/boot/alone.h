// SPDX-License-Identifier: BSD-3-Clause
// A process that is rank 0 of 1.
#pragma once

#include "core/boot/boot.h"

namespace tessera {

class AloneBoot final : public Boot {
 public:
  EngineJob& job() const noexcept override { return job_; }
  Bootstrap& bootstrap() noexcept override { return bootstrap_; }
  void set_state(RankState state) noexcept override { job_.set_state(state); }
  Starts starts() const noexcept override { return Starts::launcher_of_its_own; }

 private:
  mutable SingletonJob job_;
  SingletonBootstrap bootstrap_;
};

}  // namespace tessera
