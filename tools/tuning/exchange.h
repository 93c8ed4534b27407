// SPDX-License-Identifier: BSD-3-Clause
// The collective operations that the tuner measures: Exchange.
#pragma once
//
// Contract. An Exchange is one operation with one amount of data on the processes of
// MPI_COMM_WORLD, with the buffers of this process. `bytes` is what rules compare: the vector in
// bcast and reductions, one block elsewhere; of v- and w-variants, whose blocks differ, the middle
// one. All data are doubles. Neighbourhoods are those of a periodic Cartesian topology of two
// dimensions.
//
#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tuning {

class World {
 public:
  int rank = 0;
  int size = 1;
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Comm reversed = MPI_COMM_NULL;  // the same processes, the last one first
  std::array<int, 4> neighbours{};    // in the order of the arguments: two per dimension

  World();  // collective
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  // Two areas that no cache holds, of at least so many elements. Valid until the next call that
  // asks for more.
  std::span<double> uncached(std::size_t area, std::size_t elements) const;

 private:
  mutable std::array<std::vector<double>, 2> areas_;
};

enum class Shape {
  none,
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  blocks,
  scan,
  neighbours
};

class Exchange;
struct Kind {
  const char* name;
  Shape shape;
  bool uneven;    // blocks differ from process to process
  bool personal;  // neighbourhoods: another block for each neighbour; scans: without the own
                  // contribution
  void (*call)(const Exchange& exchange, MPI_Comm comm, int root);
};
// Null: there is no such operation.
const Kind* find_kind(std::string_view operation) noexcept;

class Exchange {
 public:
  Exchange(const Kind& kind, const World& world, std::size_t bytes);

  void run(MPI_Comm comm, int root) const { kind_.call(*this, comm, root); }
  // From now on the buffers lie where no cache holds them, or where they lay at first; move() takes
  // them to memory that was not used for long.
  void leave_caches(bool leave);
  void move() noexcept { out.move(), in.move(); }
  bool rooted() const noexcept;
  bool has_data() const noexcept { return kind_.shape != Shape::none; }
  // Collective over MPI_COMM_WORLD. Carries the operation out once and compares what arrived with
  // what must arrive. Empty: all is well; else what this process found.
  std::string verify(MPI_Comm comm, int root);
  // The communicators on whose duplicates the operation is called in turn. In scans the first
  // process need not wait for the others and would run ahead; next time it is the last one, as
  // roots change from call to call.
  std::vector<MPI_Comm> parents() const;

  // Consecutive blocks, as MPI's arguments describe them.
  struct Side {
    std::vector<int> counts, places, byte_places;
    std::vector<MPI_Datatype> types;
    mutable std::vector<double> data;
    std::span<double> uncached{};  // where the buffer lies instead, unless empty
    std::size_t place = 0;         // of the buffer in it
    void add(int count);
    int total() const noexcept { return static_cast<int>(data.size()); }
    double* begin() const noexcept {
      return uncached.empty() ? data.data() : uncached.data() + place;
    }
    void move() noexcept;
  };
  Side out, in;

 private:
  struct Origin {
    int rank;   // who sent it; of reductions, the last one in the sum
    int block;  // the number of the block there
  };
  int length(int key) const noexcept;
  void lay_out_blocks();
  void lay_out_neighbours();
  void lay_out_vectors();
  void fill(int root);
  Origin origin(int block, int root) const noexcept;
  double expected(int block, int element, int root) const noexcept;
  std::string compare(int root) const;
  std::string verify_barrier(MPI_Comm comm) const;

  const Kind& kind_;
  const World& world_;
  int middle_;  // elements
};

}  // namespace tessera::tuning
