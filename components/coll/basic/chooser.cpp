// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm carries out a call.
#include "chooser.h"

#include <cstdlib>
#include <string_view>

namespace tessera::coll::basic {

namespace {

constexpr std::size_t index(Operation operation) noexcept {
  return static_cast<std::size_t>(operation);
}

// What the user says about an operation: the info key of this communicator, else the parameter.
class Wishes {
 public:
  Wishes(const Params& params, const Communicator* comm, Operation operation)
      : params_(params), comm_(comm), prefix_(std::string(name(operation)) + "_") {}

  const char* hint(const char* what) const {
    return comm_ != nullptr ? comm_->hint(key(what).c_str()) : nullptr;
  }
  std::string key(const char* what) const { return "tessera.coll_basic_" + prefix_ + what; }
  std::string parameter(const char* what) const { return prefix_ + what; }

  Count segment() const {
    const char* given = hint("segment");
    return given != nullptr ? bytes(given) : static_cast<Count>(params_.size(prefix_ + "segment"));
  }
  int radix() const {
    const char* given = hint("radix");
    return given != nullptr ? std::atoi(given)
                            : static_cast<int>(params_.integer(prefix_ + "radix"));
  }

 private:
  // The engine has checked the text.
  static Count bytes(const char* text) noexcept {
    char* unit = nullptr;
    const Count value = std::strtoll(text, &unit, 10);
    const std::size_t power = std::string_view("KMG").find(*unit);
    return *unit == '\0' || power == std::string_view::npos ? value : value << (10 * (power + 1));
  }

  const Params& params_;
  const Communicator* comm_;
  std::string prefix_;
};

// The parameters exist where there are algorithms that know them.
Tuning read_tuning(const Wishes& wishes, Operation operation) {
  bool segments = false;
  bool radixes = false;
  for (const Algorithm* each : algorithms()) {
    if (each->operation != operation) continue;
    segments = segments || each->usual.segment != 0;
    radixes = radixes || each->usual.radix != 0;
  }
  return {.segment = segments ? wishes.segment() : 0, .radix = radixes ? wishes.radix() : 0};
}

Tuning first_of(const Tuning& wished, const Tuning& ruled) noexcept {
  return {.segment = wished.segment != 0 ? wished.segment : ruled.segment,
          .radix = wished.radix != 0 ? wished.radix : ruled.radix};
}

constexpr const char* kReproducible = "coll_reproducible: one rank after the other";

const Algorithm* in_order_of_ranks(Operation operation) noexcept {
  for (const Algorithm* each : algorithms()) {
    if (each->operation == operation && each->combining == Combining::of_ranks) return each;
  }
  return nullptr;
}

}  // namespace

Chooser::Chooser(const Params& params, const Rules& rules, const Communicator* comm)
    : reproducible_(rules.reproducible()) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    read_rules(rules, static_cast<Operation>(i));
    read_parameters(params, comm, static_cast<Operation>(i));
  }
}

void Chooser::read_rules(const Rules& rules, Operation operation) {
  const int basic = rules.component("basic");
  for (const Rule& rule : rules.of(operation)) {
    if (rule.component != basic) continue;
    const Algorithm* algorithm = find_algorithm(operation, rule.algorithm);
    if (algorithm != nullptr) rows_[index(operation)].push_back({&rule, algorithm});
  }
}

void Chooser::read_parameters(const Params& params, const Communicator* comm, Operation operation) {
  const Wishes wishes(params, comm, operation);
  Wish& wish = wishes_[index(operation)];
  wish.tuning = read_tuning(wishes, operation);
  const char* const hint = wishes.hint("algorithm");
  wish.algorithm = find_algorithm(
      operation, hint != nullptr ? hint : params.text(wishes.parameter("algorithm")));
  if (wish.algorithm == nullptr) return;  // auto
  wish.text =
      (hint != nullptr ? wishes.key("algorithm") : "coll_basic_" + wishes.parameter("algorithm")) +
      " = " + wish.algorithm->name;
  const bool wrong_order =
      reproducible_ && reduces(operation) && wish.algorithm->combining != Combining::of_ranks;
  wish.fallback_text =
      wrong_order ? wish.text + " combines in another order than coll_reproducible asks for"
                  : wish.text + " needs " + wish.algorithm->needs.words + "; by rule instead";
}

Choice Chooser::choose(const Call& made, const Layout& layout) const noexcept {
  if (made.inter)
    return {inter_algorithm(made.operation), {}, "the only one for intercommunicators", false};
  const CallSignature call(made);
  const Wish& wish = wishes_[index(call.operation)];
  if (wish.algorithm != nullptr && may_run(*wish.algorithm, call))
    return {wish.algorithm, wish.tuning, wish.text.c_str(), false};
  const bool refused = wish.algorithm != nullptr;
  const Row* row = by_rule(call, layout);
  if (row == nullptr && reproducible_ && reduces(call.operation))
    return {in_order_of_ranks(call.operation),
            {},
            refused ? wish.fallback_text.c_str() : kReproducible,
            refused};
  if (row == nullptr) return {nullptr, {}, "", false};
  return {row->algorithm, first_of(wish.tuning, row->rule->tuning),
          refused ? wish.fallback_text.c_str() : row->rule->where, refused};
}

bool Chooser::may_run(const Algorithm& algorithm, const CallSignature& call) const noexcept {
  const bool right_order =
      !reproducible_ || !reduces(call.operation) || algorithm.combining == Combining::of_ranks;
  return right_order && algorithm.fits(call);
}

const Chooser::Row* Chooser::by_rule(const CallSignature& call,
                                     const Layout& layout) const noexcept {
  for (const Row& row : rows_[index(call.operation)]) {
    if (row.rule->admits(call, layout) && may_run(*row.algorithm, call)) return &row;
  }
  return nullptr;
}

}  // namespace tessera::coll::basic
