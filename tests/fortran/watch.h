/* SPDX-License-Identifier: BSD-3-Clause */
/* What the functions of watched.c, which stand before those of the MPI library, leave for
 * watch.f90. */
#pragma once

extern int watched_answer; /* the code that they return */

void watched_call(const char* name);
void watched_value(int place, long long value);
void watched_text(int place, const char* text);
