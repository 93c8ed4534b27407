// SPDX-License-Identifier: BSD-3-Clause
// A framework that exists for the tests only.
#pragma once

#include "tessera/component.h"

#ifndef TESSERA_INTERFACE_demo
#define TESSERA_INTERFACE_demo 7
#endif

namespace demo {

class Component : public tessera::Component {
 public:
  virtual tessera::Status open(const tessera::Params& params) noexcept = 0;
  virtual int answer() noexcept = 0;
};

}  // namespace demo
