// SPDX-License-Identifier: BSD-3-Clause
// Command line and output of the benchmarks: time budget, sizes, figures, pinning; one line per
// figure.
#pragma once

#include <getopt.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::bench {

struct Options {
  double budget = 0.2;  // seconds spent on one figure at one size
  int repetitions = 9;  // the budget is cut into this many measurements, whose median is printed
  bool best =
      false;  // the least time of many short repetitions instead, for a machine that others use too
  bool pin =
      false;  // rank r on the r-th usable processor, round robin; otherwise nothing is pinned
  double warm_up = 0;              // seconds that every rank computes before the first measurement
  std::vector<std::size_t> sizes;  // bytes; empty: the benchmark's own
  std::vector<std::string> only;   // figures; empty: all

  bool wants(const std::string& figure) const {
    return only.empty() || std::find(only.begin(), only.end(), figure) != only.end();
  }
  std::vector<std::size_t> sizes_or(std::vector<std::size_t> usual) const {
    return sizes.empty() ? usual : sizes;
  }
};

[[noreturn]] inline void refuse(const std::string& option, const std::string& value,
                                const std::string& expected) {
  std::fprintf(stderr, "bench: %s %s: expected %s\n", option.c_str(), value.c_str(),
               expected.c_str());
  std::exit(1);
}

inline std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

inline double parse_number(const std::string& option, const std::string& text, double least,
                           double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= least && value <= most)) {
    std::ostringstream range;
    range << "a number from " << least << " to " << most;
    refuse(option, text, range.str());
  }
  return value;
}

inline void set_option(Options& options, int letter, const std::string& value) {
  if (letter == 'b') options.budget = parse_number("--budget", value, 0.001, 3600);
  if (letter == 'r')
    options.repetitions = static_cast<int>(parse_number("--repetitions", value, 1, 1000));
  if (letter == 'B') options.best = true;
  if (letter == 'B') options.repetitions = 50;
  if (letter == 'p') options.pin = true;
  if (letter == 'w') options.warm_up = parse_number("--warm-up", value, 0, 60);
  if (letter == 'o') options.only = split_commas(value);
  if (letter != 's') return;
  for (const std::string& part : split_commas(value)) {
    options.sizes.push_back(static_cast<std::size_t>(parse_number("--sizes", part, 0, 1 << 30)));
  }
}

/// Reads the options every benchmark knows; leaves optind at the first other argument. A bad one
/// ends the program with status 1.
inline Options parse_options(int argc, char** argv) {
  static const option known[] = {{"budget", required_argument, nullptr, 'b'},
                                 {"repetitions", required_argument, nullptr, 'r'},
                                 {"best", no_argument, nullptr, 'B'},
                                 {"pin", no_argument, nullptr, 'p'},
                                 {"warm-up", required_argument, nullptr, 'w'},
                                 {"sizes", required_argument, nullptr, 's'},
                                 {"only", required_argument, nullptr, 'o'},
                                 {nullptr, 0, nullptr, 0}};
  Options options;
  opterr = 0;
  for (int letter = 0; (letter = getopt_long(argc, argv, "+", known, nullptr)) != -1;) {
    if (letter == '?') {
      refuse(argv[optind - 1], "",
             "--budget SECONDS, --repetitions N, --best, --pin, --warm-up SECONDS, --sizes "
             "BYTES,... or --only FIGURE,...");
    }
    set_option(options, letter, optarg != nullptr ? optarg : "");
  }
  return options;
}

/// Processors this process may use, in ascending order.
inline std::vector<int> usable_processors() {
  cpu_set_t set;
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) processors.push_back(cpu);
  }
  return processors;
}

/// Keeps the calling thread on one processor.
inline void pin_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) std::perror("bench: sched_setaffinity");
}

/// One result, as one line that programs read: figure, size, value, unit, separated by tabs.
inline void print_figure(const std::string& figure, std::size_t size, double value,
                         const std::string& unit) {
  std::printf("%s\t%zu\t%.6g\t%s\n", figure.c_str(), size, value, unit.c_str());
  std::fflush(stdout);
}

/// The middle value; the mean of the two middle ones where there are two. `values` is not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// What counts of several measurements of a time: their median, or with --best the least.
inline double typical(const Options& options, const std::vector<double>& times) {
  return options.best ? *std::min_element(times.begin(), times.end()) : median(times);
}

}  // namespace tessera::bench
