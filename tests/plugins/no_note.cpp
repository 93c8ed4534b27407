// SPDX-License-Identifier: BSD-3-Clause
// A shared object that is no component.
extern "C" int tessera_test_nothing() noexcept {
  return 0;
}
