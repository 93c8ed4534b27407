// SPDX-License-Identifier: BSD-3-Clause
// MPI_Dims_create: extents as equal as can be (MPI-5.0 §8.5.2).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "api/errors/error.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Finds the factorization of a number into a given number of factors, in falling order, whose
// largest and smallest factor differ least; among those, the one with the smallest first factor,
// then second, and so on. Depth first from large to small, over divisors only; what cannot beat the
// best one is not followed.
class Balance {
 public:
  Balance(long number, int factors) : most_(number), current_(static_cast<std::size_t>(factors)) {
    for (long d = 1; d * d <= number; ++d) {
      if (number % d != 0) continue;
      divisors_.push_back(d);
      if (d * d != number) divisors_.push_back(number / d);
    }
    std::sort(divisors_.begin(), divisors_.end());
    search(0, number);
  }
  const std::vector<long>& best() const noexcept { return best_; }

 private:
  // Whether `factors` factors of at least `least` have room in `rest`.
  static bool room(long rest, long least, std::size_t factors) noexcept {
    long product = 1;
    for (std::size_t i = 0; i < factors && product <= rest && least > 1; ++i) product *= least;
    return product <= rest;
  }
  // Whether `factors` factors of at most `most` can make up `rest`.
  static bool reach(long rest, long most, std::size_t factors) noexcept {
    long product = 1;
    for (std::size_t i = 0; i < factors && product < rest && most > 1; ++i) product *= most;
    return product >= rest;
  }

  void search(std::size_t depth, long rest) {
    if (depth == current_.size()) return accept(rest);
    const std::size_t factors = current_.size() - depth;
    const long most = depth == 0 ? most_ : current_[depth - 1];
    for (const long divisor : divisors_) {
      if (divisor > most || divisor > rest) break;
      if (rest % divisor != 0 || !reach(rest, divisor, factors)) continue;
      const long first = depth == 0 ? divisor : current_[0];
      if (!best_.empty() && !room(rest / divisor, first - difference_ + 1, factors - 1)) {
        if (depth == 0) break;  // larger first factors leave even less for the last one
        continue;
      }
      current_[depth] = divisor;
      search(depth + 1, rest / divisor);
    }
  }

  void accept(long rest) {
    if (rest != 1) return;
    const long difference = current_.front() - current_.back();
    if (!best_.empty() && difference >= difference_) return;
    best_ = current_;
    difference_ = difference;
  }

  long most_;
  std::vector<long> divisors_;
  std::vector<long> current_;
  std::vector<long> best_;
  long difference_ = 0;
};

int raise_dims(const std::string& text) {
  return raise("MPI_Dims_create", MPI_ERR_DIMS, text);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Dims_create)
extern "C" int PMPI_Dims_create(int nnodes, int ndims, int dims[]) {
  if (nnodes < 1)
    return raise_dims(fmt::format("argument `nnodes` is {}; it must be positive", nnodes));
  if (ndims < 0)
    return raise_dims(fmt::format("argument `ndims` is {}; it must not be negative", ndims));
  if (ndims > 0 && dims == nullptr)
    return raise("MPI_Dims_create", MPI_ERR_ARG, null_pointer("dims"));
  long fixed = 1;
  int open = 0;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 0)
      return raise_dims(
          fmt::format("argument `dims[{}]` is {}; it must not be negative", d, dims[d]));
    if (dims[d] == 0) ++open;
    if (dims[d] > 0 && fixed <= nnodes) fixed *= dims[d];
  }
  if (nnodes % fixed != 0 || (open == 0 && ndims > 0 && fixed != nnodes)) {
    return raise_dims(
        fmt::format("the extents given in `dims` make {}; {} nodes must be a multiple of that{}",
                    fixed, nnodes, open == 0 ? ", and the same if none is 0" : ""));
  }
  if (open == 0) return MPI_SUCCESS;
  const Balance balance(nnodes / fixed, open);
  auto next = balance.best().begin();
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] == 0) dims[d] = static_cast<int>(*next++);
  }
  return MPI_SUCCESS;
}
