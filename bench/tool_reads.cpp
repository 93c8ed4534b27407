// SPDX-License-Identifier: BSD-3-Clause
// What the tool interface costs (MPI_T), on two ranks.
//
// tool_list: MPI_T_init_thread, a description of every variable, MPI_T_finalize. tool_read: all
// performance variables that are bound to no object, once. tool_rate: 8-byte messages in windows
// of 64. tool_rate_kept: that rate while a thread of each process reads all those variables a
// hundred times a second, over the rate without; both are taken in turn, and the median of the
// pairs counts.
#include <atomic>
#include <chrono>
#include <thread>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr int kTag = 3;
constexpr int kWindow = 64;
constexpr int kLongestText = 4096;
constexpr auto kPause = std::chrono::milliseconds(10);

void describe_everything() {
  static char name[kLongestText], help[kLongestText];
  int provided = 0, count = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kLongestText, help_room = kLongestText, level = 0, bind = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_T_cvar_get_info(i, name, &name_room, &level, &type, &items, help, &help_room, &bind,
                        &scope);
  }
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    int name_room = kLongestText, help_room = kLongestText, level = 0, kind = 0, bind = 0;
    int readonly = 0, continuous = 0, atomic = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_T_pvar_get_info(i, name, &name_room, &level, &kind, &type, &items, help, &help_room, &bind,
                        &readonly, &continuous, &atomic);
  }
  MPI_T_finalize();
}

/// Handles of all performance variables of the process that have one element.
class Variables {
 public:
  Variables() {
    int provided = 0, count = 0;
    MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
    MPI_T_pvar_session_create(&session_);
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; ++i) add(i);
  }
  ~Variables() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  void read() const {
    unsigned long long value[2] = {0, 0};
    for (const MPI_T_pvar_handle handle : handles_) MPI_T_pvar_read(session_, handle, value);
  }

 private:
  void add(int index) {
    int name_room = 0, help_room = 0, level = 0, kind = 0, bind = 0, elements = 0;
    int readonly = 0, continuous = 0, atomic = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum items = MPI_T_ENUM_NULL;
    MPI_T_pvar_get_info(index, nullptr, &name_room, &level, &kind, &type, &items, nullptr,
                        &help_room, &bind, &readonly, &continuous, &atomic);
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    if (bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle, &elements) != MPI_SUCCESS)
      return;
    if (elements != 1) {
      MPI_T_pvar_handle_free(session_, &handle);
      return;
    }
    if (continuous == 0) MPI_T_pvar_start(session_, handle);
    handles_.push_back(handle);
  }
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  std::vector<MPI_T_pvar_handle> handles_;
};

/// Reads from a thread of its own while it lives.
class Reader {
 public:
  explicit Reader(const Variables& variables)
      : thread_([this, &variables] {
          while (!over_) {
            variables.read();
            std::this_thread::sleep_for(kPause);
          }
        }) {}
  ~Reader() {
    over_ = true;
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

void send_windows(int rank, long windows) {
  static char data[kWindow][8];
  MPI_Request requests[kWindow];
  for (long i = 0; i < windows; ++i) {
    for (int k = 0; k < kWindow; ++k) {
      if (rank == 0)
        MPI_Isend(data[k], 8, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, &requests[k]);
      else
        MPI_Irecv(data[k], 8, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
  }
}

/// The share of the rate that is left with a reader.
double kept(const Options& options, const Variables& variables, int rank, double seconds) {
  constexpr int kPairs = 15;
  const long windows = std::max(1L, std::lround(options.budget / 4 / seconds));
  const auto body = [rank](long count) { send_windows(rank, count); };
  std::vector<double> shares;
  for (int i = 0; i < kPairs; ++i) {
    const double before = time_once(body, windows);
    double with = 0;
    {
      const Reader reader(variables);
      with = time_once(body, windows);
    }
    const double after = time_once(body, windows);
    shares.push_back((before + after) / 2 / with);
  }
  return median(shares);
}

}  // namespace

int main(int argc, char** argv) {
  const Session session(argc, argv);
  const Options& options = session.options;
  const World world;
  if (world.size != 2) return 2;
  const auto say = [&](const char* figure, double value, const char* unit) {
    if (world.rank == 0) print_figure(figure, 8, value, unit);
  };
  say("tool_list",
      1e3 * seconds_per_iteration(options,
                                  [](long count) {
                                    for (long i = 0; i < count; ++i) describe_everything();
                                  }),
      "ms");
  const Variables variables;
  say("tool_read",
      1e6 * seconds_per_iteration(options,
                                  [&](long count) {
                                    for (long i = 0; i < count; ++i) variables.read();
                                  }),
      "us");
  const double seconds =
      seconds_per_iteration(options, [&](long windows) { send_windows(world.rank, windows); });
  say("tool_rate", 1e-6 * kWindow / seconds, "M/s");
  say("tool_rate_kept", kept(options, variables, world.rank, seconds), "times");
  return 0;
}
