// SPDX-License-Identifier: BSD-3-Clause
// Partitioned messages between two ranks. A round is a start on both sides, all partitions marked,
// both waits, and an empty message back.
//
// partitions: the rate of 1,000 partitions of 8 bytes that one thread marks; partitions_by_threads:
// two threads mark 500 of them each. one_message: a persistent message of 1 MiB.
// message_of_threads: the same, started when a second thread has said that its half is ready.
// marked: the same bytes as 16 partitions. marked_by_threads: two threads mark 8 of them each;
// threads_gain: how many times faster that is than the message of two threads; both take turns, and
// the median of the turns' ratios counts. A library without partitioned communication prints
// nothing of it.
#include <atomic>
#include <thread>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr int kTag = 5;

/// Rank 1 tells that it is ready for the next round.
void answer(int rank) {
  if (rank == 0)
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kTag + 1, MPI_COMM_WORLD);
}

/// `prepare()` runs in rank 0 before each message starts.
template <class Prepare>
double one_message(const Options& options, std::vector<char>& data, int rank, Prepare prepare) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int bytes = static_cast<int>(data.size());
  if (rank == 0)
    MPI_Send_init(data.data(), bytes, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(data.data(), bytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, &request);
  const double seconds = seconds_per_iteration(options, [&](long rounds) {
    for (long i = 0; i < rounds; ++i) {
      if (rank == 0) prepare();
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      answer(rank);
    }
  });
  MPI_Request_free(&request);
  return seconds;
}

#if MPI_VERSION >= 4

constexpr int kSmall = 1000;
constexpr int kLarge = 16;
constexpr int kLargeBytes = 64 << 10;
constexpr int kTurns = 9;  // of two figures whose ratio is taken: the machine changes meanwhile

void mark(MPI_Request request, int from, int to) {
  for (int p = from; p < to; ++p) MPI_Pready(p, request);
}

/// Marks the second half of the partitions whenever it is told to, on a processor of its own.
class SecondMarker {
 public:
  explicit SecondMarker(int partitions) : partitions_(partitions), thread_([this] { work(); }) {}
  ~SecondMarker() {
    over_ = true;
    asked_.store(done_ + 1);
    thread_.join();
  }
  SecondMarker(const SecondMarker&) = delete;
  SecondMarker& operator=(const SecondMarker&) = delete;

  /// MPI_REQUEST_NULL: it marks nothing.
  void start(MPI_Request request) {
    request_ = request;
    asked_.store(++round_, std::memory_order_release);
  }
  void wait() {
    while (done_.load(std::memory_order_acquire) != round_) std::this_thread::yield();
  }

 private:
  void work() {
    for (long seen = 1;; ++seen) {
      while (asked_.load(std::memory_order_acquire) < seen) std::this_thread::yield();
      if (over_) return;
      if (request_ != MPI_REQUEST_NULL) mark(request_, partitions_ / 2, partitions_);
      done_.store(seen, std::memory_order_release);
    }
  }
  int partitions_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  long round_ = 0;
  std::atomic<long> asked_ = 0, done_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// `mark_all(request)` marks all partitions in rank 0.
template <class MarkAll>
double partitions(const Options& options, std::vector<char>& data, int rank, int count,
                  MarkAll mark_all) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int bytes = static_cast<int>(data.size()) / count;
  if (rank == 0)
    MPI_Psend_init(data.data(), count, bytes, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  else
    MPI_Precv_init(data.data(), count, bytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  const double seconds = seconds_per_iteration(options, [&](long rounds) {
    for (long i = 0; i < rounds; ++i) {
      MPI_Start(&request);
      if (rank == 0) mark_all(request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      answer(rank);
    }
  });
  MPI_Request_free(&request);
  return seconds;
}

double marked_by_two(const Options& options, std::vector<char>& data, int rank, int count) {
  SecondMarker second(count);
  return partitions(options, data, rank, count, [&](MPI_Request request) {
    second.start(request);
    mark(request, 0, count / 2);
    second.wait();
  });
}

double message_of_two(const Options& options, std::vector<char>& data, int rank) {
  SecondMarker second(0);
  return one_message(options, data, rank, [&] {
    second.start(MPI_REQUEST_NULL);
    second.wait();
  });
}

void measure(const Options& options, int rank) {
  std::vector<char> small(8 * kSmall), large(std::size_t{kLarge} * kLargeBytes);
  const auto say = [rank](const char* figure, std::size_t bytes, double value, const char* unit) {
    if (rank == 0) print_figure(figure, bytes, value, unit);
  };
  const double of_small = partitions(options, small, rank, kSmall,
                                     [](MPI_Request request) { mark(request, 0, kSmall); });
  say("partitions", 8, 1e-6 * kSmall / of_small, "M/s");
  const double small_by_threads = marked_by_two(options, small, rank, kSmall);
  say("partitions_by_threads", 8, 1e-6 * kSmall / small_by_threads, "M/s");
  const double one = one_message(options, large, rank, [] {});
  const double marked = partitions(options, large, rank, kLarge,
                                   [](MPI_Request request) { mark(request, 0, kLarge); });
  std::vector<double> of_threads, by_threads, gains;
  for (int turn = 0; turn < kTurns; ++turn) {
    of_threads.push_back(message_of_two(options, large, rank));
    by_threads.push_back(marked_by_two(options, large, rank, kLarge));
    gains.push_back(of_threads.back() / by_threads.back());
  }
  say("one_message", large.size(), 1e6 * one, "us");
  say("message_of_threads", large.size(), 1e6 * median(of_threads), "us");
  say("marked", large.size(), 1e6 * marked, "us");
  say("marked_by_threads", large.size(), 1e6 * median(by_threads), "us");
  say("threads_gain", large.size(), median(gains), "times");
}

#else

void measure(const Options& options, int rank) {
  std::vector<char> large(1 << 20);
  const double one = one_message(options, large, rank, [] {});
  if (rank == 0) print_figure("one_message", large.size(), 1e6 * one, "us");
}

#endif

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const Options options = parse_options(argc, argv);
  const World world;
  if (world.size == 2 && provided == MPI_THREAD_MULTIPLE) measure(options, world.rank);
  MPI_Finalize();
  return world.size == 2 && provided == MPI_THREAD_MULTIPLE ? 0 : 2;
}
