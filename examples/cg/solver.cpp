// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients: one matrix product and two MPI_Allreduce per iteration.
#include "solver.hpp"

#include <cmath>

namespace cg {
namespace {

using Vector = std::vector<double>;

/// y = y + factor * x, over the rows of y.
void add(Vector& y, double factor, const Vector& x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

/// z = r / diagonal, the Jacobi preconditioner.
void precondition(Vector& z, const Vector& r, const Vector& diagonal) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = r[i] / diagonal[i];
}

/// p = z + factor * p, over the rows of z; p is longer, it ends in the halo.
void redirect(Vector& p, double factor, const Vector& z) {
  for (std::size_t i = 0; i < z.size(); ++i) p[i] = z[i] + factor * p[i];
}

/// |b - A x| from the definition: the recurrence for r drifts from it by rounding.
double true_residual(DistributedMatrix& matrix, const Vector& b, const Vector& x) {
  Vector extended = x, r(x.size());
  extended.resize(x.size() + matrix.halo());
  matrix.multiply(extended, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
  return std::sqrt(matrix.dot(r, r, r, r).first);
}

}  // namespace

Outcome conjugate_gradient(DistributedMatrix& matrix, const Vector& b, Vector& x,
                           const Limits& limits) {
  const Vector diagonal = matrix.diagonal();
  const std::size_t rows = b.size();
  Vector r = b, z(rows), q(rows), p(rows + matrix.halo(), 0.0);
  x.assign(rows, 0.0);
  precondition(z, r, diagonal);
  redirect(p, 0.0, z);
  auto [rz, rr] = matrix.dot(r, z, r, r);
  const double norm_b = std::sqrt(rr), goal = limits.tolerance * norm_b;

  Outcome outcome;
  while (std::sqrt(rr) > goal && outcome.iterations < limits.max_iterations) {
    matrix.multiply(p, q);
    const double curvature = matrix.dot(p, q, p, q).first;
    outcome.positive_definite = curvature > 0;
    if (!outcome.positive_definite) break;
    const double step = rz / curvature;
    add(x, step, p);
    add(r, -step, q);
    precondition(z, r, diagonal);
    const auto [next_rz, next_rr] = matrix.dot(r, z, r, r);
    redirect(p, next_rz / rz, z);
    rz = next_rz;
    rr = next_rr;
    ++outcome.iterations;
  }
  outcome.converged = std::sqrt(rr) <= goal;
  outcome.residual = norm_b > 0 ? true_residual(matrix, b, x) / norm_b : 0.0;
  return outcome;
}

}  // namespace cg
