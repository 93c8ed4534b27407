// SPDX-License-Identifier: BSD-3-Clause
// Preloaded: allocation number ALLOCATION_FAILS after count_allocations() fails, and that one
// alone. At its end the process says on descriptor ALLOCATIONS_TO how many there were up to
// mark_allocations().
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);

static long allocations, marked, failing;
static int counting;

static long number(const char* name) {
  const char* text = getenv(name);
  return text != NULL ? atol(text) : 0;
}

void count_allocations(void) {
  failing = number("ALLOCATION_FAILS");
  counting = 1;
}

void mark_allocations(void) {
  marked = allocations;
}

static int fails(void) {
  if (!counting || ++allocations != failing) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void report(void) {
  const long descriptor = number("ALLOCATIONS_TO");
  if (descriptor > 0) dprintf((int)descriptor, "%ld\n", marked);
}
