/* SPDX-License-Identifier: BSD-3-Clause
   Names, info objects, memory: where implementations disagreed about what a call leaves behind. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* A name of `length` ends where it says, within its limit, and nothing lies behind its null. */
static void ends_properly(const char* name, int length, int limit) {
  CHECK(length > 0 && length < limit);
  CHECK_EQUAL(name[length], '\0');
  CHECK_EQUAL(strlen(name), (size_t)length);
}

static void names_at_first(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  (void)comm;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  ends_properly(name, length, MPI_MAX_OBJECT_NAME);
  MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
  CHECK(strcmp(name, "MPI_COMM_SELF") == 0);
  ends_properly(name, length, MPI_MAX_OBJECT_NAME);
}

static void names_end(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME], processor[MPI_MAX_PROCESSOR_NAME], longer[400];
  int length = -1;
  memset(name, 'x', sizeof name);
  memset(processor, 'x', sizeof processor);
  MPI_Get_processor_name(processor, &length);
  ends_properly(processor, length, MPI_MAX_PROCESSOR_NAME);
  MPI_Comm_get_name(comm, name, &length);
  CHECK(length == 0 && name[0] == '\0');
  memset(longer, 'y', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  MPI_Comm_set_name(comm, longer);
  MPI_Comm_get_name(comm, name, &length);
  CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
  ends_properly(name, length, MPI_MAX_OBJECT_NAME);
}

/* The value of a key, by both ways of asking. */
static void has(MPI_Info info, const char* key, const char* expected) {
  char value[32] = "";
  int length = sizeof value, flag = 0;
  MPI_Info_get_string(info, key, &length, value, &flag);
  CHECK(flag && strcmp(value, expected) == 0);
  MPI_Info_get_valuelen(info, key, &length, &flag);
  CHECK(flag && (size_t)length == strlen(expected));
  MPI_Info_get(info, key, sizeof value - 1, value, &flag);
  CHECK(flag && strcmp(value, expected) == 0);
}

static int keys_of(MPI_Info info) {
  int keys = -1;
  MPI_Info_get_nkeys(info, &keys);
  return keys;
}

static void unknown_keys_stay(MPI_Comm comm) {
  MPI_Info info, copy;
  char key[MPI_MAX_INFO_KEY];
  int seen = 0;
  (void)comm;
  MPI_Info_create(&info);
  MPI_Info_set(info, "nobody_knows_this", "1");
  MPI_Info_set(info, "nor this", "two words");
  MPI_Info_set(info, "cb_nodes", "not a number");
  MPI_Info_dup(info, &copy);
  MPI_Info_set(info, "nobody_knows_this", "another value");
  CHECK_EQUAL(keys_of(info), 3);
  has(info, "nobody_knows_this", "another value");
  has(info, "nor this", "two words");
  has(info, "cb_nodes", "not a number");
  has(copy, "nobody_knows_this", "1");
  for (int n = 0; n < 3; n++) {
    MPI_Info_get_nthkey(info, n, key);
    seen |= strcmp(key, "nobody_knows_this") == 0 ? 1 : strcmp(key, "nor this") == 0 ? 2 : 4;
  }
  CHECK_EQUAL(seen, 7);
  MPI_Info_delete(info, "nor this");
  CHECK_EQUAL(keys_of(info), 2);
  CHECK_EQUAL(keys_of(copy), 3);
  MPI_Info_free(&copy);
  MPI_Info_free(&info);
}

static void unknown_hints_are_ignored(MPI_Comm comm) {
  MPI_Info info;
  MPI_Comm made;
  MPI_Win win;
  void* memory = NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "nobody_knows_this", "1");
  CHECK_EQUAL(MPI_Comm_dup_with_info(comm, info, &made), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Comm_set_info(made, info), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Alloc_mem(64, info, &memory), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Win_create(memory, 64, 1, info, comm, &win), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Win_set_info(win, info), MPI_SUCCESS);
  CHECK_EQUAL(keys_of(info), 1);
  MPI_Win_free(&win);
  MPI_Free_mem(memory);
  MPI_Comm_free(&made);
  MPI_Info_free(&info);
}

static int heard = 0;
static void listener(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  heard = *code;
}

/* More than there is: a code, through the handler, and the pointer as it was. */
// Sanitizers end a program that asks for so much.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HAS_TOO_MUCH_MEMORY
static void too_much_memory(MPI_Comm comm) {
  MPI_Errhandler mine;
  int word = 0;
  void* memory = &word;
  (void)comm;
  MPI_Comm_create_errhandler(listener, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, mine);
  const int code = MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &memory);
  CHECK_CLASS(code, MPI_ERR_NO_MEM);
  CHECK_EQUAL(heard, code);
  CHECK(memory == &word);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&mine);
  CHECK_EQUAL(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory), MPI_SUCCESS);
  memset(memory, 1, 1 << 20);
  MPI_Free_mem(memory);
}
#endif

static const Case cases[] = {
    {"req errata 1.9", "the names that communicators have at first", ANY, names_at_first},
    {"req errata 2.35, 2.38", "names end with a null, within their limit", ANY, names_end},
    {"req errata 1.26, 1.27, 2.5", "an info object keeps what it is given", ANY, unknown_keys_stay},
    {"req errata 2.6", "unknown hints are ignored", ANY, unknown_hints_are_ignored},
#ifdef HAS_TOO_MUCH_MEMORY
    {"req errata 2.1", "memory that there is not", ANY, too_much_memory},
#endif
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
