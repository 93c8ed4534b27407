// SPDX-License-Identifier: BSD-3-Clause
// What waiting costs: processor time of a rank that waits, its wake-up, and loops of too many
// ranks.
//
// On 2 ranks: rank 0 waits in MPI_Recv for a rank 1 that sleeps. On any number: barrier, allreduce
// and a token ring, received or polled for with MPI_Iprobe, with the time per call and the
// processor time (user + system, all ranks together) per call.
#include <sys/resource.h>
#include <time.h>

#include <chrono>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

/// User and system time this process has used, in seconds.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Seconds of the machine's monotonic clock, which all its processes share (MPI_Wtime may start
/// anywhere).
double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleep_milliseconds(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

struct Wait {
  double wake_up;    // seconds from just before the send to the return of the receive
  double processor;  // processor seconds per second of waiting
};

/// Rank 1 sleeps, then sends the time; rank 0 waits for it. What rank 0 returns counts.
Wait wait_once(int rank, long milliseconds) {
  double sent = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    sleep_milliseconds(milliseconds);
    sent = clock_seconds();
    MPI_Send(&sent, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    return {};
  }
  const double used = processor_seconds(), start = clock_seconds();
  MPI_Recv(&sent, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double now = clock_seconds();
  return {now - sent, (processor_seconds() - used) / (now - start)};
}

/// The size, printed and of --sizes, is the length of the wait in milliseconds.
void measure_waits(const World& world, const Options& options) {
  for (const std::size_t size : options.sizes_or({1, 100, 1000})) {
    const long milliseconds = static_cast<long>(size);
    std::vector<double> wake_ups, processor;
    const int repetitions = milliseconds < 1000 ? std::min(options.repetitions, 9) : 1;
    for (int i = 0; i < repetitions; ++i) {
      const Wait wait = wait_once(world.rank, milliseconds);
      wake_ups.push_back(1e6 * wait.wake_up);
      processor.push_back(100 * wait.processor);
    }
    if (world.rank != 0) continue;
    print_figure("wake_up", milliseconds, typical(options, wake_ups), "us");
    print_figure("waiting_processor", milliseconds, typical(options, processor), "%");
  }
}

void barrier(const World&) {
  MPI_Barrier(MPI_COMM_WORLD);
}

void allreduce(const World&) {
  double mine = 1, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/// Once round: every rank but one waits at any time.
void ring(const World& world) {
  double token = 0;
  const int next = (world.rank + 1) % world.size,
            previous = (world.rank + world.size - 1) % world.size;
  if (world.rank == 0) MPI_Send(&token, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
  MPI_Recv(&token, 1, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (world.rank != 0) MPI_Send(&token, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
}

/// The same by ranks that poll: MPI_Iprobe until the token is there.
void polled_ring(const World& world) {
  double token = 0;
  const int next = (world.rank + 1) % world.size,
            previous = (world.rank + world.size - 1) % world.size;
  if (world.rank == 0) MPI_Send(&token, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
  for (int there = 0; there == 0;)
    MPI_Iprobe(previous, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  MPI_Recv(&token, 1, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (world.rank != 0) MPI_Send(&token, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
}

/// Time per call as for any figure; then processor time of all ranks over as many calls as fill the
/// budget.
void measure_loop(const World& world, const Options& options, const std::string& name,
                  void (*call)(const World&)) {
  if (!options.wants("loop_" + name)) return;
  auto body = [&](long iterations) {
    for (long i = 0; i < iterations; ++i) call(world);
  };
  const double seconds = seconds_per_iteration(options, body);
  const long calls = std::max(1L, std::lround(options.budget / seconds));
  MPI_Barrier(MPI_COMM_WORLD);
  const double before = processor_seconds();
  body(calls);
  double used = processor_seconds() - before, total = 0;
  MPI_Reduce(&used, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  print_figure("loop_" + name, 8, 1e6 * seconds, "us");
  print_figure("loop_" + name + "_processor", 8, 1e6 * total / static_cast<double>(calls), "us");
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const World world;
  if (world.size < 2) {
    std::fprintf(stderr, "waiting: needs at least 2 ranks: mpiexec -n 2 waiting\n");
    return 1;
  }
  if (world.size == 2 && session.options.wants("wake_up")) measure_waits(world, session.options);
  measure_loop(world, session.options, "barrier", barrier);
  measure_loop(world, session.options, "allreduce", allreduce);
  measure_loop(world, session.options, "ring", ring);
  measure_loop(world, session.options, "polled_ring", polled_ring);
  return 0;
}
