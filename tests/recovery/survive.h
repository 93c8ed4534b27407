/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of survive.c, in two files: a case is one round, and returns its error code. */
#pragma once

#include <stddef.h>

enum { kMost = 1 << 20, kRounds = 3, kTag = 77 /* of go_on() */ };

extern int rank, size, victim, bytes;
extern char *out, *in; /* of kMost bytes each */

struct Case {
  const char* name;
  int (*run)(void);
};

int send_recv(void);
int barrier(void);

extern const struct Case later_cases[];
extern const size_t later_case_count;
void prepare_for(const char* name); /* what such a case needs before anybody dies */
