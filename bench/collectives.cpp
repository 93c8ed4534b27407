// SPDX-License-Identifier: BSD-3-Clause
// Collective operations by size: microseconds per call until the slowest rank is through.
//
// Programs call them in different ways, and each has its own figures. The patterns, of which the
// arguments choose some (all: all of them; none: changing, whose figures have no suffix):
//   changing  back to back, rooted operations with another root from call to call
//   fixed     back to back, root 0: a library that lets the root run ahead gains here
//   barrier   root 0, a barrier before each call, which is not counted
//   cold      as changing, with buffers that move through 32 MiB from call to call
// Nonblocking operations are waited for at once. A size is the number of bytes that one rank
// contributes to one other.
#include <string_view>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

const std::vector<std::size_t> kSizes{8, 64, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

constexpr std::size_t kCold = 32 << 20;  // bytes; more than a processor's share of any cache

// A buffer that lies somewhere else from call to call, or always in one place.
class Buffer {
 public:
  void prepare(std::size_t bytes, bool moves) {
    bytes_ = (bytes + kLine - 1) / kLine * kLine;
    at_ = 0;
    memory_.assign(moves ? std::max(kCold, bytes_) : bytes_, 0);
  }
  void move() { at_ = at_ + 2 * bytes_ <= memory_.size() ? at_ + bytes_ : 0; }
  char* data() { return memory_.data() + at_; }
  // Calls until it lies where it has lain before.
  long lap() const { return static_cast<long>(memory_.size() / std::max(bytes_, kLine)); }

 private:
  static constexpr std::size_t kLine = 64;
  std::vector<char> memory_;
  std::size_t bytes_ = 0, at_ = 0;
};

struct Call {
  World world;
  Buffer outgoing, incoming;
  std::vector<int> counts,
      places;  // of the operations that take one for each rank: all alike, in order
  int bytes = 0;
  int doubles = 0;
  MPI_Comm ring = MPI_COMM_NULL;

  Call() {
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &world.size, &periodic, 0, &ring);
  }
  ~Call() { MPI_Comm_free(&ring); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// `parts`: how many blocks of `size` bytes the larger side of the operation has.
  void prepare(std::size_t size, int parts, bool cold) {
    bytes = static_cast<int>(size);
    doubles = static_cast<int>(size / sizeof(double));
    outgoing.prepare(size * static_cast<std::size_t>(parts), cold);
    incoming.prepare(size * static_cast<std::size_t>(parts), cold);
    counts.assign(static_cast<std::size_t>(world.size), bytes);
    places.resize(counts.size());
    for (int rank = 0; rank < world.size; ++rank)
      places[static_cast<std::size_t>(rank)] = rank * bytes;
  }
};

using Operation = void (*)(Call& call, int root);

void barrier(Call&, int) {
  MPI_Barrier(MPI_COMM_WORLD);
}

void bcast(Call& c, int root) {
  MPI_Bcast(c.outgoing.data(), c.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

void reduce(Call& c, int root) {
  MPI_Reduce(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM, root,
             MPI_COMM_WORLD);
}

void allreduce(Call& c, int) {
  MPI_Allreduce(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
}

void allgather(Call& c, int) {
  MPI_Allgather(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
                MPI_COMM_WORLD);
}

void alltoall(Call& c, int) {
  MPI_Alltoall(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
               MPI_COMM_WORLD);
}

void gather(Call& c, int root) {
  MPI_Gather(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE, root,
             MPI_COMM_WORLD);
}

void scatter(Call& c, int root) {
  MPI_Scatter(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE, root,
              MPI_COMM_WORLD);
}

void reduce_scatter(Call& c, int) {
  MPI_Reduce_scatter_block(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD);
}

void scan(Call& c, int) {
  MPI_Scan(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void exscan(Call& c, int) {
  MPI_Exscan(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void allgatherv(Call& c, int) {
  MPI_Allgatherv(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.counts.data(),
                 c.places.data(), MPI_BYTE, MPI_COMM_WORLD);
}

void alltoallv(Call& c, int) {
  MPI_Alltoallv(c.outgoing.data(), c.counts.data(), c.places.data(), MPI_BYTE, c.incoming.data(),
                c.counts.data(), c.places.data(), MPI_BYTE, MPI_COMM_WORLD);
}

void gatherv(Call& c, int root) {
  MPI_Gatherv(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.counts.data(),
              c.places.data(), MPI_BYTE, root, MPI_COMM_WORLD);
}

void scatterv(Call& c, int root) {
  MPI_Scatterv(c.outgoing.data(), c.counts.data(), c.places.data(), MPI_BYTE, c.incoming.data(),
               c.bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

// Started and waited for at once.
void finish(MPI_Request& request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void ibarrier(Call&, int) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  finish(request);
}

void ibcast(Call& c, int root) {
  MPI_Request request;
  MPI_Ibcast(c.outgoing.data(), c.bytes, MPI_BYTE, root, MPI_COMM_WORLD, &request);
  finish(request);
}

void ireduce(Call& c, int root) {
  MPI_Request request;
  MPI_Ireduce(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM, root,
              MPI_COMM_WORLD, &request);
  finish(request);
}

void iallreduce(Call& c, int) {
  MPI_Request request;
  MPI_Iallreduce(c.outgoing.data(), c.incoming.data(), c.doubles, MPI_DOUBLE, MPI_SUM,
                 MPI_COMM_WORLD, &request);
  finish(request);
}

void iallgather(Call& c, int) {
  MPI_Request request;
  MPI_Iallgather(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
                 MPI_COMM_WORLD, &request);
  finish(request);
}

void ialltoall(Call& c, int) {
  MPI_Request request;
  MPI_Ialltoall(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
                MPI_COMM_WORLD, &request);
  finish(request);
}

// On a periodic ring: two neighbours each.
void neighbor_allgather(Call& c, int) {
  MPI_Neighbor_allgather(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
                         c.ring);
}

void neighbor_alltoall(Call& c, int) {
  MPI_Neighbor_alltoall(c.outgoing.data(), c.bytes, MPI_BYTE, c.incoming.data(), c.bytes, MPI_BYTE,
                        c.ring);
}

struct Figure {
  const char* name;
  Operation operation;
  bool has_size;    // barrier has none
  bool many_parts;  // one block per rank on one side
};

constexpr Figure kFigures[] = {{"barrier", barrier, false, false},
                               {"bcast", bcast, true, false},
                               {"reduce", reduce, true, false},
                               {"allreduce", allreduce, true, false},
                               {"allgather", allgather, true, true},
                               {"alltoall", alltoall, true, true},
                               {"gather", gather, true, true},
                               {"scatter", scatter, true, true},
                               {"reduce_scatter", reduce_scatter, true, true},
                               {"scan", scan, true, false},
                               {"exscan", exscan, true, false},
                               {"allgatherv", allgatherv, true, true},
                               {"alltoallv", alltoallv, true, true},
                               {"gatherv", gatherv, true, true},
                               {"scatterv", scatterv, true, true},
                               {"ibarrier", ibarrier, false, false},
                               {"ibcast", ibcast, true, false},
                               {"ireduce", ireduce, true, false},
                               {"iallreduce", iallreduce, true, false},
                               {"iallgather", iallgather, true, true},
                               {"ialltoall", ialltoall, true, true},
                               {"neighbor_allgather", neighbor_allgather, true, true},
                               {"neighbor_alltoall", neighbor_alltoall, true, true}};

enum class Pattern { changing, fixed, barrier, cold };

struct NamedPattern {
  const char* name;
  Pattern pattern;
  const char* suffix;  // of its figures
};
constexpr NamedPattern kPatterns[] = {{"changing", Pattern::changing, ""},
                                      {"fixed", Pattern::fixed, "_fixed"},
                                      {"barrier", Pattern::barrier, "_after_barrier"},
                                      {"cold", Pattern::cold, "_cold"}};

// Seconds of the calls alone.
double after_barriers(Call& call, Operation operation, long iterations) {
  double seconds = 0;
  for (long i = 0; i < iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    operation(call, 0);
    seconds += MPI_Wtime() - start;
  }
  return seconds;
}

// Calls after which a library has used all the memory that its short calls share.
constexpr long kFirstCalls = 256;

template <class Body>
double seconds_when_touched(const Call& call, const Options& options, Body body) {
  touch(options, body, std::max({kFirstCalls, call.outgoing.lap(), call.incoming.lap()}));
  return seconds_per_iteration(options, body);
}

double seconds_per_call(Call& call, Operation operation, Pattern pattern, const Options& options) {
  if (pattern == Pattern::barrier) {
    return seconds_when_touched(call, options, [&](long iterations) {
      return after_barriers(call, operation, iterations);
    });
  }
  const int roots = pattern == Pattern::fixed ? 1 : call.world.size;
  return seconds_when_touched(call, options, [&](long iterations) {
    for (long i = 0; i < iterations; ++i) {
      operation(call, static_cast<int>(i % roots));
      if (pattern == Pattern::cold) call.outgoing.move(), call.incoming.move();
    }
  });
}

void measure(Call& call, const Figure& figure, const NamedPattern& way, const Options& options) {
  const std::vector<std::size_t> sizes =
      figure.has_size ? options.sizes_or(kSizes) : std::vector<std::size_t>{0};
  if (!figure.has_size && way.pattern != Pattern::changing) return;
  const std::string name = std::string(figure.name) + way.suffix;
  for (std::size_t size : sizes) {
    call.prepare(size, figure.many_parts ? call.world.size : 1, way.pattern == Pattern::cold);
    const double seconds = seconds_per_call(call, figure.operation, way.pattern, options);
    if (call.world.rank == 0) print_figure(name, size, 1e6 * seconds, "us");
  }
}

// What the arguments behind the options name.
std::vector<NamedPattern> chosen_patterns(int argc, char** argv) {
  std::vector<NamedPattern> chosen;
  for (int i = optind; i < argc; ++i) {
    const std::size_t before = chosen.size();
    for (const NamedPattern& way : kPatterns) {
      if (argv[i] == std::string_view("all") || argv[i] == std::string_view(way.name))
        chosen.push_back(way);
    }
    if (chosen.size() == before)
      refuse("pattern", argv[i], "changing, fixed, barrier, cold or all");
  }
  if (chosen.empty()) chosen.push_back(kPatterns[0]);
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  const std::vector<NamedPattern> patterns = chosen_patterns(argc, argv);
  Call call;
  for (const Figure& figure : kFigures) {
    if (!session.options.wants(figure.name)) continue;
    for (const NamedPattern& way : patterns) measure(call, figure, way, session.options);
  }
  return 0;
}
