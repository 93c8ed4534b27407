// SPDX-License-Identifier: BSD-3-Clause
// Events: what is raised, who is called, what is lost, and the end.
#include "tool.h"

namespace {

struct Seen {
  int calls = 0;
  int freed = 0;
  MPI_Count dropped = 0;
  MPI_Count source = -1, tag = -1, bytes = -1, time = 0;
  int transport = -1;
  MPI_T_cb_safety safety = MPI_T_CB_REQUIRE_NONE;
};

void note_message(MPI_T_event_instance event, MPI_T_event_registration, MPI_T_cb_safety safety,
                  void* data) {
  Seen& seen = *static_cast<Seen*>(data);
  ++seen.calls;
  seen.safety = safety;
  CHECK(MPI_T_event_read(event, 0, &seen.source) == MPI_SUCCESS);
  CHECK(MPI_T_event_read(event, 1, &seen.tag) == MPI_SUCCESS);
  CHECK(MPI_T_event_read(event, 3, &seen.bytes) == MPI_T_ERR_INVALID_INDEX);
  MPI_Count all[3] = {-1, -1, -1};
  CHECK(MPI_T_event_copy(event, all) == MPI_SUCCESS);
  seen.bytes = all[2];
  CHECK(all[0] == seen.source && all[1] == seen.tag);
  MPI_Count time = 0;
  int source = -1;
  CHECK(MPI_T_event_get_timestamp(event, &time) == MPI_SUCCESS && time >= seen.time);
  CHECK(MPI_T_event_get_source(event, &source) == MPI_SUCCESS && source == 0);
  seen.time = time;
}

void note_dropped(MPI_Count count, MPI_T_event_registration, int source, MPI_T_cb_safety,
                  void* data) {
  CHECK(source == 0);
  static_cast<Seen*>(data)->dropped += count;
}

void note_free(MPI_T_event_registration, MPI_T_cb_safety, void* data) {
  ++static_cast<Seen*>(data)->freed;
}

void note_transport(MPI_T_event_instance event, MPI_T_event_registration, MPI_T_cb_safety,
                    void* data) {
  Seen& seen = *static_cast<Seen*>(data);
  ++seen.calls;
  CHECK(MPI_T_event_read(event, 1, &seen.transport) == MPI_SUCCESS);
}

int index_of(const char* name) {
  int index = -1;
  CHECK(MPI_T_event_get_index(name, &index) == MPI_SUCCESS);
  return index;
}

// req dynamic 8.5, 8.6
void descriptions() {
  int count = 0;
  CHECK(MPI_T_event_get_num(&count) == MPI_SUCCESS && count >= 3);
  MPI_Datatype types[8];
  MPI_Aint places[8];
  int elements = 1, binding = 0;
  types[1] = MPI_DATATYPE_NULL;
  CHECK(MPI_T_event_get_info(index_of("pml_ob1_unexpected_message"), nullptr, nullptr, nullptr,
                             types, places, &elements, nullptr, nullptr, nullptr, nullptr,
                             &binding) == MPI_SUCCESS);
  CHECK(elements == 3 && types[0] == MPI_COUNT && types[1] == MPI_DATATYPE_NULL);
  CHECK(places[0] == 0 && binding == MPI_T_BIND_NO_OBJECT);
  elements = 8;
  MPI_T_enum transports = MPI_T_ENUM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  CHECK(MPI_T_event_get_info(index_of("core_transport_chosen"), nullptr, nullptr, nullptr, types,
                             places, &elements, &transports, &info, nullptr, nullptr,
                             nullptr) == MPI_SUCCESS);
  CHECK(elements == 2 && types[1] == MPI_INT && places[1] == 8);
  CHECK(transports != MPI_T_ENUM_NULL && info != MPI_INFO_NULL);
  MPI_Info_free(&info);
  MPI_T_source_order order{};
  MPI_Count ticks = 0, before = 0, after = 0;
  CHECK(MPI_T_source_get_num(&count) == MPI_SUCCESS && count == 1);
  CHECK(MPI_T_source_get_info(0, nullptr, nullptr, nullptr, nullptr, &order, &ticks, nullptr,
                              nullptr) == MPI_SUCCESS);
  CHECK(order == MPI_T_SOURCE_ORDERED && ticks == 1'000'000'000);
  CHECK(MPI_T_source_get_timestamp(0, &before) == MPI_SUCCESS);
  CHECK(MPI_T_source_get_timestamp(0, &after) == MPI_SUCCESS && before <= after);
}

// `count` messages from rank 0 that rank 1 asks for when they are there.
void surprise(int count) {
  int word = 0, flag = 0;
  await_receiver();
  if (rank_in(MPI_COMM_WORLD) == 0) {
    for (int i = 0; i < count; ++i) MPI_Send(&word, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  } else if (rank_in(MPI_COMM_WORLD) == 1) {
    while (flag == 0) MPI_Iprobe(0, count - 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i)
      MPI_Recv(&word, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// req dynamic 8.7, 8.8, 8.9, 8.10, 8.11, 8.12, 8.15
void unexpected_messages() {
  const bool receiver = rank_in(MPI_COMM_WORLD) == 1;
  Seen seen, wrong;
  MPI_T_event_registration handle{};
  CHECK(MPI_T_event_handle_alloc(index_of("pml_ob1_unexpected_message"), nullptr, MPI_INFO_NULL,
                                 &handle) == MPI_SUCCESS);
  CHECK(MPI_T_event_set_dropped_handler(handle, note_dropped) == MPI_SUCCESS);
  CHECK(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &wrong,
                                      note_message) == MPI_SUCCESS);
  surprise(3);  // nobody may be called here who wants to call anything
  CHECK(wrong.calls == 0);
  for (const auto level : {MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_T_CB_REQUIRE_MPI_RESTRICTED})
    CHECK(MPI_T_event_register_callback(handle, level, MPI_INFO_NULL, &seen, note_message) ==
          MPI_SUCCESS);
  surprise(5);
  if (receiver) {
    CHECK(seen.calls == 5 && seen.dropped == 3);
    CHECK(seen.source == 0 && seen.tag == 4 && seen.bytes == sizeof(int));
    CHECK(seen.safety == MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  }
  CHECK(MPI_T_event_register_callback(handle, static_cast<MPI_T_cb_safety>(0x07), MPI_INFO_NULL,
                                      nullptr, note_message) == MPI_T_ERR_INVALID);
  MPI_Info info = MPI_INFO_NULL;
  CHECK(MPI_T_event_handle_get_info(handle, &info) == MPI_SUCCESS);
  CHECK(MPI_T_event_handle_set_info(handle, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK(MPI_T_event_callback_get_info(handle, MPI_T_CB_REQUIRE_NONE, &info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK(MPI_T_event_handle_free(handle, &seen, note_free) == MPI_SUCCESS && seen.freed == 1);
  CHECK(MPI_T_event_handle_free(handle, &seen, note_free) == MPI_T_ERR_INVALID_HANDLE);
  surprise(2);
  CHECK((!receiver || seen.calls == 5) && seen.freed == 1);
}

}  // namespace

// req dynamic 8.16
int main(int argc, char** argv) {
  CHECK(start_tools() == MPI_SUCCESS);
  descriptions();
  Seen chosen;
  MPI_T_event_registration transports{};
  CHECK(MPI_T_event_handle_alloc(index_of("core_transport_chosen"), nullptr, MPI_INFO_NULL,
                                 &transports) == MPI_SUCCESS);
  CHECK(MPI_T_event_register_callback(transports, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                      &chosen, note_transport) == MPI_SUCCESS);
  MPI_Init(&argc, &argv);
  unexpected_messages();
  CHECK(rank_in(MPI_COMM_WORLD) > 1 || (chosen.calls >= 1 && chosen.transport >= 0));
  const int calls = chosen.calls;
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(chosen.calls == calls);
  return finish();
}
