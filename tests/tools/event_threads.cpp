// SPDX-License-Identifier: BSD-3-Clause
// Callbacks read a variable while another thread takes and frees handles of the same event. Without
// an argument the program has asked MPI for no threads: the tools interface locks by itself.
#include <atomic>
#include <thread>

#include "tool.h"

namespace {

constexpr int kRounds = 5'000;  // of each thread at least
constexpr const char* kEvent = "pml_ob1_unexpected_message";

struct Reader {
  Counter sent{"pml_ob1_messages_sent", MPI_T_PVAR_CLASS_COUNTER};
  int calls = 0;
  unsigned long long last = 0;
};

void read_variable(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void* data) {
  Reader& reader = *static_cast<Reader*>(data);
  ++reader.calls;
  reader.last = reader.sent.value();
}

MPI_T_event_registration listen() {
  int index = -1;
  MPI_T_event_registration handle{};
  CHECK(MPI_T_event_get_index(kEvent, &index) == MPI_SUCCESS);
  CHECK(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &handle) == MPI_SUCCESS);
  return handle;
}

void leave(MPI_T_event_registration handle) {
  CHECK(MPI_T_event_handle_free(handle, nullptr, nullptr) == MPI_SUCCESS);
}

// A message to oneself that is there before it is asked for.
void surprise_oneself() {
  int out = 1, in = 0;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Probe(0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == 1);
}

void hear_while_others_come_and_go() {
  Reader reader;
  const MPI_T_event_registration handle = listen();
  CHECK(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL,
                                      &reader, read_variable) == MPI_SUCCESS);
  std::atomic<int> handles{0};
  std::thread other([&] {
    for (; handles < kRounds; ++handles) leave(listen());
  });
  int messages = 0;
  for (; messages < kRounds || handles < kRounds; ++messages) surprise_oneself();
  other.join();
  CHECK(reader.calls == messages);
  CHECK(reader.last + 1 >= static_cast<unsigned long long>(messages));  // this one has not left
  leave(handle);
}

}  // namespace

int main(int argc, char**) {
  int provided = -1;
  MPI_Init_thread(nullptr, nullptr, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                  &provided);
  CHECK(start_tools() == MPI_SUCCESS);
  hear_while_others_come_and_go();
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return finish();
}
