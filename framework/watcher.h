// SPDX-License-Identifier: BSD-3-Clause
// Who looks into the engine from outside: Watcher.
#pragma once
//
// Contract. The tools interface has one Watcher per process, which outlives every Microkernel that
// was told of it (MicrokernelOptions); tools, mpiexec and most unit tests have none. Who is owned
// by a component has the name <framework>_<component>; the engine itself is "core". joined() comes
// before the component is opened, left() before it is closed; the thread holds the engine's lock
// then, or is the only one. joined() and events_of() change nothing if they throw std::bad_alloc.
//
#include <string>

#include "tessera/component.h"

namespace tessera {

class Watcher {
 public:
  virtual void joined(const std::string& owner, Component& component) = 0;
  virtual void left(const std::string& owner, Component& component) noexcept = 0;
  // Where the owner tells what happens. Outlives the owner.
  virtual Events& events_of(const std::string& owner) = 0;

 protected:
  ~Watcher() = default;
};

}  // namespace tessera
