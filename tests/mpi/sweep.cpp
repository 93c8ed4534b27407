// SPDX-License-Identifier: BSD-3-Clause
// A sweep over communicators, datatypes, counts, modes and ways to receive: contents, gaps and
// statuses are checked.
//
// Every dimension is a deck of cards that is shuffled and dealt out, so that a run of some hundred
// cases has met every card, in combinations that the seed decides; each number of processes has a
// seed of its own. Environment: TESSERA_SWEEP_SEED, TESSERA_SWEEP_CASES, and TESSERA_SWEEP_SECONDS,
// which goes on for so long instead.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "check.h"
#include "sweep_case.h"

namespace {

// ---- communicators ----

Place intra(const char* name, MPI_Comm comm) {
  return {name, comm, rank_in(comm), size_of(comm)};
}

MPI_Comm split(int color, int key) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &made);
  return made;
}

// The first third of the processes and the rest.
Place inter(int me, int n) {
  const int border = std::max(1, n / 3);
  MPI_Comm local = split(me < border ? 0 : 1, 0), made;
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me < border ? border : 0, 5, &made);
  MPI_Comm_free(&local);
  int others = 0;
  MPI_Comm_remote_size(made, &others);
  return {"intercommunicator", made, rank_in(made), std::min(size_of(made), others)};
}

std::vector<Place> make_places() {
  const int me = rank_in(MPI_COMM_WORLD), n = size_of(MPI_COMM_WORLD);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  std::vector<Place> places = {intra("world", MPI_COMM_WORLD), intra("dup", twin),
                               intra("halves", split(me % 2, 0)), intra("reversed", split(0, -me)),
                               intra("self", MPI_COMM_SELF)};
  if (n > 1) places.push_back(inter(me, n));
  return places;
}

void free_places(std::vector<Place>& places) {
  for (Place& place : places) {
    if (place.comm != MPI_COMM_WORLD && place.comm != MPI_COMM_SELF) MPI_Comm_free(&place.comm);
  }
}

// ---- cards ----

class Deck {
 public:
  explicit Deck(std::size_t cards) : cards_(cards), next_(cards) {
    std::iota(cards_.begin(), cards_.end(), std::size_t{0});
  }
  std::size_t deal(Forge& forge) {
    if (next_ == cards_.size()) {
      std::shuffle(cards_.begin(), cards_.end(), forge.generator());
      next_ = 0;
    }
    return cards_[next_++];
  }

 private:
  std::vector<std::size_t> cards_;
  std::size_t next_;
};

constexpr long kSizes[] = {0,     1,      3,      100,
                           6'000, 40'000, 300'000};  // elements for the first three, then bytes

class Dealer {
 public:
  Dealer(unsigned seed, const std::vector<Place>& places)
      : forge_(seed),
        places_(places),
        place_(places.size()),
        predefined_(Forge::predefined_types()) {}

  Case deal() {
    Case c{};
    c.place = &places_[place_.deal(forge_)];
    c.mode = static_cast<Mode>(mode_.deal(forge_));
    c.form = static_cast<Form>(form_.deal(forge_));
    c.receive = static_cast<Receive>(receive_.deal(forge_));
    c.completion = static_cast<Completion>(completion_.deal(forge_));
    c.messages = static_cast<int>(forge_.number(1, 3));
    c.tag = static_cast<int>(forge_.number(0, 1) == 0 ? forge_.number(0, 9) : 32'767);
    c.shift = static_cast<int>(forge_.number(0, 8));
    c.any_source = forge_.number(0, 3) == 0;
    c.any_tag = forge_.number(0, 3) == 0;
    c.large = forge_.number(0, 2) == 0;
    c.seed = static_cast<unsigned>(forge_.number(0, 1'000'000));
    make_legal(c);
    deal_types(c);
    return c;
  }

 private:
  // A blocking send that may wait for its receive, and a ready one, need the receive to be there.
  void make_legal(Case& c) {
    if (c.combined()) c.mode = standard;
    const bool waits = c.form == Form::blocking && c.mode != buffered;
    if (waits || c.mode == ready)
      c.receive = forge_.number(0, 1) == 0 ? Receive::irecv : Receive::persistent;
  }

  // The receiver's type must not overlap, and for one buffer both types are one.
  void deal_types(Case& c) {
    const long size = kSizes[size_.deal(forge_)];
    const bool one_buffer = c.form == Form::replace || c.form == Form::ireplace;
    for (;;) {
      c.out = std::make_unique<Typed>(type());
      c.count_out = count_for(c.out->map, size);
      const bool overlaps = c.out->map.overlaps(std::min(c.count_out, 20L) + 1);
      const Basic* basic = c.out->map.only_basic();
      if (basic != nullptr && !one_buffer && (overlaps || forge_.number(0, 3) == 0)) {
        receive_flat(c, *basic);
        break;
      }
      if (overlaps) continue;
      c.in = std::make_unique<Typed>(c.out->type, c.out->map, c.out->name, false);
      c.count_in = one_buffer ? c.count_out : c.count_out + more();
      break;
    }
    MPI_Type_commit(&c.out->type);
  }

  void receive_flat(Case& c, const Basic& basic) {
    c.in = std::make_unique<Typed>(basic.type, TypeMap::of(basic), basic.name, false);
    c.count_in = c.count_out * static_cast<long>(c.out->map.entries.size()) + more();
  }

  long more() { return forge_.number(0, 2) == 0 ? forge_.number(1, 4) : 0; }

  // Half of the types are predefined ones or one constructor around those.
  Typed type() {
    if (forge_.number(0, 2) == 0) return Forge::predefined(predefined_.deal(forge_));
    const Typed inner = forge_.number(0, 1) == 0
                            ? Forge::predefined(predefined_.deal(forge_))
                            : forge_.tree(static_cast<int>(forge_.number(1, 2)));
    if (inner.map.entries.size() > 200) return Forge::predefined(predefined_.deal(forge_));
    return forge_.wrap(static_cast<Maker>(maker_.deal(forge_)), inner);
  }

  static long count_for(const TypeMap& map, long size) {
    if (size <= 3) return size;
    const long bytes = static_cast<long>(map.size()),
               reach = std::abs(static_cast<long>(map.extent()));
    return std::max(1L, size / std::max({1L, bytes, reach / 8}));
  }

  Forge forge_;
  const std::vector<Place>& places_;
  Deck place_, predefined_, mode_{4}, form_{7}, receive_{6}, completion_{5},
      size_{std::size(kSizes)}, maker_{kMakers};
};

// ---- the run ----

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atof(text) : otherwise;
}

// Fewer where more processes share the work of the machine.
double usual_cases() {
  return std::clamp(700 / size_of(MPI_COMM_WORLD), 80, 300);
}

// Collective. Whether there is another case: process 0 looks at the clock for all.
bool another(long done, double start) {
  static const double seconds = from_environment("TESSERA_SWEEP_SECONDS", 0);
  static const double cases = from_environment("TESSERA_SWEEP_CASES", usual_cases());
  if (seconds <= 0) return static_cast<double>(done) < cases;
  static int more = 1;
  if (done % 100 == 0) {
    more = MPI_Wtime() - start < seconds ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return more != 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned seed =
      static_cast<unsigned>(from_environment("TESSERA_SWEEP_SEED", size_of(MPI_COMM_WORLD)));
  std::vector<Place> places = make_places();
  Dealer dealer(seed, places);
  const double start = MPI_Wtime();
  for (long i = 0; failures == 0 && another(i, start); ++i) {
    const Case c = dealer.deal();
    carry_out(c);
    if (failures > 0) {
      std::fprintf(stderr, "sweep: seed %u, case %ld: %s\n", seed, i, c.text().c_str());
      MPI_Abort(MPI_COMM_WORLD, 1);  // the others may wait for this process
    }
  }
  free_places(places);
  return finish();
}
