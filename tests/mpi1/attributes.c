/* SPDX-License-Identifier: BSD-3-Clause
   Attributes of communicators: keys, values, and when the callbacks of MPI-1 run. */
#include "case.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the callbacks were called with. */
static struct {
  int copies, deletes, keyval, refused, extra_is_right;
  MPI_Comm comm;
  void* value;
} seen;
static int extra; /* its address is the extra state */

static void forget(void) {
  memset(&seen, 0, sizeof seen);
}

static int copy(MPI_Comm comm, int keyval, void* extra_state, void* value_in, void* value_out,
                int* flag) {
  seen.copies++;
  seen.comm = comm;
  seen.keyval = keyval;
  seen.value = value_in;
  seen.extra_is_right = extra_state == &extra;
  *(void**)value_out = (char*)value_in + 1;
  *flag = 1;
  return seen.refused;
}

static int delete (MPI_Comm comm, int keyval, void* value, void* extra_state) {
  seen.deletes++;
  seen.comm = comm;
  seen.keyval = keyval;
  seen.value = value;
  seen.extra_is_right = extra_state == &extra;
  return seen.refused;
}

static int new_key(void) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Keyval_create(copy, delete, &keyval, &extra);
  forget();
  return keyval;
}

/* The value, or NULL where there is none. */
static void* value_of(MPI_Comm comm, int keyval) {
  void* value = NULL;
  int flag = -1;
  MPI_Attr_get(comm, keyval, &value, &flag);
  return flag == 1 ? value : NULL;
}

static char text[16] = "value";

static void any_communicator(MPI_Comm comm) {
  const int rank = rank_in(comm);
  int keyval = new_key();
  MPI_Comm later;
  MPI_Attr_put(comm, keyval, text);
  MPI_Attr_put(MPI_COMM_SELF, keyval, text + 3);
  MPI_Comm_split(comm, rank, 0, &later); /* made after the key */
  CHECK(value_of(later, keyval) == NULL);
  MPI_Attr_put(later, keyval, text + 5);
  CHECK(value_of(comm, keyval) == text);
  CHECK(value_of(MPI_COMM_SELF, keyval) == text + 3);
  CHECK(value_of(later, keyval) == text + 5);
  MPI_Comm_free(&later);
  MPI_Attr_delete(MPI_COMM_SELF, keyval);
  MPI_Attr_delete(comm, keyval);
  MPI_Keyval_free(&keyval);
}

static void local_keys(MPI_Comm comm) {
  int keys[8];
  const int mine = rank_in(comm) % 2 == 0 ? 8 : 0; /* only some processes create keys */
  for (int i = 0; i < mine; i++) {
    keys[i] = new_key();
    CHECK(keys[i] != MPI_KEYVAL_INVALID);
    for (int j = 0; j < i; j++) CHECK(keys[j] != keys[i]);
    MPI_Attr_put(comm, keys[i], text + i);
  }
  for (int i = 0; i < mine; i++) CHECK(value_of(comm, keys[i]) == text + i);
  for (int i = 0; i < mine; i++) {
    MPI_Attr_delete(comm, keys[i]);
    MPI_Keyval_free(&keys[i]);
    CHECK_EQUAL(keys[i], MPI_KEYVAL_INVALID);
  }
}

static void any_value(MPI_Comm comm) {
  int keyval, flag = 0;
  void* got = NULL;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(comm, keyval, (void*)comm); /* a handle */
  CHECK((MPI_Comm)value_of(comm, keyval) == comm);
  MPI_Attr_put(comm, keyval, (void*)(intptr_t)-5); /* a number */
  MPI_Attr_get(comm, keyval, &got, &flag);
  CHECK(flag == 1 && (intptr_t)got == -5);
  MPI_Attr_put(comm, keyval, NULL); /* set, although NULL */
  got = text;
  flag = 0;
  MPI_Attr_get(comm, keyval, &got, &flag);
  CHECK(flag == 1 && got == NULL);
  MPI_Attr_delete(comm, keyval);
  MPI_Keyval_free(&keyval);
}

static void put_again(MPI_Comm comm) {
  int keyval = new_key();
  MPI_Attr_put(comm, keyval, text);
  CHECK_EQUAL(seen.deletes, 0);
  MPI_Attr_put(comm, keyval, text + 1);
  CHECK(seen.deletes == 1 && seen.value == text && seen.comm == comm && seen.keyval == keyval &&
        seen.extra_is_right);
  CHECK(value_of(comm, keyval) == text + 1);
  returning(comm);
  seen.refused = MPI_ERR_OTHER;
  CHECK(MPI_Attr_put(comm, keyval, text + 2) != MPI_SUCCESS);
  CHECK(value_of(comm, keyval) == text + 1); /* the old value stays */
  forget();
  MPI_Attr_delete(comm, keyval);
  MPI_Keyval_free(&keyval);
}

static void get_unset(MPI_Comm comm) {
  int keyval = new_key(), flag = 1, gone = keyval;
  void* value = text;
  CHECK_EQUAL(MPI_Attr_get(comm, keyval, &value, &flag), MPI_SUCCESS);
  CHECK_EQUAL(flag, 0);
  returning(comm);
  MPI_Keyval_free(&keyval);
  CHECK(MPI_Attr_get(comm, MPI_KEYVAL_INVALID, &value, &flag) != MPI_SUCCESS);
  CHECK(MPI_Attr_get(comm, gone, &value, &flag) != MPI_SUCCESS);
  CHECK(MPI_Attr_put(comm, MPI_KEYVAL_INVALID, text) != MPI_SUCCESS);
}

static void delete_one(MPI_Comm comm) {
  int keyval = new_key();
  CHECK_EQUAL(MPI_Attr_delete(comm, keyval), MPI_SUCCESS); /* not set: nothing happens */
  CHECK_EQUAL(seen.deletes, 0);
  MPI_Attr_put(comm, keyval, text);
  returning(comm);
  seen.refused = MPI_ERR_OTHER;
  CHECK(MPI_Attr_delete(comm, keyval) != MPI_SUCCESS);
  CHECK(value_of(comm, keyval) == text);
  forget();
  CHECK_EQUAL(MPI_Attr_delete(comm, keyval), MPI_SUCCESS);
  CHECK(seen.deletes == 1 && seen.value == text && seen.comm == comm && seen.extra_is_right);
  CHECK(value_of(comm, keyval) == NULL);
  CHECK(MPI_Attr_delete(comm, MPI_KEYVAL_INVALID) != MPI_SUCCESS);
  MPI_Keyval_free(&keyval);
}

static void copies(MPI_Comm comm) {
  int copied = new_key(), unset = new_key(), dropped, same;
  MPI_Comm twin, part;
  MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &dropped, NULL);
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &same, NULL);
  MPI_Attr_put(comm, copied, text);
  MPI_Attr_put(comm, dropped, text);
  MPI_Attr_put(comm, same, text);
  MPI_Comm_dup(comm, &twin);
  CHECK(seen.copies == 1 && seen.value == text && seen.comm == comm && seen.keyval == copied &&
        seen.extra_is_right);
  CHECK(value_of(twin, copied) ==
        text + 1); /* what the callback wrote to the address that it was given */
  CHECK(value_of(twin, dropped) == NULL);
  CHECK(value_of(twin, same) == text);
  CHECK(value_of(twin, unset) == NULL);
  CHECK(value_of(comm, copied) == text);
  forget();
  MPI_Comm_split(comm, 0, 0, &part);
  CHECK_EQUAL(seen.copies, 0);
  CHECK(value_of(part, copied) == NULL && value_of(part, same) == NULL);
  MPI_Comm_free(&part);
  CHECK_EQUAL(seen.deletes, 0);
  MPI_Comm_free(&twin);
  CHECK(seen.deletes == 1 && seen.value == text + 1);
  MPI_Attr_delete(comm, copied);
  MPI_Keyval_free(&copied);
  MPI_Keyval_free(&unset);
  MPI_Keyval_free(&dropped);
  MPI_Keyval_free(&same);
}

static void failing_copy(MPI_Comm comm) {
  int first = new_key(), second;
  MPI_Comm twin = MPI_COMM_NULL, inner;
  MPI_Comm_dup(comm, &inner);
  returning(inner);
  MPI_Keyval_create(MPI_DUP_FN, delete, &second, &extra);
  MPI_Attr_put(inner, second, text + 4);
  MPI_Attr_put(inner, first, text);
  seen.refused = MPI_ERR_OTHER;
  CHECK(MPI_Comm_dup(inner, &twin) != MPI_SUCCESS);
  CHECK_EQUAL(seen.copies, 1);
  CHECK(twin == MPI_COMM_NULL);
  CHECK(value_of(inner, first) == text && value_of(inner, second) == text + 4);
  forget();
  CHECK_EQUAL(MPI_Comm_dup(inner, &twin), MPI_SUCCESS); /* and it works again */
  MPI_Comm_free(&twin);
  MPI_Comm_free(&inner);
  CHECK_EQUAL(seen.deletes, 4);
  MPI_Keyval_free(&first);
  MPI_Keyval_free(&second);
}

static void failing_delete(MPI_Comm comm) {
  int keyval = new_key();
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  returning(twin);
  MPI_Attr_put(twin, keyval, text);
  seen.refused = MPI_ERR_OTHER;
  CHECK(MPI_Comm_free(&twin) != MPI_SUCCESS);
  CHECK_EQUAL(seen.deletes, 1);
  forget();
  if (twin != MPI_COMM_NULL) MPI_Comm_free(&twin);
  MPI_Keyval_free(&keyval);
}

static void when_they_run(MPI_Comm comm) {
  int keyval = new_key(), number = rank_in(comm), sum = 0;
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  MPI_Attr_put(twin, keyval, text);
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, twin);
  CHECK_EQUAL(seen.copies + seen.deletes, 0);
  MPI_Comm_free(&twin);
  CHECK_EQUAL(seen.deletes, 1); /* before MPI_Comm_free returned */
  MPI_Barrier(comm);
  CHECK_EQUAL(seen.deletes, 1);
  MPI_Keyval_free(&keyval);
}

static int inner_key;

/* Deletes another attribute, duplicates and frees a communicator: all while MPI_Comm_free is going
 * on. */
static int busy_delete(MPI_Comm comm, int keyval, void* value, void* extra_state) {
  int number = 1, sum = 0, size = 0;
  MPI_Comm cached = (MPI_Comm)value, twin;
  (void)keyval, (void)extra_state;
  MPI_Comm_size(cached, &size);
  MPI_Comm_dup(cached, &twin);
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, twin);
  CHECK_EQUAL(sum, size);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&cached);
  MPI_Attr_delete(comm, inner_key);
  return MPI_SUCCESS;
}

static void callbacks_call(MPI_Comm comm) {
  int keyval;
  MPI_Comm outer, cached;
  inner_key = new_key();
  MPI_Keyval_create(MPI_NULL_COPY_FN, busy_delete, &keyval, NULL);
  MPI_Comm_dup(comm, &outer);
  MPI_Comm_dup(comm, &cached);
  MPI_Attr_put(outer, inner_key, text);
  MPI_Attr_put(outer, keyval, (void*)cached);
  MPI_Comm_free(&outer);
  CHECK_EQUAL(seen.deletes, 1); /* once, whoever came first */
  MPI_Keyval_free(&keyval);
  MPI_Keyval_free(&inner_key);
}

static void free_key_in_use(MPI_Comm comm) {
  int keyval = new_key();
  MPI_Comm twin, other;
  MPI_Comm_dup(comm, &other);
  MPI_Attr_put(other, keyval, text);
  MPI_Keyval_free(&keyval);
  CHECK_EQUAL(keyval, MPI_KEYVAL_INVALID);
  CHECK_EQUAL(seen.deletes, 0);
  MPI_Comm_dup(other, &twin);
  CHECK_EQUAL(seen.copies, 1);
  MPI_Comm_free(&twin);
  CHECK_EQUAL(seen.deletes, 1);
  MPI_Comm_free(&other);
  CHECK_EQUAL(seen.deletes, 2);
}

static void predefined_keys(MPI_Comm comm) {
  const int keys[4] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL};
  (void)comm;
  returning(MPI_COMM_WORLD);
  returning(MPI_COMM_SELF);
  for (int i = 0; i < 4; i++) {
    int key = keys[i], number = 12;
    int* before = value_of(MPI_COMM_WORLD, key);
    const int old = before != NULL ? *before : 0;
    CHECK(MPI_Attr_put(MPI_COMM_WORLD, key, &number) != MPI_SUCCESS);
    CHECK(MPI_Attr_delete(MPI_COMM_WORLD, key) != MPI_SUCCESS);
    CHECK(MPI_Keyval_free(&key) != MPI_SUCCESS);
    CHECK_EQUAL(key, keys[i]);
    int* after = value_of(MPI_COMM_WORLD, key);
    CHECK(after != NULL && *after == old);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* A library's private communicator, made at its first call and kept as an attribute of the
 * caller's. */
static int library_key = MPI_KEYVAL_INVALID;
static int freed;

static int free_private(MPI_Comm comm, int keyval, void* value, void* extra_state) {
  MPI_Comm kept = (MPI_Comm)value;
  (void)comm, (void)keyval, (void)extra_state;
  freed++;
  return MPI_Comm_free(&kept);
}

static MPI_Comm private_comm(MPI_Comm comm) {
  MPI_Comm made;
  void* value = NULL;
  int flag = 0;
  if (library_key == MPI_KEYVAL_INVALID)
    MPI_Keyval_create(MPI_NULL_COPY_FN, free_private, &library_key, NULL);
  MPI_Attr_get(comm, library_key, &value, &flag);
  if (flag) return (MPI_Comm)value;
  MPI_Comm_dup(comm, &made);
  MPI_Attr_put(comm, library_key, (void*)made);
  return made;
}

static void cached_communicator(MPI_Comm comm) {
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  freed = 0;
  const MPI_Comm first = private_comm(twin), second = private_comm(twin),
                 other = private_comm(comm);
  CHECK(first == second && first != other && first != twin);
  int result = -1;
  MPI_Comm_compare(first, twin, &result);
  CHECK_EQUAL(result, MPI_CONGRUENT);
  MPI_Comm_free(&twin);
  CHECK_EQUAL(freed, 1);
  MPI_Attr_delete(comm, library_key);
  CHECK_EQUAL(freed, 2);
  MPI_Keyval_free(&library_key);
}

static const Case cases[] = {
    {"req 5.3.23", "a key serves every communicator, present and future", ANY, any_communicator},
    {"req 5.3.23, req 5.3.24, req 1.2.16",
     "keys are made by each process for itself and are never invalid", ANY, local_keys},
    {"req 5.3.25", "a value holds a handle, a number, or NULL", ANY, any_value},
    {"req 5.3.26, req 5.3.30, req 5.3.31",
     "a second value deletes the first, unless the callback refuses", ANY, put_again},
    {"req 5.3.27", "an attribute that is not set is no error, an unknown key is", ANY, get_unset},
    {"req 5.3.28, req 5.3.31", "deleting calls back, with the value and the extra state", ANY,
     delete_one},
    {"req 5.3.29, req 5.3.31, req 5.3.17",
     "attributes are copied by MPI_Comm_dup alone, as the callbacks say", ANY, copies},
    {"req 5.3.29", "a copy callback that fails makes MPI_Comm_dup fail", ANY, failing_copy},
    {"req 5.3.30", "a delete callback that fails makes MPI_Comm_free fail", ANY, failing_delete},
    {"req 5.3.30, req 5.3.32, req 5.3.21", "delete callbacks run inside MPI_Comm_free", ANY,
     when_they_run},
    {"req 5.3.33", "callbacks may call MPI, collectives included", ANY, callbacks_call},
    {"req 5.3.34", "a key that is freed while in use keeps its callbacks", ANY, free_key_in_use},
    {"req 5.3.36, req 7.3.1, req 1.2.7", "predefined attributes and keys cannot be changed", ANY,
     predefined_keys},
    {"ex 5.12", "a duplicate kept as an attribute is made once and freed with its communicator",
     ANY, cached_communicator},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
