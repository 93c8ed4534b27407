// SPDX-License-Identifier: BSD-3-Clause
// Two ranks: latency, bandwidth, both directions, message rate, and the cost of long matching
// queues.
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr int kWindow = 64;     // messages in flight in the bandwidth and rate measurements
constexpr int kTag = 1;         // what is measured
constexpr int kReplyTag = 2;    // end of a window
constexpr int kOtherTag = 100;  // first of the tags that fill the queues and never match

const std::vector<std::size_t> kLatencySizes{
    0, 8, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
const std::vector<std::size_t> kBandwidthSizes{8,        64,       256,       1 << 10, 4 << 10,
                                               16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
const std::vector<std::size_t> kQueueDepths{1, 1000, 10000};

constexpr std::size_t kMoving = 32 << 20;  // bytes that cold and new messages move through

// Bandwidth tests use one send and one receive buffer for all messages of a window, as such tests
// commonly do; so it is the cache, not main memory, that is read. Cold messages each lie in other
// memory that was used before; new ones in memory that was never used, as after malloc: the sender
// writes them before it sends them.
enum class Buffers { reused, cold, fresh };

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  void prepare(std::size_t bytes, Buffers kind) {
    release();
    kind_ = kind;
    room_ = std::max<std::size_t>(room_for(bytes), 1);
    lap_ = kind == Buffers::cold
               ? static_cast<long>(room_ / std::max<std::size_t>(lines_of(bytes), 1))
               : 1;
    take();
    if (kind != Buffers::fresh) std::memset(base_, 'x', room_);
  }
  // Where a message of so many bytes lies; the next one elsewhere, if there is room.
  char* next(std::size_t bytes) {
    if (at_ + bytes > room_) rewind();
    char* const here = base_ + at_;
    at_ += kind_ == Buffers::reused ? 0 : lines_of(bytes);
    return here;
  }
  // Messages until one lies where another has lain.
  long lap() const { return lap_; }
  char* next_written(std::size_t bytes) {
    char* const here = next(bytes);
    if (kind_ == Buffers::fresh) std::memset(here, 'x', bytes);
    return here;
  }

 private:
  static std::size_t lines_of(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  // New memory is given back only between windows.
  std::size_t room_for(std::size_t bytes) const {
    if (kind_ == Buffers::reused) return bytes;
    const std::size_t window = kWindow * std::max<std::size_t>(lines_of(bytes), 64);
    return kind_ == Buffers::cold ? std::max(kMoving, bytes)
                                  : window * std::max<std::size_t>(kMoving / window, 1);
  }
  void take() {
    void* const memory =
        mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("p2p: mmap");
      std::exit(1);
    }
    base_ = static_cast<char*>(memory);
    at_ = 0;
  }
  void release() {
    if (base_ != nullptr) munmap(base_, room_);
    base_ = nullptr;
  }
  void rewind() {
    at_ = 0;
    if (kind_ == Buffers::fresh) release(), take();
  }

  char* base_ = nullptr;
  std::size_t room_ = 0, at_ = 0;
  Buffers kind_ = Buffers::reused;
  long lap_ = 1;
};

/// The two ranks and their buffers.
struct Pair {
  World world;
  int peer = 1 - world.rank;
  Memory outgoing, incoming;
  std::vector<MPI_Request> requests;

  bool first() const { return world.rank == 0; }

  void prepare(std::size_t bytes, Buffers kind = Buffers::reused) {
    outgoing.prepare(bytes, kind);
    incoming.prepare(bytes, kind);
  }
  void send(std::size_t bytes, int tag) {
    MPI_Send(outgoing.next_written(bytes), static_cast<int>(bytes), MPI_BYTE, peer, tag,
             MPI_COMM_WORLD);
  }
  void receive(std::size_t bytes, int tag) {
    MPI_Recv(incoming.next(bytes), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  void start_send(std::size_t bytes, int tag) {
    MPI_Isend(outgoing.next_written(bytes), static_cast<int>(bytes), MPI_BYTE, peer, tag,
              MPI_COMM_WORLD, &requests.emplace_back());
  }
  void start_receive(std::size_t bytes, int tag) {
    MPI_Irecv(incoming.next(bytes), static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
              &requests.emplace_back());
  }
  void wait_all() {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }
  void report(const char* figure, std::size_t size, double value, const char* unit) const {
    if (first()) print_figure(figure, size, value, unit);
  }
};

void ping_pong(Pair& pair, std::size_t bytes, long iterations) {
  for (long i = 0; i < iterations; ++i) {
    if (pair.first()) pair.send(bytes, kTag);
    pair.receive(bytes, kTag);
    if (!pair.first()) pair.send(bytes, kTag);
  }
}

/// Messages after which a library has used all the memory that they share.
constexpr long kFirstMessages = 256;

/// Seconds per iteration of so many messages, once the buffers have been touched.
template <class Body>
double seconds_when_touched(const Pair& pair, const Options& options, long messages, Body body) {
  touch(options, body, std::max(kFirstMessages, pair.outgoing.lap()) / messages);
  return seconds_per_iteration(options, body);
}

double one_way_microseconds(Pair& pair, const Options& options, std::size_t bytes) {
  return 1e6 / 2 * seconds_when_touched(pair, options, 1, [&](long iterations) {
           ping_pong(pair, bytes, iterations);
         });
}

void measure_latency(Pair& pair, const Options& options, const char* figure, Buffers kind) {
  for (std::size_t bytes : options.sizes_or(kLatencySizes)) {
    pair.prepare(bytes, kind);
    pair.report(figure, bytes, one_way_microseconds(pair, options, bytes), "us");
  }
}

/// Windows of messages from rank 0 to rank 1; an empty reply ends each.
void stream(Pair& pair, std::size_t bytes, long windows) {
  for (long w = 0; w < windows; ++w) {
    for (int i = 0; i < kWindow; ++i) {
      if (pair.first()) {
        pair.start_send(bytes, kTag);
      } else {
        pair.start_receive(bytes, kTag);
      }
    }
    pair.wait_all();
    if (pair.first()) {
      pair.receive(0, kReplyTag);
    } else {
      pair.send(0, kReplyTag);
    }
  }
}

/// Windows of messages both ways at once.
void exchange(Pair& pair, std::size_t bytes, long windows) {
  for (long w = 0; w < windows; ++w) {
    for (int i = 0; i < kWindow; ++i) pair.start_receive(bytes, kTag);
    for (int i = 0; i < kWindow; ++i) pair.start_send(bytes, kTag);
    pair.wait_all();
  }
}

void measure_bandwidth(Pair& pair, const Options& options, const char* figure, Buffers kind) {
  for (std::size_t bytes : options.sizes_or(kBandwidthSizes)) {
    pair.prepare(bytes, kind);
    const double window =
        seconds_when_touched(pair, options, kWindow, [&](long n) { stream(pair, bytes, n); });
    pair.report(figure, bytes, 1e-9 * kWindow * static_cast<double>(bytes) / window, "GB/s");
  }
}

void measure_bidirectional(Pair& pair, const Options& options) {
  for (std::size_t bytes : options.sizes_or(kBandwidthSizes)) {
    pair.prepare(bytes);
    const double window =
        seconds_when_touched(pair, options, kWindow, [&](long n) { exchange(pair, bytes, n); });
    pair.report("bidirectional", bytes, 2e-9 * kWindow * static_cast<double>(bytes) / window,
                "GB/s");
  }
}

void measure_message_rate(Pair& pair, const Options& options) {
  pair.prepare(8);
  const double window = seconds_per_iteration(options, [&](long n) { stream(pair, 8, n); });
  pair.report("message_rate", 8, 1e-6 * kWindow / window, "M/s");
}

/// 8-byte latency while `depth` receives that do not match stand before the one that does, on both
/// ranks.
void measure_posted(Pair& pair, const Options& options) {
  for (std::size_t depth : kQueueDepths) {
    pair.prepare(8);
    for (std::size_t i = 0; i < depth; ++i) pair.start_receive(8, kOtherTag + static_cast<int>(i));
    pair.report("posted_queue", depth, one_way_microseconds(pair, options, 8), "us");
    for (std::size_t i = 0; i < depth; ++i) pair.start_send(8, kOtherTag + static_cast<int>(i));
    pair.wait_all();
  }
}

/// 8-byte latency while `depth` unexpected messages that nobody receives yet lie before the one
/// wanted, on both ranks.
void measure_unexpected(Pair& pair, const Options& options) {
  for (std::size_t depth : kQueueDepths) {
    pair.prepare(8);
    for (std::size_t i = 0; i < depth; ++i) pair.start_send(8, kOtherTag + static_cast<int>(i));
    pair.report("unexpected_queue", depth, one_way_microseconds(pair, options, 8), "us");
    for (std::size_t i = 0; i < depth; ++i) pair.start_receive(8, kOtherTag + static_cast<int>(i));
    pair.wait_all();
  }
}

void measure_all(Pair& pair, const Options& options) {
  for (const auto& [kind, suffix] :
       {std::pair{Buffers::reused, ""}, {Buffers::cold, "_cold"}, {Buffers::fresh, "_new"}}) {
    const std::string latency = std::string("latency") + suffix;
    const std::string bandwidth = std::string("bandwidth") + suffix;
    if (options.wants(latency)) measure_latency(pair, options, latency.c_str(), kind);
    if (options.wants(bandwidth)) measure_bandwidth(pair, options, bandwidth.c_str(), kind);
  }
  if (options.wants("bidirectional")) measure_bidirectional(pair, options);
  if (options.wants("message_rate")) measure_message_rate(pair, options);
  if (options.wants("posted_queue")) measure_posted(pair, options);
  if (options.wants("unexpected_queue")) measure_unexpected(pair, options);
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  Pair pair;
  if (pair.world.size != 2) {
    if (pair.first())
      std::fprintf(stderr, "p2p: runs on 2 ranks, not %d: mpiexec -n 2 p2p\n", pair.world.size);
    return 1;
  }
  measure_all(pair, session.options);
  return 0;
}
