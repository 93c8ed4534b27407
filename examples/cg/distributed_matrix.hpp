// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix spread over ranks: who owns what, the halo exchange, sums that ignore the ranks.
#pragma once

#include <mpi.h>

#include <vector>

#include "csr_matrix.hpp"

namespace cg {

/// Cuts the rows into blocks, and gives each rank a run of whole blocks.
///
/// Floating-point sums depend on their order. Sums are taken per block, and the block sums are
/// added in block order, so that the digits of a dot product are the same on 1, 2 or 7 ranks and
/// whatever order the MPI library reduces in.
class Partition {
 public:
  Partition(int rows, int ranks);

  int rows() const { return rows_; }
  int blocks() const { return blocks_; }
  int first_block(int rank) const {
    return static_cast<int>(static_cast<long>(blocks_) * rank / ranks_);
  }
  int block_start(int block) const {
    return static_cast<int>(static_cast<long>(rows_) * block / blocks_);
  }
  int first_row(int rank) const { return block_start(first_block(rank)); }
  int owner(int row) const;

 private:
  int rows_, ranks_, blocks_;
};

/// One rank's rows. A vector that is multiplied has this rank's entries first, then the halo: the
/// entries of other ranks that its rows refer to. The plan (who sends which entries to whom) is
/// made once and used in every product.
class DistributedMatrix {
 public:
  /// Collective. Spreads `whole`, which only rank 0 needs to have, over the ranks of `comm`.
  DistributedMatrix(const CsrMatrix& whole, MPI_Comm comm);

  int rows() const { return own_.rows(); }
  int halo() const { return static_cast<int>(halo_columns_.size()); }
  int neighbours() const { return static_cast<int>(sources_.size()); }
  std::vector<double> diagonal() const;

  /// Collective. y = A x; x has rows() + halo() entries, of which the last halo() are filled in
  /// here.
  void multiply(std::vector<double>& x, std::vector<double>& y);

  /// Collective. The dot products a.b and c.d over all ranks, in one MPI_Allreduce; the same digits
  /// on any number of ranks up to the number of blocks.
  struct Dots {
    double first, second;
  };
  Dots dot(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c,
           const std::vector<double>& d);

 private:
  /// A run of entries that travels between this rank and another.
  struct Message {
    int rank, offset, count;
  };

  void scatter(const CsrMatrix& whole);
  void find_halo();
  void plan_exchange();
  void split_rows();
  void start_exchange(std::vector<double>& x);
  void multiply_rows(const std::vector<int>& which, const std::vector<double>& x,
                     std::vector<double>& y) const;
  double block_sum(int block, const std::vector<double>& a, const std::vector<double>& b) const;
  bool owns(int column) const { return column >= first_row_ && column < first_row_ + rows(); }

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  Partition partition_;
  int first_row_ = 0;
  CsrMatrix own_;                  // columns are global until find_halo() makes them positions in x
  std::vector<int> halo_columns_;  // global, ascending, hence grouped by owner
  std::vector<int> inner_rows_;    // need no halo: computed while it is on its way
  std::vector<int> border_rows_;
  std::vector<Message> sources_, targets_;
  std::vector<int> sent_entries_;  // positions in x of what is sent, grouped by target
  std::vector<double> outgoing_;
  std::vector<double> block_sums_;
  std::vector<MPI_Request> requests_;
};

}  // namespace cg
