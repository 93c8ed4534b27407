/* SPDX-License-Identifier: BSD-3-Clause
   Which point of the errata is broken in this run. */
#ifndef TESSERA_TESTS_ERRATA_BROKEN_H
#define TESSERA_TESTS_ERRATA_BROKEN_H

#include <stdlib.h>
#include <string.h>

static inline int broken(const char* point) {
  const char* wanted = getenv("TESSERA_BROKEN");
  return wanted != NULL && strcmp(wanted, point) == 0;
}

#endif
