// SPDX-License-Identifier: BSD-3-Clause
// Holds the precompiled header that all unit tests share; never built.
int main() {
  return 0;
}
