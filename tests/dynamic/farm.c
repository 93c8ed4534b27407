/* SPDX-License-Identifier: BSD-3-Clause */
/* Many rounds of spawn and disconnect leave nothing behind, here and in mpiexec. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "spawn.h"

struct size {
  long kib;         /* anonymous memory */
  long mappings;    /* pieces of the address space */
  long descriptors; /* all that are open */
  long tasks;       /* threads */
};

/* The sanitizers keep what was freed; LeakSanitizer tells what is lost. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { kAllowedKib = 1 << 20, kAllowedMappings = 1 << 16 };
#else
enum { kAllowedKib = 192, kAllowedMappings = 4 };
#endif
/* A process makes what wakes it, a socket and an epoll set, when it first sleeps. */
enum { kAllowedDescriptors = 2, kLooks = 10, kPatience = 2000 };

static FILE* open_fact(long pid, const char* name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
  FILE* file = fopen(path, "r");
  CHECK(file != NULL);
  return file;
}

static long entries(long pid, const char* folder) {
  char path[64];
  long count = 0;
  snprintf(path, sizeof path, "/proc/%ld/%s", pid, folder);
  DIR* all = opendir(path);
  CHECK(all != NULL);
  while (readdir(all) != NULL) ++count;
  closedir(all);
  return count;
}

static struct size size_of(long pid) {
  struct size size = {-1, 0, entries(pid, "fd"), entries(pid, "task")};
  char line[512];
  FILE* file = open_fact(pid, "status");
  while (fgets(line, sizeof line, file) != NULL) sscanf(line, "RssAnon: %ld", &size.kib);
  fclose(file);
  file = open_fact(pid, "maps");
  while (fgets(line, sizeof line, file) != NULL) size.mappings += strchr(line, '\n') != NULL;
  fclose(file);
  return size;
}

static void keep_least(struct size* least, long pid) {
  const struct size now = size_of(pid);
  if (now.kib < least->kib) least->kib = now.kib;
  if (now.mappings < least->mappings) least->mappings = now.mappings;
  if (now.descriptors < least->descriptors) least->descriptors = now.descriptors;
  if (now.tasks < least->tasks) least->tasks = now.tasks;
}

static int has_grown(const struct size* from, const struct size* to) {
  return to->kib > from->kib + kAllowedKib || to->mappings > from->mappings + kAllowedMappings ||
         to->descriptors > from->descriptors + kAllowedDescriptors || to->tasks > from->tasks;
}

static void show(FILE* to, const char* who, const struct size* size) {
  fprintf(to, "%s: %ld KiB, %ld mappings, %ld descriptors, %ld threads\n", who, size->kib,
          size->mappings, size->descriptors, size->tasks);
}

/* mpiexec may still be busy with the end of the last children. */
static void settle(const struct size* from, struct size* to, long pid) {
  for (int i = 0; i < kPatience && has_grown(from, to); ++i) {
    usleep(10000);
    keep_least(to, pid);
  }
}

/* The least of some rounds at the tenth part of them, at most the hundredth, against the last ones.
   req dynamic 2.25 */
void farm(int rounds) {
  const struct size huge = {1L << 40, 1L << 40, 1L << 40, 1L << 40};
  const long pids[2] = {getpid(), getppid()};
  const char* const names[2] = {"parent", "mpiexec"};
  struct size before[2] = {huge, huge}, after[2] = {huge, huge};
  const int early = rounds < 300 ? rounds / 3 : 100;
  for (int i = 1; i <= rounds; ++i) {
    exchange();
    for (int k = 0; k < 2; ++k) {
      if (i <= early && i > early - kLooks) keep_least(&before[k], pids[k]);
      if (i > rounds - kLooks) keep_least(&after[k], pids[k]);
    }
  }
  for (int k = 0; k < 2; ++k) {
    settle(&before[k], &after[k], pids[k]);
    const int grown = has_grown(&before[k], &after[k]);
    show(grown ? stderr : stdout, names[k], &before[k]);
    show(grown ? stderr : stdout, names[k], &after[k]);
    CHECK(!grown);
  }
}
