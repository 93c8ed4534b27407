// SPDX-License-Identifier: BSD-3-Clause
// A component whose entry makes nothing.
#include "demo.h"

namespace {

class Null final : public demo::Component {
 public:
  static void* operator new(std::size_t, const std::nothrow_t&) noexcept { return nullptr; }
  static void operator delete(void*) noexcept {}
  tessera::Status open(const tessera::Params&) noexcept override { return {}; }
  int answer() noexcept override { return 0; }
};

}  // namespace

TESSERA_COMPONENT(demo, null, "1", 10, Null, "Makes no component", "")
