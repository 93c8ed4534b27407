// SPDX-License-Identifier: BSD-3-Clause
// The conjugate-gradient method with Jacobi preconditioning on a distributed matrix.
#pragma once

#include <vector>

#include "distributed_matrix.hpp"

namespace cg {

struct Limits {
  double tolerance = 1e-8;  // on |b - A x| / |b|
  int max_iterations = 10000;
};

struct Outcome {
  bool converged = false;
  bool positive_definite =
      true;  // false: p.Ap was not positive in the last iteration, the method does not apply
  int iterations = 0;
  double residual = 0;  // |b - A x| / |b|, from a fresh product with the final x
};

/// Collective. Solves A x = b from x = 0; `x` and `b` have this rank's rows. Hestenes and Stiefel,
/// J. Res. NBS 49 (1952) 409.
Outcome conjugate_gradient(DistributedMatrix& matrix, const std::vector<double>& b,
                           std::vector<double>& x, const Limits& limits);

}  // namespace cg
