// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators: when callbacks run, in which order, and what their failure does.
#include <string>

#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // some of the names are those of MPI-1

namespace {

std::string log_text;  // what the callbacks did
int refuse = -1;       // the attribute whose callbacks fail
int failure = MPI_ERR_OTHER;

char letter(void* value) {
  return *static_cast<char*>(value);
}

// The first character of the value names the attribute; a copy gets the same value.
int copy(MPI_Comm, int keyval, void* extra, void* in, void* out, int* flag) {
  log_text += std::string("c") + letter(in) + letter(extra);
  if (keyval == refuse) return failure;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int destroy(MPI_Comm, int keyval, void* value, void* extra) {
  log_text += std::string("d") + letter(value) + letter(extra);
  return keyval == refuse ? failure : MPI_SUCCESS;
}

std::string taken() {
  std::string text;
  text.swap(log_text);
  return text;
}

char a[] = "a", b[] = "b", c[] = "c", x[] = "x", y[] = "y";

const char* value_of(MPI_Comm comm, int keyval) {
  void* value = nullptr;
  int flag = -1;
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  return flag == 1 ? static_cast<const char*>(value) : "";
}

void test_order() {
  int first, second, kept, dropped;
  MPI_Comm_create_keyval(copy, destroy, &first, x);
  MPI_Comm_create_keyval(copy, destroy, &second, y);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &kept, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy, &dropped, x);
  MPI_Comm comm, twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(std::string(value_of(comm, first)).empty());
  MPI_Comm_set_attr(comm, first, a);
  MPI_Comm_set_attr(comm, second, b);
  MPI_Comm_set_attr(comm, kept, c);
  MPI_Comm_set_attr(comm, dropped, c);
  CHECK(value_of(comm, first) == a && value_of(comm, second) == b);
  MPI_Comm_set_attr(comm, first, c);  // replacing deletes the old value
  CHECK(taken() == "dax");
  MPI_Comm_set_attr(comm, first, a);
  CHECK(taken() == "dcx");
  MPI_Comm_dup(comm, &twin);
  CHECK(taken() == "caxcby");
  CHECK(value_of(twin, first) == a && value_of(twin, kept) == c &&
        std::string(value_of(twin, dropped)).empty());
  const int number = first;
  MPI_Comm_free_keyval(&first);  // what is set stays set
  CHECK(first == MPI_KEYVAL_INVALID && taken().empty());
  CHECK(class_of(MPI_Comm_set_attr(comm, number, a)) == MPI_ERR_KEYVAL);
  MPI_Comm_delete_attr(twin, second);
  CHECK(taken() == "dby");
  MPI_Comm_free(&twin);
  CHECK(taken() == "dax");
  MPI_Comm_free(&comm);
  CHECK(taken() == "dcxdbydax");
  for (int* keyval : {&second, &kept, &dropped}) MPI_Comm_free_keyval(keyval);
}

// A key that was freed while it is in use still deletes attributes, by a copy of its number.
void test_delete_by_freed_key() {
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, destroy, &keyval, x);
  MPI_Comm comm, twin;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_attr(comm, keyval, a);
  MPI_Comm_dup(comm, &twin);
  const int number = keyval;
  MPI_Comm_free_keyval(&keyval);
  CHECK(MPI_Comm_delete_attr(comm, number) == MPI_SUCCESS && taken() == "dax");
  CHECK(MPI_Attr_delete(twin, number) == MPI_SUCCESS && taken() == "dax");
  // Now there is no such attribute any more.
  CHECK(class_of(MPI_Comm_delete_attr(comm, number)) == MPI_ERR_KEYVAL);
  CHECK(class_of(MPI_Comm_delete_attr(comm, MPI_KEYVAL_INVALID)) == MPI_ERR_KEYVAL);
  CHECK(class_of(MPI_Comm_set_attr(comm, number, a)) == MPI_ERR_KEYVAL && taken().empty());
  MPI_Comm_free(&comm);
  MPI_Comm_free(&twin);
  CHECK(taken().empty());
}

void test_failures() {
  int keyval, code;
  MPI_Comm_create_keyval(copy, destroy, &keyval, x);
  MPI_Add_error_code(MPI_ERR_IO, &code);
  MPI_Comm comm, twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_attr(comm, keyval, a);
  refuse = keyval;
  failure = code;
  CHECK(MPI_Comm_dup(comm, &twin) == code && twin == MPI_COMM_NULL);
  CHECK(MPI_Comm_set_attr(comm, keyval, b) == code && value_of(comm, keyval) == a);
  CHECK(MPI_Comm_delete_attr(comm, keyval) == code && value_of(comm, keyval) == a);
  CHECK(MPI_Comm_free(&comm) == code && comm != MPI_COMM_NULL);
  failure = 987'654;  // no error code
  CHECK(class_of(MPI_Comm_delete_attr(comm, keyval)) == MPI_ERR_OTHER);
  refuse = -1;
  taken();
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS && taken() == "dax");
  MPI_Comm_free_keyval(&keyval);
}

void test_mpi1_names() {
  int keyval;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm comm, twin;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Attr_put(comm, keyval, a);
  MPI_Comm_dup(comm, &twin);
  void* value = nullptr;
  int flag = 0;
  MPI_Attr_get(twin, keyval, &value, &flag);
  CHECK(flag == 1 && value == a);
  MPI_Attr_delete(twin, keyval);
  MPI_Attr_get(twin, keyval, &value, &flag);
  CHECK(flag == 0);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&twin);
  MPI_Keyval_free(&keyval);
  CHECK(keyval == MPI_KEYVAL_INVALID);
}

int predefined(int keyval) {
  void* value = nullptr;
  int flag = 0;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag) == MPI_SUCCESS && flag == 1);
  return flag == 1 ? *static_cast<int*>(value) : -1;
}

void test_predefined() {
  CHECK(predefined(MPI_TAG_UB) >= 32'767);
  CHECK(predefined(MPI_IO) == MPI_ANY_SOURCE && predefined(MPI_HOST) == MPI_PROC_NULL);
  CHECK(predefined(MPI_WTIME_IS_GLOBAL) == 1 && predefined(MPI_APPNUM) == 0);
  CHECK(predefined(MPI_UNIVERSE_SIZE) >= size_of(MPI_COMM_WORLD));
  const int before = predefined(MPI_LASTUSEDCODE);
  int added;
  MPI_Add_error_class(&added);
  CHECK(predefined(MPI_LASTUSEDCODE) > before);
  CHECK(class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, a)) == MPI_ERR_KEYVAL);
  CHECK(class_of(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID)) == MPI_ERR_KEYVAL);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  test_order();
  test_delete_by_freed_key();
  test_failures();
  test_mpi1_names();
  test_predefined();
  // Those of MPI_COMM_SELF go first in MPI_Finalize, the last one set before the others.
  int keyval, other;
  MPI_Comm_create_keyval(copy, destroy, &keyval, x);
  MPI_Comm_create_keyval(copy, destroy, &other, y);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, a);
  MPI_Comm_set_attr(MPI_COMM_SELF, other, b);
  const int code = finish();
  return code == 0 && taken() == "dbydax" ? 0 : 1;
}
