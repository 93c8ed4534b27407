// SPDX-License-Identifier: BSD-3-Clause
// A component that uses a function of the engine that is not part of the SDK.
#include "demo.h"
#include "framework/text.h"

namespace {

class Private final : public demo::Component {
 public:
  tessera::Status open(const tessera::Params&) noexcept override { return {}; }
  int answer() noexcept override { return tessera::text::nearest("a", {}).empty() ? 1 : 2; }
};

}  // namespace

TESSERA_COMPONENT(demo, private, "1.0.0", 10, Private, "Looks behind the SDK", "")
