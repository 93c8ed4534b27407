// SPDX-License-Identifier: BSD-3-Clause
// The tool interface without traffic: life cycle, listing, texts, enumerations, wrong arguments.
#include <dlfcn.h>
#include <link.h>

#include <set>
#include <thread>

#include "tool.h"

namespace {

int loaded_components() {
  int count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        const std::string name = object->dlpi_name;
        if (name.find("/tessera_") != std::string::npos) ++*static_cast<int*>(data);
        return 0;
      },
      &count);
  return count;
}

// req dynamic 5.2
void before_everything() {
  int number = -1;
  CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_pvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_category_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_event_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_source_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(-7, &number) == MPI_T_ERR_INVALID);
  CHECK(number == -1);
}

// Each variable once, with types that are allowed; nothing is loaded. req dynamic 5.9, 5.10, 5.14
// req dynamic 5.16, 6.1, 6.2, 6.8, 6.11, 6.12
void list_controls() {
  const int before = loaded_components();
  int count = 0;
  CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS);
  CHECK(count > 100);
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) {
    char name[256], help[4096];
    int name_length = sizeof name, help_length = sizeof help;
    int verbosity = 0, binding = 0, scope = 0, index = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    CHECK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, help, &help_length,
                              &binding, &scope) == MPI_SUCCESS);
    CHECK(name_length == static_cast<int>(std::strlen(name)) + 1);
    CHECK(names.insert(name).second);
    CHECK(help_length > 8);
    CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
    CHECK(type == MPI_INT || type == MPI_COUNT || type == MPI_UNSIGNED_LONG_LONG ||
          type == MPI_DOUBLE || type == MPI_CHAR);
    CHECK((values != MPI_T_ENUM_NULL) == (type == MPI_INT));
    CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
    CHECK(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index == i);
    const bool of_comm = binding == MPI_T_BIND_MPI_COMM;
    CHECK(of_comm == (std::string(name).find(".comm") != std::string::npos));
    CHECK(of_comm || binding == MPI_T_BIND_NO_OBJECT);
    if (of_comm) continue;
    const Control control(name);
    CHECK(type == MPI_CHAR ? control.count() >= 4096 : control.count() == 1);
    // A number needs room for itself, whatever its type.
    if (type == MPI_CHAR)
      static_cast<void>(control.text());
    else
      static_cast<void>(control.read<MPI_Count>());
  }
  CHECK(names.contains("btl_tcp_if_include"));
  CHECK(names.contains("coll_basic_bcast_algorithm.comm"));
  CHECK(loaded_components() == before);
}

// req dynamic 5.11, 5.12, 5.13
void enumerations() {
  int index = -1, count = 0;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  CHECK(MPI_T_cvar_get_index("core_wait", &index) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr, &values, nullptr, nullptr,
                            nullptr, nullptr) == MPI_SUCCESS);
  char name[64];
  int length = sizeof name;
  CHECK(MPI_T_enum_get_info(values, &count, name, &length) == MPI_SUCCESS);
  CHECK(count == 3 && std::string(name) == "core_wait");
  const char* const words[] = {"adaptive", "spin", "sleep"};
  for (int i = 0; i < count; ++i) {
    int value = -1;
    length = sizeof name;
    CHECK(MPI_T_enum_get_item(values, i, &value, name, &length) == MPI_SUCCESS);
    CHECK(std::string(name) == words[i] && value == i);
  }
  CHECK(MPI_T_enum_get_item(values, count, nullptr, nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &count, nullptr, nullptr) == MPI_T_ERR_INVALID_HANDLE);
}

// req dynamic 5.7, 5.8
void texts() {
  int index = -1, length = 0;
  CHECK(MPI_T_cvar_get_index("mpi_argument_check", &index) == MPI_SUCCESS);
  const auto name = [&](char* room, int* size) {
    return MPI_T_cvar_get_info(index, room, size, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr);
  };
  char room[64] = "untouched";
  CHECK(name(room, &length) == MPI_SUCCESS && length == 19);
  CHECK(std::string(room) == "untouched");
  CHECK(name(room, nullptr) == MPI_SUCCESS && std::string(room) == "untouched");
  length = 7;
  CHECK(name(nullptr, &length) == MPI_SUCCESS && length == 19);
  length = 1;
  CHECK(name(room, &length) == MPI_SUCCESS && length == 19 && room[0] == '\0');
  length = 4;
  CHECK(name(room, &length) == MPI_SUCCESS && length == 19 && std::string(room) == "mpi");
  CHECK(name(room, &length) == MPI_SUCCESS && std::string(room) == "mpi_argument_check");
}

// req dynamic 5.4, 8.2
void wrong_arguments() {
  int number = -1;
  for (const int index : {-1, 1 << 20}) {
    CHECK(MPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr, nullptr, nullptr, nullptr,
                              nullptr) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_cvars(index, 1, &number) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_pvars(index, 1, &number) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_events(index, 1, &number) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_categories(index, 1, &number) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_num_events(index, &number) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_event_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_source_get_info(index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);
    MPI_Count ticks = 0;
    CHECK(MPI_T_source_get_timestamp(index, &ticks) == MPI_T_ERR_INVALID_INDEX);
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    CHECK(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &number) == MPI_T_ERR_INVALID_INDEX);
    MPI_T_event_registration event{};
    CHECK(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &event) ==
          MPI_T_ERR_INVALID_INDEX);
  }
  CHECK(MPI_T_cvar_get_index("no_such_thing", &number) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_pvar_get_index("core_sleeps", 99, &number) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_pvar_get_index("core_sleeps", MPI_T_PVAR_CLASS_LEVEL, &number) ==
        MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_category_get_index("no_such_thing", &number) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_event_get_index("no_such_thing", &number) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_cvar_get_num(nullptr) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_get_index(nullptr, &number) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_free(nullptr) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_session_free(nullptr) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_start(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_ALL_HANDLES) ==
        MPI_T_ERR_INVALID_SESSION);
  CHECK(number == -1);
}

// req dynamic 6.3
void handles() {
  int index = -1, count = 0;
  CHECK(MPI_T_cvar_get_index("core_yield_time", &index) == MPI_SUCCESS);
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  CHECK(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS && count == 1);
  MPI_T_cvar_handle copy = handle;
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL);
  CHECK(MPI_T_cvar_handle_free(&copy) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_T_ERR_INVALID_HANDLE);
}

// Every item in the category of its framework or component; no circles. req dynamic 8.1, 8.2, 8.3
// req dynamic 8.4
void categories() {
  int count = 0, stamp = -1, controls = 0, variables = 0, all_controls = 0, all_variables = 0;
  CHECK(MPI_T_category_changed(&stamp) == MPI_SUCCESS);
  CHECK(MPI_T_category_get_num(&count) == MPI_SUCCESS);
  std::set<int> below;
  for (int i = 0; i < count; ++i) {
    char name[128], text[256];
    int name_length = sizeof name, text_length = sizeof text, c = 0, p = 0, more = 0, index = -1;
    CHECK(MPI_T_category_get_info(i, name, &name_length, text, &text_length, &c, &p, &more) ==
          MPI_SUCCESS);
    CHECK(MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i);
    controls += c;
    variables += p;
    std::vector<int> list(static_cast<std::size_t>(more) + 1, -1);
    CHECK(MPI_T_category_get_categories(i, more, list.data()) == MPI_SUCCESS);
    for (int j = 0; j < more; ++j) CHECK(below.insert(list[static_cast<std::size_t>(j)]).second);
    CHECK(list.back() == -1);
    CHECK(MPI_T_category_get_cvars(i, 0, nullptr) == MPI_SUCCESS);
  }
  MPI_T_cvar_get_num(&all_controls);
  MPI_T_pvar_get_num(&all_variables);
  CHECK(controls == all_controls && variables == all_variables);
  int btl = -1, tcp = -1;
  CHECK(MPI_T_category_get_index("btl", &btl) == MPI_SUCCESS && !below.contains(btl));
  CHECK(MPI_T_category_get_index("btl_tcp", &tcp) == MPI_SUCCESS && below.contains(tcp));
  int again = -1;
  CHECK(MPI_T_category_changed(&again) == MPI_SUCCESS && again == stamp);
}

// What nobody counts is 0 and loads nothing. req dynamic 7.1, 7.2, 7.3, 7.10, 7.12, 5.15
void list_variables() {
  const int before = loaded_components();
  int count = 0;
  CHECK(MPI_T_pvar_get_num(&count) == MPI_SUCCESS);
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    char name[128];
    int length = sizeof name, var_class = 0, binding = 0, readonly = -1, continuous = -1, index = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(MPI_T_pvar_get_info(i, name, &length, nullptr, &var_class, &type, nullptr, nullptr,
                              nullptr, &binding, &readonly, &continuous, nullptr) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index(name, var_class, &index) == MPI_SUCCESS && index == i);
    if (var_class == MPI_T_PVAR_CLASS_STATE) CHECK(type == MPI_INT);
    if (var_class == MPI_T_PVAR_CLASS_PERCENTAGE) CHECK(type == MPI_DOUBLE);
    if (var_class == MPI_T_PVAR_CLASS_COUNTER) CHECK(type == MPI_UNSIGNED_LONG_LONG);
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int elements = 0;
    MPI_Comm nobody = MPI_COMM_NULL;
    const int code = MPI_T_pvar_handle_alloc(session, i, &nobody, &handle, &elements);
    CHECK(code == (binding == MPI_T_BIND_MPI_COMM ? MPI_T_ERR_INVALID : MPI_SUCCESS));
    if (code != MPI_SUCCESS) continue;
    unsigned long long value = ~0ull;
    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    CHECK(type == MPI_INT ? static_cast<unsigned>(value) == 0 : value == 0);
    CHECK(MPI_T_pvar_start(session, handle) ==
          (continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS));
    CHECK(MPI_T_pvar_write(session, handle, &value) ==
          (readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS));
  }
  CHECK(loaded_components() == before);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
}

// req dynamic 5.5
void codes_have_texts() {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, error_class = -1;
  CHECK(MPI_Error_string(MPI_T_ERR_CVAR_SET_NEVER, text, &length) == MPI_SUCCESS && length > 10);
  CHECK(MPI_Error_class(MPI_T_ERR_PVAR_NO_ATOMIC, &error_class) == MPI_SUCCESS);
  CHECK(error_class == MPI_T_ERR_PVAR_NO_ATOMIC);
}

// req dynamic 5.6
void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([] {
      for (int round = 0; round < 50; ++round) {
        CHECK(start_tools() == MPI_SUCCESS);
        const Counter counter("core_sleeps", MPI_T_PVAR_CLASS_COUNTER);
        static_cast<void>(counter.value());
        static_cast<void>(Control("core_wait").read<int>());
        CHECK(MPI_T_finalize() == MPI_SUCCESS);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

// As a tool does that is loaded before the program. req dynamic 5.17
[[gnu::constructor]] void early() {
  int provided = -1;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) ++failures;
  if (MPI_T_finalize() != MPI_SUCCESS) ++failures;
}

}  // namespace

// req dynamic 5.1, 5.3
int main() {
  before_everything();
  int provided = -1;
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
  list_controls();
  list_variables();
  enumerations();
  texts();
  wrong_arguments();
  handles();
  categories();
  codes_have_texts();
  threads();
  CHECK(start_tools() == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  CHECK(provided == MPI_THREAD_FUNNELED);
  list_controls();
  categories();
  threads();
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  MPI_Query_thread(&provided);
  CHECK(provided == MPI_THREAD_FUNNELED);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  CHECK(start_tools() == MPI_SUCCESS);
  MPI_Finalize();
  int number = 0;
  CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS && number > 100);
  CHECK(Counter("core_collectives", MPI_T_PVAR_CLASS_COUNTER).value() == 0);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  CHECK(start_tools() == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return failures == 0 ? 0 : 1;
}
