// SPDX-License-Identifier: BSD-3-Clause
// Measures collective operations as a plan says; the tuner starts it. One line of JSON per line of
// the plan.
//
// All choices for an operation and an amount of data are measured in turn, in one job, so that what
// disturbs the machine disturbs them alike, in each pattern of calls that programs have. With
// --check each line of the plan is carried out once
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

// changing: back to back, with another root in each call; fixed: with root 0; barrier: root 0, a
// barrier before each call, which is not counted; cold: as changing, with buffers that no cache
// holds.
enum class Pattern { changing, fixed, barrier, cold };
constexpr const char* kNames[] = {"changing", "fixed", "barrier", "cold"};

std::vector<Pattern> patterns_of(const Exchange& exchange) {
  if (!exchange.has_data()) return {Pattern::changing};
  if (!exchange.rooted()) return {Pattern::changing, Pattern::barrier, Pattern::cold};
  return {Pattern::changing, Pattern::fixed, Pattern::barrier, Pattern::cold};
}

struct Series {
  Pattern pattern;
  long calls = 1;
  std::vector<double> times{};  // seconds per call
};

struct Subject {
  const Line* line;
  std::vector<MPI_Comm> comms;  // called in turn
  std::vector<Series> series;
};

double time_calls(Exchange& exchange, const std::vector<MPI_Comm>& comms, Pattern pattern,
                  long calls, int processes) {
  const bool fixed = pattern == Pattern::fixed || pattern == Pattern::barrier;
  double last = MPI_Wtime(), uncounted = 0;
  const double start = last;
  for (long i = 0; i < calls; ++i) {
    if (pattern == Pattern::cold) exchange.move();
    if (pattern == Pattern::barrier) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double now = MPI_Wtime();
      uncounted += now - last;
    }
    exchange.run(comms[static_cast<std::size_t>(i) % comms.size()],
                 fixed ? 0 : static_cast<int>(i % processes));
    if (pattern == Pattern::barrier) last = MPI_Wtime();
  }
  return MPI_Wtime() - start - uncounted;
}

// The time of the slowest rank; all ranks get the same number, so that all decide alike.
double time_once(Exchange& exchange, const std::vector<MPI_Comm>& comms, const Series& series,
                 int processes) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = time_calls(exchange, comms, series.pattern, series.calls, processes);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

// As many calls as take about `length`. One hiccup must not make a few calls look long: each number
// is tried twice.
void calibrate(Series& series, const std::vector<MPI_Comm>& comms, Exchange& exchange,
               const World& world, double length) {
  time_calls(exchange, comms, series.pattern, static_cast<long>(comms.size()), world.size);
  for (;;) {
    const double first = time_once(exchange, comms, series, world.size);
    double seconds = first;
    if (first >= length / 3)
      seconds = std::min(first, time_once(exchange, comms, series, world.size));
    const auto calls = static_cast<double>(series.calls);
    if (seconds >= length / 3 || series.calls > 1L << 30) {
      series.times.push_back(seconds / calls);
      return;
    }
    const double wanted = std::min(calls * length / std::max(seconds, 1e-7), 10 * calls);
    series.calls = std::max(series.calls + 1, std::lround(wanted));
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Microseconds: of each pattern the median and the least.
void print(const Subject& subject) {
  const Line& line = *subject.line;
  std::printf("{\"line\": %d, \"operation\": \"%s\", \"bytes\": %zu, \"patterns\": {", line.number,
              line.operation.c_str(), line.bytes);
  const char* separator = "";
  for (const Series& series : subject.series) {
    const auto& times = series.times;
    std::printf("%s\"%s\": [%.4f, %.4f]", separator, kNames[static_cast<int>(series.pattern)],
                1e6 * median(times), 1e6 * *std::min_element(times.begin(), times.end()));
    separator = ", ";
  }
  std::printf("}}\n");
}

void measure(std::span<Subject> subjects, Pattern pattern, Exchange& exchange, const World& world,
             const Options& options) {
  double best = 1e9;
  for (Subject& subject : subjects) {
    Series& series = subject.series.emplace_back(Series{pattern});
    calibrate(series, subject.comms, exchange, world, options.length);
    best = std::min(best, series.times[0]);
  }
  for (int i = 1; i < options.repetitions; ++i) {
    for (Subject& subject : subjects) {
      Series& series = subject.series.back();
      if (series.times[0] > kHopeless * best) continue;
      series.times.push_back(time_once(exchange, subject.comms, series, world.size) /
                             static_cast<double>(series.calls));
    }
  }
}

void measure_all(std::span<Subject> subjects, Exchange& exchange, const World& world,
                 const Options& options) {
  for (const Pattern pattern : patterns_of(exchange)) {
    exchange.leave_caches(pattern == Pattern::cold);
    measure(subjects, pattern, exchange, world, options);
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
    if (!options.check) subjects.push_back({&line, comms, {}});
  }
  if (!options.check) measure_all(subjects, exchange, world, options);
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
