// SPDX-License-Identifier: BSD-3-Clause
// A component of which the build makes several: PLAIN_NAME and PLAIN_PRIORITY say which, PLAIN_LOUD
// gives it a constructor that speaks, PLAIN_LEAVES one that ends the process, PLAIN_FRAMEWORK and
// PLAIN_HEADER another framework, PLAIN_OPEN_FAILS an open that fails.
#include <unistd.h>

#ifdef PLAIN_INTERFACE
#define TESSERA_INTERFACE_demo PLAIN_INTERFACE
#endif
#define TESSERA_INTERFACE_strange 1
#include "demo.h"
#ifdef PLAIN_HEADER
#include PLAIN_HEADER
#endif

#ifdef PLAIN_ABI
#undef TESSERA_ABI_TAG
#define TESSERA_ABI_TAG PLAIN_ABI
#endif
#ifdef PLAIN_LAYOUT
#undef TESSERA_MANIFEST_LAYOUT
#define TESSERA_MANIFEST_LAYOUT PLAIN_LAYOUT
#endif
#ifndef PLAIN_FRAMEWORK
#define PLAIN_FRAMEWORK demo
#endif
#ifndef PLAIN_PRIORITY
#define PLAIN_PRIORITY 20
#endif
#ifndef PLAIN_MORE
#define PLAIN_MORE ""
#endif

#ifdef PLAIN_CALLS
extern "C" int tessera_test_call() noexcept;
#endif

namespace {

#ifdef PLAIN_LOUD
__attribute__((constructor)) void speak() {
  constexpr char words[] = "code of a plug-in ran\n";
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(1);
}
#endif

#ifdef PLAIN_LEAVES
__attribute__((constructor)) void leave() {
  _exit(7);
}
#endif

class Plain final : public demo::Component {
 public:
  tessera::Status open(const tessera::Params&) noexcept override {
#ifdef PLAIN_OPEN_FAILS
    return tessera::Status::failure(tessera::Errc::system, "no such device");
#else
    return {};
#endif
  }
  int answer() noexcept override {
#ifdef PLAIN_CALLS
    return tessera_test_call();
#else
    return PLAIN_PRIORITY;
#endif
  }
};

}  // namespace

// The names are macros and must be expanded before the component macro turns them into text.
#define PLAIN_COMPONENT(FRAMEWORK, NAME, PRIORITY) \
  TESSERA_COMPONENT(FRAMEWORK, NAME, "0.9", PRIORITY, Plain, "A plain component", PLAIN_MORE)
PLAIN_COMPONENT(PLAIN_FRAMEWORK, PLAIN_NAME, PLAIN_PRIORITY)
