// SPDX-License-Identifier: BSD-3-Clause
// A process that is rank 0 of 1.
#pragma once

#include "core/boot.h"

namespace tessera {

class AloneBoot final : public Boot {
 public:
  EngineJob& job() const noexcept override { return job_; }
  Bootstrap& bootstrap() noexcept override { return bootstrap_; }

 private:
  mutable SingletonJob job_;
  SingletonBootstrap bootstrap_;
};

}  // namespace tessera
