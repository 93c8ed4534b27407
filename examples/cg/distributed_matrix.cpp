// SPDX-License-Identifier: BSD-3-Clause
// Spreads the rows, plans the halo exchange once with MPI_Alltoall(v), uses the plan in every
// product.
#include "distributed_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace cg {
namespace {

constexpr int kBlocks = 64;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

int rows_everywhere(const CsrMatrix& whole, MPI_Comm comm) {
  int rows = whole.rows();
  MPI_Bcast(&rows, 1, MPI_INT, 0, comm);
  return rows;
}

/// Where each run begins when runs of these lengths are laid end to end.
std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

/// Rank 0 hands out `all`, counts[r] elements to rank r; every rank gets its part in `mine`, which
/// has the right size.
template <class T>
void hand_out(const std::vector<T>& all, const std::vector<int>& counts, std::vector<T>& mine,
              MPI_Datatype type, MPI_Comm comm) {
  const std::vector<int> offsets = offsets_of(counts);
  MPI_Scatterv(all.data(), counts.data(), offsets.data(), type, mine.data(),
               static_cast<int>(mine.size()), type, 0, comm);
}

/// Counts in, offsets kept, empty runs left out.
template <class Message>
std::vector<Message> messages(const std::vector<int>& counts) {
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<Message> result;
  for (int rank = 0; rank < static_cast<int>(counts.size()); ++rank) {
    if (counts[rank] > 0) result.push_back({rank, offsets[rank], counts[rank]});
  }
  return result;
}

}  // namespace

Partition::Partition(int rows, int ranks)
    : rows_(rows), ranks_(ranks), blocks_(std::max(kBlocks, ranks)) {}

int Partition::owner(int row) const {
  int low = 0, high = ranks_ - 1;  // the last rank whose rows start at or before `row`
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (first_row(middle) <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

DistributedMatrix::DistributedMatrix(const CsrMatrix& whole, MPI_Comm comm)
    : comm_(comm),
      rank_(rank_in(comm)),
      ranks_(size_of(comm)),
      partition_(rows_everywhere(whole, comm), ranks_),
      first_row_(partition_.first_row(rank_)) {
  scatter(whole);
  find_halo();
  plan_exchange();
  split_rows();
}

void DistributedMatrix::scatter(const CsrMatrix& whole) {
  std::vector<int> row_counts(ranks_), entry_counts(ranks_), row_lengths(whole.rows());
  for (int r = 0; r < ranks_; ++r)
    row_counts[r] = partition_.first_row(r + 1) - partition_.first_row(r);
  if (rank_ == 0) {
    for (int i = 0; i < whole.rows(); ++i)
      row_lengths[i] = whole.row_start[i + 1] - whole.row_start[i];
    for (int r = 0; r < ranks_; ++r) {
      entry_counts[r] =
          whole.row_start[partition_.first_row(r + 1)] - whole.row_start[partition_.first_row(r)];
    }
  }
  int own_entries = 0;
  MPI_Scatter(entry_counts.data(), 1, MPI_INT, &own_entries, 1, MPI_INT, 0, comm_);
  std::vector<int> lengths(row_counts[rank_]);
  hand_out(row_lengths, row_counts, lengths, MPI_INT, comm_);
  own_.row_start.assign(lengths.size() + 1, 0);
  std::inclusive_scan(lengths.begin(), lengths.end(), own_.row_start.begin() + 1);
  own_.columns.resize(own_entries);
  own_.values.resize(own_entries);
  hand_out(whole.columns, entry_counts, own_.columns, MPI_INT, comm_);
  hand_out(whole.values, entry_counts, own_.values, MPI_DOUBLE, comm_);
}

/// Lists the foreign columns and turns all columns into positions in x. The order of entries in a
/// row stays as it was, so that a product has the same digits on any number of ranks.
void DistributedMatrix::find_halo() {
  for (int column : own_.columns) {
    if (!owns(column)) halo_columns_.push_back(column);
  }
  std::sort(halo_columns_.begin(), halo_columns_.end());
  halo_columns_.erase(std::unique(halo_columns_.begin(), halo_columns_.end()), halo_columns_.end());
  for (int& column : own_.columns) {
    if (owns(column)) {
      column -= first_row_;
    } else {
      const auto at = std::lower_bound(halo_columns_.begin(), halo_columns_.end(), column);
      column = rows() + static_cast<int>(at - halo_columns_.begin());
    }
  }
}

/// Each rank knows what it needs; after one MPI_Alltoall of counts and one MPI_Alltoallv of row
/// numbers it knows what to send.
void DistributedMatrix::plan_exchange() {
  std::vector<int> needed(ranks_, 0), wanted(ranks_, 0);
  for (int column : halo_columns_) ++needed[partition_.owner(column)];
  MPI_Alltoall(needed.data(), 1, MPI_INT, wanted.data(), 1, MPI_INT, comm_);
  sent_entries_.resize(std::accumulate(wanted.begin(), wanted.end(), 0));
  const std::vector<int> needed_offsets = offsets_of(needed), wanted_offsets = offsets_of(wanted);
  MPI_Alltoallv(halo_columns_.data(), needed.data(), needed_offsets.data(), MPI_INT,
                sent_entries_.data(), wanted.data(), wanted_offsets.data(), MPI_INT, comm_);
  for (int& entry : sent_entries_) entry -= first_row_;
  sources_ = messages<Message>(needed);
  targets_ = messages<Message>(wanted);
  outgoing_.resize(sent_entries_.size());
  block_sums_.resize(2 * static_cast<std::size_t>(partition_.blocks()));
}

void DistributedMatrix::split_rows() {
  for (int row = 0; row < rows(); ++row) {
    const auto begin = own_.columns.begin() + own_.row_start[row],
               end = own_.columns.begin() + own_.row_start[row + 1];
    const bool inner = std::all_of(begin, end, [this](int position) { return position < rows(); });
    (inner ? inner_rows_ : border_rows_).push_back(row);
  }
}

std::vector<double> DistributedMatrix::diagonal() const {
  std::vector<double> result(rows(), 0.0);
  for (int row = 0; row < rows(); ++row) {
    for (int k = own_.row_start[row]; k < own_.row_start[row + 1]; ++k) {
      if (own_.columns[k] == row) result[row] = own_.values[k];
    }
  }
  return result;
}

void DistributedMatrix::multiply(std::vector<double>& x, std::vector<double>& y) {
  start_exchange(x);
  multiply_rows(inner_rows_, x, y);
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  multiply_rows(border_rows_, x, y);
}

void DistributedMatrix::start_exchange(std::vector<double>& x) {
  requests_.clear();
  for (const Message& m : sources_) {
    MPI_Irecv(x.data() + rows() + m.offset, m.count, MPI_DOUBLE, m.rank, 0, comm_,
              &requests_.emplace_back());
  }
  for (std::size_t i = 0; i < outgoing_.size(); ++i) outgoing_[i] = x[sent_entries_[i]];
  for (const Message& m : targets_) {
    MPI_Isend(outgoing_.data() + m.offset, m.count, MPI_DOUBLE, m.rank, 0, comm_,
              &requests_.emplace_back());
  }
}

void DistributedMatrix::multiply_rows(const std::vector<int>& which, const std::vector<double>& x,
                                      std::vector<double>& y) const {
  for (int row : which) {
    double sum = 0;
    for (int k = own_.row_start[row]; k < own_.row_start[row + 1]; ++k)
      sum += own_.values[k] * x[own_.columns[k]];
    y[row] = sum;
  }
}

double DistributedMatrix::block_sum(int block, const std::vector<double>& a,
                                    const std::vector<double>& b) const {
  const int begin = partition_.block_start(block) - first_row_,
            end = partition_.block_start(block + 1) - first_row_;
  double sum = 0;
  for (int i = begin; i < end; ++i) sum += a[i] * b[i];
  return sum;
}

DistributedMatrix::Dots DistributedMatrix::dot(const std::vector<double>& a,
                                               const std::vector<double>& b,
                                               const std::vector<double>& c,
                                               const std::vector<double>& d) {
  const int blocks = partition_.blocks();
  std::fill(block_sums_.begin(), block_sums_.end(), 0.0);
  for (int block = partition_.first_block(rank_); block < partition_.first_block(rank_ + 1);
       ++block) {
    block_sums_[block] = block_sum(block, a, b);
    block_sums_[blocks + block] = block_sum(block, c, d);
  }
  // Every slot is filled by one rank and zero elsewhere, so the reduction is exact in any order.
  MPI_Allreduce(MPI_IN_PLACE, block_sums_.data(), 2 * blocks, MPI_DOUBLE, MPI_SUM, comm_);
  const auto middle = block_sums_.begin() + blocks;
  return {std::accumulate(block_sums_.begin(), middle, 0.0),
          std::accumulate(middle, block_sums_.end(), 0.0)};
}

}  // namespace cg
