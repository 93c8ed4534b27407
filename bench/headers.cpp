// SPDX-License-Identifier: BSD-3-Clause
// Holds the precompiled header that the benchmarks share; never built.
int main() {
  return 0;
}
