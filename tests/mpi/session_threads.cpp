// SPDX-License-Identifier: BSD-3-Clause
// Libraries in threads of their own, each with its sessions, beside the World Model of the program.
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kThreads = 3;
constexpr int kSessions = 30;  // of each thread

// What a thread found wrong, and how often.
struct Findings {
  int wrong = 0;
  void expect(bool right) { wrong += right ? 0 : 1; }
};

void talk_to_oneself(MPI_Comm comm, int number, Findings& findings) {
  int out = number, in = -1;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, 0, 3, comm, &request);
  MPI_Recv(&in, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  findings.expect(in == number);
}

void use_session(int thread, int round, Findings& findings) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  const std::string tag = std::to_string(thread) + "." + std::to_string(round);
  findings.expect(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  findings.expect(MPI_Group_from_session_pset(session, "mpi://SELF", &group) == MPI_SUCCESS);
  findings.expect(MPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &comm) == MPI_SUCCESS);
  talk_to_oneself(comm, 100 * thread + round, findings);
  findings.expect(class_of(MPI_Group_from_session_pset(session, "nobody", &group)) == MPI_ERR_ARG);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  findings.expect(MPI_Session_finalize(&session) == MPI_SUCCESS);
}

}  // namespace

int main() {
  std::vector<Findings> findings(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&findings, thread] {
      for (int round = 0; round < kSessions; ++round)
        use_session(thread, round, findings[static_cast<std::size_t>(thread)]);
    });
  }
  int provided = -1, sum = -1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size_of(MPI_COMM_WORLD));
  for (std::thread& thread : threads) thread.join();
  for (const Findings& each : findings) CHECK(each.wrong == 0);
  return finish();
}
