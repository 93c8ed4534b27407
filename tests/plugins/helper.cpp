// SPDX-License-Identifier: BSD-3-Clause
// A library that test components depend on.
extern "C" int tessera_test_call() noexcept {
  return 1;
}
extern "C" void* tessera_demo_noentry_create() noexcept {
  return nullptr;
}
