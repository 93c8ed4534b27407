// SPDX-License-Identifier: BSD-3-Clause
// Collective operations back to back, by size: microseconds per call until the slowest rank is
// through.
//
// Rooted operations change the root from call to call; with a fixed root a library that lets the
// root run ahead would be measured at the root's pace, not at that of the data. Nonblocking ones
// are waited for at once. A size is the number of bytes that one rank contributes to one other.
#include "measure.hpp"

namespace {

using namespace tessera::bench;

const std::vector<std::size_t> kSizes{8, 64, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

struct Call {
  World world;
  std::vector<char> outgoing, incoming;
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
  void prepare(std::size_t size, int parts) {
    bytes = static_cast<int>(size);
    doubles = static_cast<int>(size / sizeof(double));
    outgoing.assign(size * static_cast<std::size_t>(parts), 0);
    incoming.assign(size * static_cast<std::size_t>(parts), 0);
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

void measure(Call& call, const Figure& figure, const Options& options) {
  const std::vector<std::size_t> sizes =
      figure.has_size ? options.sizes_or(kSizes) : std::vector<std::size_t>{0};
  for (std::size_t size : sizes) {
    call.prepare(size, figure.many_parts ? call.world.size : 1);
    const double seconds = seconds_per_iteration(options, [&](long iterations) {
      for (long i = 0; i < iterations; ++i)
        figure.operation(call, static_cast<int>(i % call.world.size));
    });
    if (call.world.rank == 0) print_figure(figure.name, size, 1e6 * seconds, "us");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  Call call;
  for (const Figure& figure : kFigures) {
    if (session.options.wants(figure.name)) measure(call, figure, session.options);
  }
  return 0;
}
