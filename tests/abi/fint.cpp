// SPDX-License-Identifier: BSD-3-Clause
// The same in C++.
#include "fint.c"  // NOLINT: one program in two languages
