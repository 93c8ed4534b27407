// SPDX-License-Identifier: BSD-3-Clause
// How a figure is measured: iterations fit a time budget, the slowest rank counts, medians of
// repetitions.
#pragma once

#include <mpi.h>

#include <cmath>
#include <type_traits>

#include "options.hpp"
#include "turns.hpp"

namespace tessera::bench {

struct World {
  int rank = 0, size = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

/// Collective. The time of the slowest rank; every rank gets the same number, so that all decide
/// alike.
inline double slowest(double seconds) {
  double result = 0;
  MPI_Allreduce(&seconds, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

/// Collective. Seconds that `iterations` iterations take, from a common start to the end of the
/// slowest rank. A body that returns seconds has taken the time itself.
template <class Body>
double time_once(Body& body, long iterations) {
  MPI_Barrier(MPI_COMM_WORLD);
  if constexpr (std::is_same_v<decltype(body(iterations)), double>) {
    return slowest(body(iterations));
  } else {
    const double start = MPI_Wtime();
    body(iterations);
    return slowest(MPI_Wtime() - start);
  }
}

/// Collective. As time_once, and again if that took at least `enough`: the shorter time. One hiccup
/// of the machine must not make a few iterations look long.
template <class Body>
double time_twice(Body& body, long iterations, double enough) {
  const double elapsed = time_once(body, iterations);
  return elapsed < enough ? elapsed : std::min(elapsed, time_once(body, iterations));
}

/// Collective. Runs the body so many times before it is measured, for at most four budgets, so that
/// its buffers and those of the library have been touched: the first touch of a page takes longer
/// than a short call, in some virtual machines ten times as long.
template <class Body>
void touch(const Options& options, Body& body, long iterations) {
  double spent = 0;
  for (long n = 1; iterations > 0 && spent < 4 * options.budget; iterations -= n, n *= 2)
    spent += time_once(body, std::min(n, iterations));
}

/// Collective. As time_once; where jobs take turns, each repetition has a turn of its own, which
/// begins with as many that do not count: other jobs have used the caches meanwhile, and have left
/// there what has to be written to memory first.
template <class Body>
double time_in_turn(Body& body, long iterations) {
  if (turns().taken()) {
    turns().pass();
    time_once(body, iterations);
  }
  return time_once(body, iterations);
}

/// Collective. The least seconds per iteration over many short repetitions; their length follows
/// the least time seen so far, so that a disturbed beginning does not spoil the rest.
template <class Body>
double least_seconds_per_iteration(const Options& options, Body& body) {
  const double share = options.budget / options.repetitions;
  long iterations = 1;
  double least = time_once(body, iterations), spent = least;
  for (int i = 0; i < options.repetitions && (i < 3 || spent < 10 * options.budget); ++i) {
    const double elapsed = time_in_turn(body, iterations);
    spent += elapsed;
    least = std::min(least, elapsed / static_cast<double>(iterations));
    iterations =
        std::max(iterations, std::min(std::lround(share / std::max(least, 1e-9)), 10 * iterations));
  }
  return least;
}

/// Collective. Seconds per iteration of body(iterations): the number of iterations grows (which
/// warms up) until one run takes a fair part of its share of the budget, then the budget is spent
/// on repetitions, whose median is returned. Where jobs take turns, all have as many repetitions.
template <class Body>
double seconds_per_iteration(const Options& options, Body body) {
  if (options.best) return least_seconds_per_iteration(options, body);
  const double share = options.budget / options.repetitions;
  long iterations = 1;
  double elapsed = time_twice(body, iterations, share / 3);
  while (elapsed < share / 3 && iterations < 1L << 40) {
    const double wanted = static_cast<double>(iterations) * share / std::max(elapsed, 1e-7);
    iterations = std::max(iterations + 1, std::min(std::lround(wanted), 10 * iterations));
    elapsed = time_twice(body, iterations, share / 3);
  }
  if (elapsed > options.budget && !turns().taken())
    return elapsed / static_cast<double>(iterations);
  std::vector<double> results;
  const int affordable =
      turns().taken() ? options.repetitions : static_cast<int>(options.budget / elapsed);
  const int repetitions = std::max(1, std::min(options.repetitions, affordable));
  for (int i = 0; i < repetitions; ++i)
    results.push_back(time_in_turn(body, iterations) / static_cast<double>(iterations));
  return median(results);
}

/// The host of a virtual machine moves two processors together some tenths of a second after they
/// have become busy: a library that starts sooner would be measured before that.
inline void warm_up(double seconds) {
  if (seconds == 0) return;
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// MPI_Init, options, pinning, warm-up; MPI_Finalize at the end of the scope.
class Session {
 public:
  Session(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    options = parse_options(argc, argv);
    if (options.pin) {
      const std::vector<int> processors = usable_processors();
      pin_to(processors[World().rank % processors.size()]);
    }
    turns().pass();
    warm_up(options.warm_up);
  }
  ~Session() { MPI_Finalize(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Options options;
};

}  // namespace tessera::bench
