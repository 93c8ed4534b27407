// SPDX-License-Identifier: BSD-3-Clause
// Performance variables against traffic that is known.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tool.h"

namespace {

constexpr int kTag = 3;

// Rank 0 to rank 1, `count` messages of `bytes` bytes, and a word back.
void send_some(int count, int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  for (int i = 0; i < count; ++i) {
    if (rank_in(MPI_COMM_WORLD) == 0)
      MPI_Send(data.data(), bytes, MPI_CHAR, 1, kTag, MPI_COMM_WORLD);
    else if (rank_in(MPI_COMM_WORLD) == 1)
      MPI_Recv(data.data(), bytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Two sessions on one variable see what was counted since their own start. req dynamic 7.4, 7.5
// req dynamic 7.6, 7.7, 7.8, 7.14
void sessions() {
  if (rank_in(MPI_COMM_WORLD) != 0) return send_some(19, 8);
  const Counter first("pml_ob1_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
  send_some(5, 8);
  const Counter second("pml_ob1_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
  send_some(7, 8);
  CHECK(first.value() == 12);
  CHECK(second.value() == 7);
  CHECK(MPI_T_pvar_start(second.session(), second.handle()) == MPI_SUCCESS);
  CHECK(second.value() == 7);
  CHECK(MPI_T_pvar_stop(second.session(), MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  send_some(2, 8);
  CHECK(first.value() == 14 && second.value() == 7);
  CHECK(MPI_T_pvar_start(second.session(), second.handle()) == MPI_SUCCESS);
  send_some(1, 8);
  CHECK(second.value() == 8);
  unsigned long long value = 100;
  CHECK(MPI_T_pvar_write(second.session(), second.handle(), &value) == MPI_SUCCESS);
  send_some(1, 8);
  CHECK(second.value() == 101 && first.value() == 16);
  CHECK(MPI_T_pvar_readreset(second.session(), second.handle(), &value) == MPI_SUCCESS);
  CHECK(value == 101 && second.value() == 0);
  send_some(3, 8);
  CHECK(second.value() == 3);
  CHECK(MPI_T_pvar_reset(second.session(), second.handle()) == MPI_SUCCESS && second.value() == 0);
  CHECK(first.value() == 19);
  CHECK(MPI_T_pvar_read(first.session(), second.handle(), &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(first.session(), MPI_T_PVAR_ALL_HANDLES, &value) ==
        MPI_T_ERR_INVALID_HANDLE);
  MPI_T_pvar_handle other = second.handle();
  CHECK(MPI_T_pvar_handle_free(first.session(), &other) == MPI_T_ERR_INVALID_HANDLE);
}

// req dynamic 7.11, 7.12, 7.13
void per_peer() {
  const int me = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  const Counter sent("pml_ob1_peer_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &reversed);
  const Counter bytes("pml_ob1_peer_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, &reversed);
  const Counter received("pml_ob1_peer_bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, &reversed);
  CHECK(sent.count() == size);
  await_receiver();
  send_some(4, 1000);
  send_some(1, 1 << 20);
  for (int rank = 0; rank < size; ++rank) {
    const auto place = static_cast<std::size_t>(size - 1 - rank);
    const unsigned long long to = me == 0 && rank == 1 ? 1 : 0;
    const unsigned long long from = me == 1 && rank == 0 ? 1 : 0;
    CHECK(sent.values()[place] == 5 * to + from);
    CHECK(bytes.values()[place] == (4000 + (1 << 20)) * to);
    CHECK(received.values()[place] == (4000 + (1 << 20)) * from);
  }
  MPI_Comm_free(&reversed);
  unsigned long long rest[16];
  CHECK(MPI_T_pvar_read(sent.session(), sent.handle(), rest) == MPI_T_ERR_INVALID_HANDLE);
}

// Messages that nobody has asked for, then receives for which nothing has come.
void queues() {
  const int me = rank_in(MPI_COMM_WORLD);
  const Counter unexpected("pml_ob1_unexpected", MPI_T_PVAR_CLASS_LEVEL);
  const Counter posted("pml_ob1_posted", MPI_T_PVAR_CLASS_LEVEL);
  const Counter total("pml_ob1_unexpected_messages", MPI_T_PVAR_CLASS_COUNTER);
  const Counter buffered("pml_ob1_buffered", MPI_T_PVAR_CLASS_SIZE);
  const Counter highest("pml_ob1_buffered_highest", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  int word = me, flag = 0;
  await_receiver();
  if (me == 0) {
    for (int i = 0; i < 6; ++i) MPI_Send(&word, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 10; i < 14; ++i) MPI_Send(&word, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
  } else if (me == 1) {
    const unsigned long long posts = posted.value();
    while (flag == 0) MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(unexpected.value() == 6 && total.value() == 6);
    CHECK(buffered.value() >= 6 * sizeof word);
    for (int i = 0; i < 6; ++i)
      MPI_Recv(&word, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(unexpected.value() == 0 && buffered.value() == 0);
    CHECK(highest.value() >= 6 * sizeof word);
    CHECK(MPI_T_pvar_reset(highest.session(), highest.handle()) == MPI_SUCCESS);
    CHECK(highest.value() == 0);
    CHECK(posted.value() == posts);
    MPI_Request requests[5];
    int words[5];
    for (int i = 0; i < 5; ++i)
      MPI_Irecv(&words[i], 1, MPI_INT, 0, 10 + i, MPI_COMM_WORLD, &requests[i]);
    CHECK(posted.value() == posts + 5);
    MPI_Send(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(posted.value() == posts + 1);
    MPI_Cancel(&requests[4]);
    MPI_Wait(&requests[4], MPI_STATUS_IGNORE);
    CHECK(posted.value() == posts);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void objects() {
  const Counter windows("core_windows", MPI_T_PVAR_CLASS_LEVEL);
  const Counter comms("core_communicators", MPI_T_PVAR_CLASS_LEVEL);
  const Counter files("core_files", MPI_T_PVAR_CLASS_LEVEL);
  const Counter calls("core_collectives", MPI_T_PVAR_CLASS_COUNTER);
  const unsigned long long before = comms.value();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(comms.value() == before + 1);
  MPI_Win win = MPI_WIN_NULL;
  int word = 0;
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, comm, &win);
  CHECK(windows.value() == 1);
  MPI_Win_free(&win);
  CHECK(windows.value() == 0);
  MPI_File file = MPI_FILE_NULL;
  if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS) {
    CHECK(files.value() == 1);
    MPI_File_close(&file);
  }
  CHECK(files.value() == 0);
  MPI_T_pvar_reset(calls.session(), calls.handle());
  for (int i = 0; i < 3; ++i) MPI_Barrier(comm);
  CHECK(calls.value() == 3);
  MPI_Comm_free(&comm);
  CHECK(comms.value() == before);
}

// What components of files, windows and collective operations count. req dynamic 7.11
void components() {
  const Counter writes("io_posix_writes", MPI_T_PVAR_CLASS_COUNTER);
  const Counter written("io_posix_bytes_written", MPI_T_PVAR_CLASS_AGGREGATE);
  const Counter read("io_posix_bytes_read", MPI_T_PVAR_CLASS_AGGREGATE);
  const Counter in_memory("osc_sm_windows", MPI_T_PVAR_CLASS_COUNTER);
  const Counter by_messages("osc_am_windows", MPI_T_PVAR_CLASS_COUNTER);
  const Counter schedules("coll_basic_schedules", MPI_T_PVAR_CLASS_COUNTER);
  std::vector<char> bytes(1000, 'x');
  const std::string name = "/tmp/tessera-counters-" + std::to_string(getpid());
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
  CHECK(MPI_File_open(MPI_COMM_SELF, name.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_write_at(file, 0, bytes.data(), 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(writes.value() > 0 && written.value() == 1000);
  MPI_File_read_at(file, 0, bytes.data(), 500, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(read.value() == 500);
  MPI_File_close(&file);
  const auto windows = [&] { return in_memory.value() + by_messages.value(); };
  const unsigned long long before = windows();
  MPI_Win win = MPI_WIN_NULL;
  int word = 0;
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(windows() == before + 1);
  MPI_Win_free(&win);
  MPI_Request request = MPI_REQUEST_NULL;
  const unsigned long long made = schedules.value();
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(schedules.value() == made + 1);
  MPI_Request_free(&request);
}

// Rank 0 keeps rank 1 waiting, longer and longer, until that has slept; the time is in seconds.
void waiting() {
  const Counter sleeps("core_sleeps", MPI_T_PVAR_CLASS_COUNTER);
  const Counter polls("core_idle_polls", MPI_T_PVAR_CLASS_COUNTER);
  int index = -1, count = 0;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle time = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_session_create(&session);
  CHECK(MPI_T_pvar_get_index("core_sleep_time", MPI_T_PVAR_CLASS_TIMER, &index) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_handle_alloc(session, index, nullptr, &time, &count) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_start(session, time) == MPI_SUCCESS);
  const int me = rank_in(MPI_COMM_WORLD);
  int slept = me > 1 ? 1 : 0;
  for (int round = 1; slept == 0; ++round) {
    if (me == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 * round));
      MPI_Send(&round, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(&slept, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      continue;
    }
    int word = 0;
    MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    slept = sleeps.value() > 0 ? 1 : 0;
    MPI_Send(&slept, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  double seconds = -1;
  CHECK(MPI_T_pvar_read(session, time, &seconds) == MPI_SUCCESS);
  CHECK(me != 1 || (seconds > 0 && seconds < 1e4 && polls.value() > 0));
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
}

}  // namespace

int main() {
  CHECK(start_tools() == MPI_SUCCESS);
  const Counter early("pml_ob1_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE);
  CHECK(early.value() == 0);
  MPI_Init(nullptr, nullptr);
  sessions();
  MPI_Barrier(MPI_COMM_WORLD);
  per_peer();
  MPI_Barrier(MPI_COMM_WORLD);
  queues();
  objects();
  components();
  waiting();
  const bool sender = rank_in(MPI_COMM_WORLD) == 0;
  const unsigned long long at_end = early.value();
  CHECK(!sender || at_end > (1 << 20));
  const int code = finish();
  CHECK(early.value() >= at_end);  // the component is gone, its last values are not
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return code != 0 || failures != 0 ? 1 : 0;
}
