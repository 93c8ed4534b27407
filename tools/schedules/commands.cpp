// SPDX-License-Identifier: BSD-3-Clause
// The commands of the program.
#include "tools/schedules/commands.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/schedules/arguments.h"
#include "tools/schedules/draw.h"
#include "tools/schedules/plot.h"
#include "tools/schedules/show.h"
#include "tools/schedules/svg.h"
#include "tools/schedules/verify.h"

namespace tessera::coll::schedules {

namespace {

constexpr int kShownAtOnce = 16;  // ranks

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int number(const char* option, const std::string& text, int otherwise) {
  if (text.empty()) return otherwise;
  const Count value = parse_amount(option, text);
  if (value > 1'000'000'000) throw BadInput(fmt::format("{}: {} is too large", option, value));
  return static_cast<int>(value);
}

Count bytes_of(const Options& options, Count otherwise) {
  if (!options.count.empty() && !options.bytes.empty())
    throw BadInput("--bytes and --count: give one of them");
  if (!options.count.empty()) return 8 * parse_amount("--count", options.count);
  return options.bytes.empty() ? otherwise : parse_amount("--bytes", options.bytes);
}

// All but ranks and bytes.
Question question_of(const Options& options) {
  Question question;
  question.operation = operation_of(options.operation);
  question.root = number("--root", options.root, 0);
  question.in_place = options.in_place;
  question.commutative = !options.ordered;
  question.tuning.radix = options.radix;
  if (!options.segment.empty())
    question.tuning.segment = parse_amount("--segment", options.segment);
  return question;
}

Question one_question(const Options& options) {
  Question question = question_of(options);
  question.ranks = number("--ranks", options.ranks, 8);
  question.bytes = bytes_of(options, 8 * Count{std::max(question.ranks, 1)});
  return question;
}

bool wants_all(const std::string& algorithm) {
  return algorithm.empty() || algorithm == "all" || algorithm == "best";
}

std::vector<const Algorithm*> chosen(const Options& options) {
  if (options.operation == "all") {
    if (!wants_all(options.algorithm))
      throw BadInput("an algorithm belongs to one operation, not to 'all'");
    return {basic::algorithms().begin(), basic::algorithms().end()};
  }
  const Operation operation = operation_of(options.operation);
  if (wants_all(options.algorithm)) return algorithms_of(operation);
  return {&algorithm_of(operation, options.algorithm)};
}

std::string tuning_text(const Algorithm& algorithm) {
  std::string text;
  constexpr Count kNeverCut = Count{1} << 40;
  if (algorithm.usual.segment >= kNeverCut) text += ", one segment";
  if (algorithm.usual.segment > 0 && algorithm.usual.segment < kNeverCut)
    text +=
        fmt::format(", segments of {}", amount_text(static_cast<double>(algorithm.usual.segment)));
  if (algorithm.usual.radix != 0) text += fmt::format(", radix {}", algorithm.usual.radix);
  return text;
}

}  // namespace

int run_list(const Options& options) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (!options.operation.empty() && operation_of(options.operation) != operation) continue;
    for (const Algorithm* each : algorithms_of(operation)) {
      const std::string needs =
          *each->needs.words != '\0' ? fmt::format("needs {}", each->needs.words) : "any call";
      print(fmt::format("{:<22} {:<26} {}{}\n", name(operation), each->name, needs,
                        tuning_text(*each)));
    }
  }
  return 0;
}

int run_machines() {
  for (const std::string& each : shipped_machines()) {
    print(fmt::format("{:<10} {}\n", each, read_machine(each).about));
  }
  return 0;
}

int run_show(const Options& options) {
  const Problem problem(one_question(options));
  const Algorithm& algorithm = algorithm_of(problem.asked().operation, options.algorithm);
  require(algorithm, problem);
  const int ranks = problem.asked().ranks;
  print(title(algorithm, problem) + "\n");
  if (!options.rank.empty() || ranks > kShownAtOnce) {
    const int rank = number("--rank", options.rank, 0);
    if (rank >= ranks)
      throw BadInput(fmt::format("--rank {}: the ranks are 0 to {}", rank, ranks - 1));
    print(show(algorithm, problem, rank));
    if (options.rank.empty()) print("(of many ranks only one is shown; --rank R shows another)\n");
    return 0;
  }
  for (int rank = 0; rank < ranks; ++rank) print(show(algorithm, problem, rank));
  return 0;
}

int run_draw(const Options& options) {
  const Problem problem(one_question(options));
  const Algorithm& algorithm = algorithm_of(problem.asked().operation, options.algorithm);
  require(algorithm, problem);
  write_file(options.output, draw(algorithm, problem, read_machine(options.machine)));
  return 0;
}

int run_check(const Options& options) {
  Sweep sweep;
  sweep.ranks = parse_ranks(options.ranks, false);
  sweep.crossed = !options.quick;
  sweep.middle_roots = options.roots == "some";
  if (!options.counts.empty()) sweep.counts = parse_list("--counts", options.counts, false);
  if (options.roots != "all" && options.roots != "some") {
    sweep.roots.emplace();
    for (const Count root : parse_list("--roots", options.roots, false))
      sweep.roots->push_back(static_cast<int>(root));
  }
  for (const Algorithm* each : chosen(options)) {
    const Verdict verdict = verify(*each, sweep);
    if (!verdict.wrong.empty()) {
      std::fflush(stdout);
      std::fprintf(stderr, "schedule: wrong: %s\n", verdict.wrong.c_str());
      return 1;
    }
    print(fmt::format("{:<22} {:<26} {} calls checked\n", name(each->operation), each->name,
                      verdict.checked));
  }
  return 0;
}

int run_price(const Options& options) {
  Pricer pricer(read_machine(options.machine), options.effort);
  const Question like = question_of(options);
  const std::vector<const Algorithm*> algorithms = chosen(options);
  const bool winners = options.algorithm == "best";
  const std::vector<Count> bytes = parse_list("--bytes", options.bytes, true);
  const Table table = price_all(algorithms, like, parse_ranks(options.ranks, true), bytes, pricer);
  if (algorithms.size() == 1) {
    for (const int ranks : table.ranks) {
      Question question = like;
      question.ranks = ranks;
      question.root = std::min(like.root, ranks - 1);
      question.bytes = bytes.front();
      if (table.ranks.size() == 1) require(*algorithms.front(), Problem(question));
    }
  }
  if (!options.plot.empty())
    write_file(options.plot, winners ? decision_map(table) : curves(table));
  print(options.json ? prices_json(table).text() + "\n"
        : winners    ? winners_text(table)
                     : prices_text(table));
  return 0;
}

}  // namespace tessera::coll::schedules
