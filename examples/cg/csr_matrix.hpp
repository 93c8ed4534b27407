// SPDX-License-Identifier: BSD-3-Clause
// A sparse square matrix in compressed rows, and the reader of Matrix Market files that makes one.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace cg {

/// Row i has the entries row_start[i] .. row_start[i + 1] - 1; columns ascend within a row and
/// count from 0.
struct CsrMatrix {
  std::vector<int> row_start;
  std::vector<int> columns;
  std::vector<double> values;

  int rows() const { return row_start.empty() ? 0 : static_cast<int>(row_start.size()) - 1; }
};

/// Says what is wrong with the input, where, and what would be right.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a coordinate Matrix Market file (real, integer or pattern; general or symmetric), plain or
/// gzipped. Both triangles of a symmetric matrix are stored, entries given twice are added. Format:
/// Boisvert, Pozo, Remington, NISTIR 5935 (1996). Throws InputError, with the line, for anything
/// that is not such a file.
CsrMatrix read_matrix_market(const std::string& path);

/// Conjugate gradients need a symmetric matrix with a positive diagonal; throws InputError naming
/// the first entry that is not.
void require_symmetric_positive_diagonal(const CsrMatrix& matrix);

}  // namespace cg
