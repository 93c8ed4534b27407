// SPDX-License-Identifier: BSD-3-Clause
// What threads cost. Two ranks: latency and message rate of one thread, and the rate of two threads
// per rank, each with a communicator or a tag of its own. The word `single` (or `multiple`, the
// default) says for which level MPI is started; with `single` only the figures of one thread are
// measured, so that the two show what the permission costs.
#include <cstring>
#include <thread>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr int kWindow = 64;
constexpr int kThreads = 2;
constexpr int kReplyTag = 1000;
constexpr int kFirstTag = 1;

/// What one thread uses.
struct Channel {
  MPI_Comm comm;
  int tag;
};

int rank_of_this() {
  return World().rank;
}

void ping_pong(const Channel& channel, int rank, long iterations) {
  double ball = 0;
  for (long i = 0; i < iterations; ++i) {
    if (rank == 0) MPI_Send(&ball, 1, MPI_DOUBLE, 1 - rank, channel.tag, channel.comm);
    MPI_Recv(&ball, 1, MPI_DOUBLE, 1 - rank, channel.tag, channel.comm, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&ball, 1, MPI_DOUBLE, 1 - rank, channel.tag, channel.comm);
  }
}

/// Windows of messages of 8 bytes from rank 0 to rank 1; an empty reply ends each.
void stream(const Channel& channel, int rank, long windows) {
  double data[kWindow] = {};
  MPI_Request requests[kWindow];
  for (long w = 0; w < windows; ++w) {
    for (int i = 0; i < kWindow; ++i) {
      if (rank == 0) {
        MPI_Isend(&data[i], 1, MPI_DOUBLE, 1, channel.tag, channel.comm, &requests[i]);
      } else {
        MPI_Irecv(&data[i], 1, MPI_DOUBLE, 0, channel.tag, channel.comm, &requests[i]);
      }
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, channel.tag + kReplyTag, channel.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, channel.tag + kReplyTag, channel.comm);
    }
  }
}

void play_in_channels(const std::vector<Channel>& channels, int rank, long iterations,
                      void (*play)(const Channel&, int, long)) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < channels.size(); ++i)
    others.emplace_back(play, channels[i], rank, iterations);
  play(channels[0], rank, iterations);
  for (std::thread& one : others) one.join();
}

/// Messages of all channels together, per second.
void measure_rate(const char* figure, const Options& options,
                  const std::vector<Channel>& channels) {
  if (!options.wants(figure)) return;
  const int rank = rank_of_this();
  const double window =
      seconds_per_iteration(options, [&](long n) { play_in_channels(channels, rank, n, stream); });
  const double messages = kWindow * static_cast<double>(channels.size());
  if (rank == 0) print_figure(figure, 8, 1e-6 * messages / window, "M/s");
}

/// One way, while each channel has its own ping-pong.
void measure_latency(const char* figure, const Options& options,
                     const std::vector<Channel>& channels) {
  if (!options.wants(figure)) return;
  const int rank = rank_of_this();
  const double both_ways = seconds_per_iteration(
      options, [&](long n) { play_in_channels(channels, rank, n, ping_pong); });
  if (rank == 0) print_figure(figure, 8, 1e6 / 2 * both_ways, "us");
}

void measure_threads(const Options& options) {
  std::vector<Channel> tags, comms;
  for (int t = 0; t < kThreads; ++t) {
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    tags.push_back({MPI_COMM_WORLD, kFirstTag + t});
    comms.push_back({own, kFirstTag});
  }
  measure_rate("threads_rate_comm", options, comms);
  measure_rate("threads_rate_tag", options, tags);
  measure_latency("threads_latency_comm", options, comms);
  for (Channel& channel : comms) MPI_Comm_free(&channel.comm);
}

/// MPI for the level that the last word asks for.
int start(int& argc, char**& argv) {
  const bool single = std::strcmp(argv[argc - 1], "single") == 0;
  int granted = 0;
  MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &granted);
  return single ? MPI_THREAD_SINGLE : granted;
}

}  // namespace

int main(int argc, char** argv) {
  const int level = start(argc, argv);
  const Options options = parse_options(argc, argv);
  const bool single = level == MPI_THREAD_SINGLE;
  if (World().size == 2) {
    const std::vector<Channel> one{{MPI_COMM_WORLD, kFirstTag}};
    measure_latency(single ? "latency_single" : "latency_multiple", options, one);
    measure_rate(single ? "rate_single" : "rate_multiple", options, one);
    if (level == MPI_THREAD_MULTIPLE) measure_threads(options);
  } else if (World().rank == 0) {
    std::fprintf(stderr, "threads: runs on 2 ranks, not %d: mpiexec -n 2 threads\n", World().size);
  }
  MPI_Finalize();
  return 0;
}
