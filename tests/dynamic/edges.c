/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of errors, attributes, info and the tool interface: before MPI_Init, while MPI runs, after
   MPI_Finalize, and in a child of fork. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* req dynamic 10.4 */
static void errors_have_texts(void) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  CHECK(class_of(MPI_ERR_TAG) == MPI_ERR_TAG);
  CHECK(MPI_Error_string(MPI_ERR_TAG, text, &length) == MPI_SUCCESS);
  CHECK(length > 0 && length == (int)strlen(text));
}

static int has(MPI_Info info, const char* key, const char* wanted) {
  char value[256];
  int room = sizeof value, flag = 0;
  CHECK(MPI_Info_get_string(info, key, &room, value, &flag) == MPI_SUCCESS);
  return flag && (wanted == NULL || strcmp(value, wanted) == 0);
}

/* req dynamic 10.16 */
static void info_of_the_start(void) {
  char *words[] = {(char*)"solver", (char*)"--fast", NULL}, **argv = words;
  MPI_Info made = MPI_INFO_NULL;
  CHECK(has(MPI_INFO_ENV, "command", NULL) && has(MPI_INFO_ENV, "mpi_memory_alloc_kinds", NULL));
  CHECK(MPI_Info_create_env(2, argv, &made) == MPI_SUCCESS);
  CHECK(has(made, "command", "solver") && has(made, "argv", "--fast"));
  CHECK(MPI_Info_free(&made) == MPI_SUCCESS && made == MPI_INFO_NULL);
}

/* req dynamic 10.2 */
static void removed_codes(void) {
  int error_class = 0, code = 0;
  CHECK(MPI_Add_error_class(&error_class) == MPI_SUCCESS);
  CHECK(MPI_Add_error_code(error_class, &code) == MPI_SUCCESS);
  CHECK(MPI_Add_error_string(code, "") == MPI_SUCCESS);
  CHECK(MPI_Remove_error_string(code) == MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) == MPI_SUCCESS);
  CHECK(class_of(MPI_Add_error_string(code, "late")) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Remove_error_code(code)) == MPI_ERR_ARG);
  CHECK(MPI_Remove_error_class(error_class) == MPI_SUCCESS);
  CHECK(class_of(MPI_Remove_error_class(error_class)) == MPI_ERR_ARG);
}

static int world_attribute(int key) {
  int *value = NULL, flag = 0;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag) == MPI_SUCCESS);
  CHECK(flag);
  return *value;
}

/* req dynamic 2.28 req dynamic 10.3 */
static void attributes(void) {
  int added = 0;
  CHECK(world_attribute(MPI_TAG_UB) >= 32767);
  CHECK(world_attribute(MPI_UNIVERSE_SIZE) >= 1);
  CHECK(world_attribute(MPI_LASTUSEDCODE) >= MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_class(&added) == MPI_SUCCESS);
  CHECK(world_attribute(MPI_LASTUSEDCODE) >= added);
  CHECK(MPI_Remove_error_class(added) == MPI_SUCCESS);
}

static int calls_of_self, calls_of_world;

static void of_self(MPI_Comm* comm, int* code, ...) {
  calls_of_self += *comm == MPI_COMM_SELF && class_of(*code) == MPI_ERR_TYPE;
}

static void of_world(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++calls_of_world;
}

/* req dynamic 10.5 */
static void errors_without_object(void) {
  MPI_Errhandler self, world;
  MPI_Datatype none = MPI_DATATYPE_NULL;
  MPI_Comm_create_errhandler(of_self, &self);
  MPI_Comm_create_errhandler(of_world, &world);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  CHECK(class_of(MPI_Type_commit(&none)) == MPI_ERR_TYPE);
  CHECK(calls_of_self == 1 && calls_of_world == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&self);
  MPI_Errhandler_free(&world);
}

/* req dynamic 10.13 */
static void kinds_of_memory(void) {
  MPI_Comm copy;
  MPI_Info wish, used;
  MPI_Info_create(&wish);
  MPI_Info_set(wish, "mpi_assert_memory_alloc_kinds", "MPI:alloc_mem,nobody:knows,system");
  MPI_Comm_dup_with_info(MPI_COMM_SELF, wish, &copy);
  MPI_Comm_get_info(copy, &used);
  CHECK(has(used, "mpi_memory_alloc_kinds", "MPI:alloc_mem,system"));
  MPI_Info_free(&used);
  MPI_Info_free(&wish);
  MPI_Comm_free(&copy);
}

/* The second process hears of the first one's end of its session before it ends its own.
   req dynamic 10.11 */
static void ends_of_sessions(void) {
  MPI_Session session;
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  if (rank == 1) MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS && session == MPI_SESSION_NULL);
  if (rank == 0 && size > 1) MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

static int reads_variables(void) {
  int provided = 0, controls = 0, counters = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 0;
  MPI_T_cvar_get_num(&controls);
  MPI_T_pvar_get_num(&counters);
  for (int i = 0; i < controls; ++i) {
    char name[256];
    int room = sizeof name;
    if (MPI_T_cvar_get_info(i, name, &room, NULL, NULL, NULL, NULL, NULL, NULL, NULL) !=
        MPI_SUCCESS)
      return 0;
  }
  return MPI_T_finalize() == MPI_SUCCESS && controls > 0 && counters > 0;
}

/* req dynamic 5.18 */
static void forked(void) {
  int provided = 0, status = -1;
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  const pid_t child = fork();
  if (child == 0) _exit(reads_variables() ? 0 : 1);
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(reads_variables());
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  errors_have_texts();
  info_of_the_start();
  forked();
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  removed_codes();
  attributes();
  errors_without_object();
  kinds_of_memory();
  ends_of_sessions();
  forked();
  MPI_Finalize();
  errors_have_texts();
  info_of_the_start();
  forked();
  return 0;
}
