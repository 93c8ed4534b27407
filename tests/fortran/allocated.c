/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the heap is in use, as the C library counts; a sanitizer's own heap is not in it. */
#include <malloc.h>

size_t allocated_bytes(void);

size_t allocated_bytes(void) {
  return mallinfo2().uordblks;
}
