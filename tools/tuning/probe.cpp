// SPDX-License-Identifier: BSD-3-Clause
// Measures collective operations as a plan says; the tuner starts it. One line of JSON per line of
// the plan.
//
// All choices for an operation and an amount of data are measured in turn, in one job, so that what
// disturbs the machine disturbs them alike. With --check each line of the plan is carried out once
// on a communicator called `line NUMBER`, and what arrives is compared with what must arrive.
#include <getopt.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "exchange.h"
#include "plan.h"

namespace {

using namespace tessera::tuning;

constexpr double kHopeless = 4;  // times slower than the best: not measured again

struct Options {
  std::string plan = "-";
  bool check = false;
  int repetitions = 3;
  double length = 1e-3;  // seconds of a repetition
  double seconds = 1e9;  // no operation is begun later
};

struct Subject {
  const Line* line;
  std::vector<MPI_Comm> comms;  // called in turn
  long calls = 1;
  std::vector<double> times;  // seconds per call
};

// The time of the slowest rank; all ranks get the same number, so that all decide alike.
double time_once(const Exchange& exchange, const std::vector<MPI_Comm>& comms, long calls,
                 int processes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < calls; ++i)
    exchange.run(comms[static_cast<std::size_t>(i) % comms.size()],
                 static_cast<int>(i % processes));
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

// As many calls as take about `length`. One hiccup must not make a few calls look long: each number
// is tried twice.
void calibrate(Subject& subject, const Exchange& exchange, const World& world, double length) {
  time_once(exchange, subject.comms, static_cast<long>(subject.comms.size()), world.size);
  for (;;) {
    const double first = time_once(exchange, subject.comms, subject.calls, world.size);
    double seconds = first;
    if (first >= length / 3)
      seconds = std::min(first, time_once(exchange, subject.comms, subject.calls, world.size));
    const auto calls = static_cast<double>(subject.calls);
    if (seconds >= length / 3 || subject.calls > 1L << 30) {
      subject.times.push_back(seconds / calls);
      return;
    }
    const double wanted = std::min(calls * length / std::max(seconds, 1e-7), 10 * calls);
    subject.calls = std::max(subject.calls + 1, std::lround(wanted));
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print(const Subject& subject) {
  const Line& line = *subject.line;
  std::printf(
      "{\"line\": %d, \"operation\": \"%s\", \"bytes\": %zu, \"median_us\": %.4f, \"least_us\": "
      "%.4f, \"repetitions\": %zu, \"calls\": %ld}\n",
      line.number, line.operation.c_str(), line.bytes, 1e6 * median(subject.times),
      1e6 * *std::min_element(subject.times.begin(), subject.times.end()), subject.times.size(),
      subject.calls);
}

void measure(std::span<Subject> subjects, const Exchange& exchange, const World& world,
             const Options& options) {
  double best = 1e9;
  for (Subject& subject : subjects) {
    calibrate(subject, exchange, world, options.length);
    best = std::min(best, subject.times[0]);
  }
  for (int i = 1; i < options.repetitions; ++i) {
    for (Subject& subject : subjects) {
      if (subject.times[0] > kHopeless * best) continue;
      subject.times.push_back(time_once(exchange, subject.comms, subject.calls, world.size) /
                              static_cast<double>(subject.calls));
    }
  }
  if (world.rank == 0) std::for_each(subjects.begin(), subjects.end(), print);
  std::fflush(stdout);
}

void check(const Line& line, Exchange& exchange, MPI_Comm comm, const World& world) {
  MPI_Comm_set_name(comm, ("line " + std::to_string(line.number)).c_str());
  std::string wrong = exchange.verify(comm, 0);
  if (wrong.empty()) wrong = exchange.verify(comm, world.size - 1);
  int finder = wrong.empty() ? world.size : world.rank;
  MPI_Allreduce(MPI_IN_PLACE, &finder, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  char text[512] = "";
  if (finder == world.rank) std::snprintf(text, sizeof text, "%s", wrong.c_str());
  if (finder < world.size) MPI_Bcast(text, sizeof text, MPI_CHAR, finder, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  std::printf("{\"line\": %d, \"wrong\": \"%s\"}\n", line.number, text);
  std::fflush(stdout);
}

bool time_is_up(double end) {
  int up = MPI_Wtime() > end ? 1 : 0;
  MPI_Bcast(&up, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return up != 0;
}

// Lines of one operation and one amount of data.
void carry_out(std::span<const Line> lines, const World& world, Communicators& communicators,
               const Options& options) {
  Exchange exchange(*find_kind(lines[0].operation), world, lines[0].bytes);
  std::vector<Subject> subjects;
  for (const Line& line : lines) {
    const std::vector<MPI_Comm> comms = communicators.of(line, exchange.parents());
    if (options.check) check(line, exchange, comms[0], world);
    if (options.check) communicators.drop();  // each line has its own
    if (!options.check) subjects.push_back({&line, comms, 1, {}});
  }
  if (!options.check) measure(subjects, exchange, world, options);
}

void carry_out_all(const std::vector<Line>& lines, const Options& options) {
  const World world;
  Communicators communicators;
  const double end = MPI_Wtime() + options.seconds;
  for (std::size_t first = 0, last = 0; first < lines.size() && !time_is_up(end); first = last) {
    while (last < lines.size() && lines[last].same_exchange(lines[first])) ++last;
    carry_out(std::span(lines).subspan(first, last - first), world, communicators, options);
  }
}

double number(const char* option, const char* text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(value >= least))
    throw BadPlan(std::string("--") + option + " " + text +
                  ": expected a number that is not less than " + std::to_string(least));
  return value;
}

void set_option(Options& options, int letter, const char* value) {
  if (letter == 'p') options.plan = value;
  if (letter == 'c') options.check = true;
  if (letter == 'r') options.repetitions = static_cast<int>(number("repetitions", value, 1));
  if (letter == 'l') options.length = 1e-3 * number("length", value, 0.001);
  if (letter == 's') options.seconds = number("seconds", value, 0);
}

Options parse_options(int argc, char** argv) {
  static const option known[] = {
      {"plan", required_argument, nullptr, 'p'},        {"check", no_argument, nullptr, 'c'},
      {"repetitions", required_argument, nullptr, 'r'}, {"length", required_argument, nullptr, 'l'},
      {"seconds", required_argument, nullptr, 's'},     {nullptr, 0, nullptr, 0}};
  Options options;
  opterr = 0;
  for (int letter = 0; (letter = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (letter == '?')
      throw BadPlan(
          std::string(argv[optind - 1]) +
          ": expected --plan FILE, --check, --repetitions N, --length MILLISECONDS or --seconds S");
    set_option(options, letter, optarg);
  }
  return options;
}

int run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Options options = parse_options(argc, argv);
    carry_out_all(parse_plan(read_everywhere(options.plan)), options);
    return 0;
  } catch (const BadPlan& problem) {  // the same on all ranks
    if (rank == 0) std::fprintf(stderr, "tessera-tune-probe: %s\n", problem.what());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
