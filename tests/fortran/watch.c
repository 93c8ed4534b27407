/* SPDX-License-Identifier: BSD-3-Clause */
/* The notes of one call: which function was called, how often, with which arguments. */
#include "watch.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kPlaces = 32, kLongest = 64 };

static char name[kLongest];
static int calls;
static long long values[kPlaces];
static char texts[kPlaces][kLongest];
int watched_answer = 0;

/* For watch.f90, whose interfaces they have. */
void watch_reset(int answer);
int watch_calls(void);
int watch_is_name(const char* should_be);
long long watch_value(int place);
long long watch_address(const void* start);
int watch_is_text(int place, const char* should_be);

void watched_call(const char* called) {
  snprintf(name, sizeof name, "%s", called);
  ++calls;
}

void watched_value(int place, long long value) {
  values[place] = value;
}

void watched_text(int place, const char* text) {
  snprintf(texts[place], kLongest, "%s", text);
}

void watch_reset(int answer) {
  memset(name, 0, sizeof name);
  memset(values, 0, sizeof values);
  memset(texts, 0, sizeof texts);
  calls = 0;
  watched_answer = answer;
}

int watch_calls(void) {
  return calls;
}

int watch_is_name(const char* should_be) {
  return strcmp(name, should_be) == 0;
}

long long watch_value(int place) {
  return values[place];
}

long long watch_address(const void* start) {
  return (long long)(intptr_t)start;
}

int watch_is_text(int place, const char* should_be) {
  return strcmp(texts[place], should_be) == 0;
}
