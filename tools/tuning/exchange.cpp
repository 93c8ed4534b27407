// SPDX-License-Identifier: BSD-3-Clause
// The collective operations that the tuner measures: how data are laid out, and what must arrive.
#include "exchange.h"

#include <algorithm>
#include <utility>

namespace tessera::tuning {

namespace {

// Exact in a double, also when summed over a million processes.
double value(int rank, int block, int element) noexcept {
  return rank * 1048576.0 + block * 1024.0 + element % 1021;
}

// The sum of value(rank, 0, element) over ranks 0..last.
double sum(int last, int element) noexcept {
  const double ranks = last + 1.0;
  return 1048576.0 * ranks * last / 2 + ranks * (element % 1021);
}

}  // namespace

World::World() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::array<int, 2> sides{};
  const std::array<int, 2> periodic{1, 1};
  MPI_Dims_create(size, 2, sides.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides.data(), periodic.data(), 0, &grid);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
  MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
}

std::span<double> World::uncached(std::size_t area, std::size_t elements) const {
  constexpr std::size_t kLarge = (32 << 20) / sizeof(double);  // than a processor's share of caches
  std::vector<double>& memory = areas_[area];
  if (memory.size() < std::max(elements, kLarge)) memory.resize(std::max(elements, kLarge));
  return memory;
}

World::~World() {
  MPI_Comm_free(&grid);
  MPI_Comm_free(&reversed);
}

void Exchange::Side::add(int count) {
  places.push_back(total());
  byte_places.push_back(total() * static_cast<int>(sizeof(double)));
  counts.push_back(count);
  types.push_back(MPI_DOUBLE);
  data.resize(data.size() + static_cast<std::size_t>(count));
}

void Exchange::Side::move() noexcept {
  constexpr std::size_t kLine = 8;  // elements
  place += (data.size() + kLine - 1) / kLine * kLine;
  if (place + data.size() > uncached.size()) place = 0;
}

void Exchange::leave_caches(bool leave) {
  for (const auto& [side, area] : {std::pair{&out, 0}, std::pair{&in, 1}}) {
    side->uncached = leave ? world_.uncached(area, side->data.size()) : std::span<double>();
    side->place = 0;
  }
}

Exchange::Exchange(const Kind& kind, const World& world, std::size_t bytes)
    : kind_(kind), world_(world), middle_(static_cast<int>(bytes / sizeof(double))) {
  if (kind_.shape == Shape::neighbours)
    lay_out_neighbours();
  else if (kind_.shape == Shape::gather || kind_.shape == Shape::scatter ||
           kind_.shape == Shape::allgather || kind_.shape == Shape::alltoall)
    lay_out_blocks();
  else if (kind_.shape != Shape::none)
    lay_out_vectors();
}

std::vector<MPI_Comm> Exchange::parents() const {
  if (kind_.shape == Shape::scan) return {MPI_COMM_WORLD, world_.reversed};
  return {kind_.shape == Shape::neighbours ? world_.grid : MPI_COMM_WORLD};
}

bool Exchange::rooted() const noexcept {
  return kind_.shape == Shape::bcast || kind_.shape == Shape::gather ||
         kind_.shape == Shape::scatter || kind_.shape == Shape::reduce;
}

// The elements of a block: half of the middle, the middle, or once and a half.
int Exchange::length(int key) const noexcept {
  if (!kind_.uneven || key % 3 == 1) return middle_;
  return key % 3 == 0 ? middle_ / 2 : middle_ + middle_ / 2;
}

void Exchange::lay_out_blocks() {
  const bool one_out = kind_.shape == Shape::gather || kind_.shape == Shape::allgather;
  const bool one_in = kind_.shape == Shape::scatter;
  const int own =
      kind_.shape == Shape::alltoall ? world_.rank : 0;  // the key of a pair is symmetric
  for (int i = 0; i < world_.size; ++i) {
    if (!one_out) out.add(length(i + own));
    if (!one_in) in.add(length(i + own));
  }
  if (one_out) out.add(length(world_.rank));
  if (one_in) in.add(length(world_.rank));
}

void Exchange::lay_out_neighbours() {
  const int slots = static_cast<int>(world_.neighbours.size());
  for (int i = 0; i < slots; ++i) {
    if (kind_.personal) out.add(length(i / 2));
    in.add(length(kind_.personal ? i / 2 : world_.neighbours[static_cast<std::size_t>(i)]));
  }
  if (!kind_.personal) out.add(length(world_.rank));
}

// `in` of reductions that scatter: one block per process, of which only the own one is received, at
// the beginning.
void Exchange::lay_out_vectors() {
  out.add(middle_);
  if (kind_.shape != Shape::blocks) {
    in.add(middle_);
    return;
  }
  for (int i = 0; i < world_.size; ++i)
    in.add(middle_ / world_.size + (i < middle_ % world_.size ? 1 : 0));
}

void Exchange::fill(int root) {
  for (std::size_t b = 0; b < out.counts.size(); ++b) {
    for (int j = 0; j < out.counts[b]; ++j)
      out.data[static_cast<std::size_t>(out.places[b] + j)] =
          value(world_.rank, static_cast<int>(b), j);
  }
  std::fill(in.data.begin(), in.data.end(), -1.0);
  if (kind_.shape == Shape::bcast && world_.rank == root) in.data = out.data;
}

Exchange::Origin Exchange::origin(int block, int root) const noexcept {
  switch (kind_.shape) {
    case Shape::bcast:
      return {root, 0};
    case Shape::scatter:
      return {root, world_.rank};
    case Shape::gather:
    case Shape::allgather:
      return {block, 0};
    case Shape::alltoall:
      return {block, world_.rank};
    case Shape::neighbours:  // what goes in one direction of a dimension comes from the other one
      return {world_.neighbours[static_cast<std::size_t>(block)], kind_.personal ? block ^ 1 : 0};
    default:
      return {world_.size - 1, 0};
  }
}

double Exchange::expected(int block, int element, int root) const noexcept {
  const Origin from = origin(block, root);
  switch (kind_.shape) {
    case Shape::reduce:
    case Shape::allreduce:
      return sum(from.rank, element);
    case Shape::blocks:
      return sum(from.rank, in.places[static_cast<std::size_t>(world_.rank)] + element);
    case Shape::scan:
      return sum(kind_.personal ? world_.rank - 1 : world_.rank, element);
    default:
      return value(from.rank, from.block, element);
  }
}

std::string Exchange::compare(int root) const {
  const bool only_root = kind_.shape == Shape::gather || kind_.shape == Shape::reduce;
  if (only_root && world_.rank != root) return "";
  if (kind_.shape == Shape::scan && kind_.personal && world_.rank == 0)
    return "";  // exscan: undefined
  const bool own = kind_.shape == Shape::blocks;
  const std::size_t blocks = own ? 1 : in.counts.size();
  for (std::size_t b = 0; b < blocks; ++b) {
    const int count = in.counts[own ? static_cast<std::size_t>(world_.rank) : b];
    for (int j = 0; j < count; ++j) {
      const double found = in.data[static_cast<std::size_t>(in.places[b] + j)];
      const double wanted = expected(static_cast<int>(b), j, root);
      if (found != wanted)
        return "rank " + std::to_string(world_.rank) + ", root " + std::to_string(root) +
               ": element " + std::to_string(j) + " of block " + std::to_string(b) + " is " +
               std::to_string(found) + ", not " + std::to_string(wanted);
    }
  }
  return "";
}

// Nobody may leave before the last has come; the processes of one machine share a clock.
std::string Exchange::verify_barrier(MPI_Comm comm) const {
  double came = MPI_Wtime();
  kind_.call(*this, comm, 0);
  double left = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return left >= came ? ""
                      : "rank " + std::to_string(world_.rank) + " left before the last had come";
}

std::string Exchange::verify(MPI_Comm comm, int root) {
  if (kind_.shape == Shape::none) return verify_barrier(comm);
  fill(rooted() ? root : 0);
  kind_.call(*this, comm, root);
  return compare(rooted() ? root : 0);
}

}  // namespace tessera::tuning
