// SPDX-License-Identifier: BSD-3-Clause
// cg: solves A x = 1 for a Matrix Market file with conjugate gradients on all ranks; see cg --help.
#include <getopt.h>
#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "solver.hpp"

namespace {

constexpr const char* kUsage =
    "usage: mpiexec -n RANKS cg [options] MATRIX.mtx[.gz]\n"
    "  --tolerance T       stop when |b - A x| <= T |b| (default 1e-8)\n"
    "  --max-iterations N  give up after N iterations (default 10000)\n"
    "  --quiet             print one line without times, to compare runs\n"
    "Exit status: 0 converged, 1 unusable input, 2 not converged.\n";

struct Options {
  cg::Limits limits;
  bool quiet = false, help = false;
  std::string matrix;
};

[[noreturn]] void reject(const std::string& what) {
  throw cg::InputError(what + "; see cg --help");
}

double parse_tolerance(const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(value > 0 && value < 1)) {
    reject(std::string("--tolerance ") + text +
           ": expected a number between 0 and 1, such as 1e-8");
  }
  return value;
}

int parse_iterations(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || errno != 0 || value < 0 || value > 1000000000) {
    reject(std::string("--max-iterations ") + text + ": expected an integer from 0 to 1000000000");
  }
  return static_cast<int>(value);
}

Options parse(int argc, char** argv) {
  static const option known[] = {{"tolerance", required_argument, nullptr, 't'},
                                 {"max-iterations", required_argument, nullptr, 'm'},
                                 {"quiet", no_argument, nullptr, 'q'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {nullptr, 0, nullptr, 0}};
  Options options;
  opterr = 0;
  for (int found = 0; (found = getopt_long(argc, argv, ":qh", known, nullptr)) != -1;) {
    if (found == 't') options.limits.tolerance = parse_tolerance(optarg);
    if (found == 'm') options.limits.max_iterations = parse_iterations(optarg);
    if (found == 'q') options.quiet = true;
    if (found == 'h') options.help = true;
    if (found == ':') reject(std::string(argv[optind - 1]) + ": expected a value after it");
    if (found == '?') reject(std::string("unknown option ") + argv[optind - 1]);
  }
  if (!options.help && argc - optind != 1)
    reject("expected one matrix file, found " + std::to_string(argc - optind));
  if (argc > optind) options.matrix = argv[optind];
  return options;
}

/// Collective. Rank 0 reads; all ranks learn whether that went well, so that all leave in good
/// order.
bool load(const std::string& path, int rank, cg::CsrMatrix& matrix) {
  int good = 1;
  if (rank == 0) {
    try {
      matrix = cg::read_matrix_market(path);
      cg::require_symmetric_positive_diagonal(matrix);
    } catch (const cg::InputError& error) {
      std::fprintf(stderr, "cg: %s\n", error.what());
      good = 0;
    }
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good == 1;
}

void report(const Options& options, const cg::Outcome& outcome, const cg::CsrMatrix& matrix,
            int ranks, double seconds) {
  if (options.quiet) {
    std::printf("iterations %d residual %.17e\n", outcome.iterations, outcome.residual);
  } else {
    std::printf("matrix      %s: %d rows, %zu entries\n", options.matrix.c_str(), matrix.rows(),
                matrix.values.size());
    std::printf("ranks       %d\n", ranks);
    std::printf("iterations  %d\n", outcome.iterations);
    std::printf("residual    %.10e (goal %g)\n", outcome.residual, options.limits.tolerance);
    std::printf("time        %.3f s\n", seconds);
  }
  if (!outcome.positive_definite) {
    std::fprintf(stderr,
                 "cg: the matrix is not positive definite (iteration %d); conjugate gradients do "
                 "not apply\n",
                 outcome.iterations + 1);
  } else if (!outcome.converged) {
    std::fprintf(stderr,
                 "cg: not converged after %d iterations; raise --max-iterations or --tolerance\n",
                 outcome.iterations);
  }
}

int solve(const Options& options, int rank, int ranks) {
  cg::CsrMatrix whole;
  if (!load(options.matrix, rank, whole)) return 1;
  cg::DistributedMatrix matrix(whole, MPI_COMM_WORLD);
  const std::vector<double> b(matrix.rows(), 1.0);
  std::vector<double> x;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const cg::Outcome outcome = cg::conjugate_gradient(matrix, b, x, options.limits);
  const double seconds = MPI_Wtime() - start;
  if (rank == 0) report(options, outcome, whole, ranks, seconds);
  return outcome.converged ? 0 : 2;
}

int run(int argc, char** argv, int rank, int ranks) {
  try {
    const Options options = parse(argc, argv);
    if (options.help && rank == 0) std::fputs(kUsage, stdout);
    return options.help ? 0 : solve(options, rank, ranks);
  } catch (
      const cg::InputError& error) {  // every rank has the same arguments, so all come here or none
    if (rank == 0) std::fprintf(stderr, "cg: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int status = run(argc, argv, rank, ranks);
  MPI_Finalize();
  return status;
}
