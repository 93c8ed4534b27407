// SPDX-License-Identifier: BSD-3-Clause
// The engine as tools see it, beside the components: Watched.
#pragma once

#include "framework/watcher.h"

namespace tessera {

class Instance;

// Measures what core/engine/variables.cpp declares, from the end of MPI_Init until the Instance
// goes.
class Watched final : public Component {
 public:
  Watched(Instance& instance, Watcher& watcher);
  ~Watched() override;
  void measure(Measures& measures) noexcept override;

 private:
  Instance& instance_;
  Watcher& watcher_;
};

}  // namespace tessera
