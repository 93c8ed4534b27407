// SPDX-License-Identifier: BSD-3-Clause
// Random programs against a sequential model: every process plays all operations of all processes
// on arrays of its own, and compares after each epoch.
//
// Usage: model [FIRST_SEED [PROGRAMS]]. A program is made of its seed alone.
//
// req rma 1.8, 5.3, 5.9, 5.14, 5.16, 5.18, 5.20, 5.24, 5.25, 6.1, 6.2, 6.4, 6.5, 6.7, 7.1, 7.2, 7.3
// req rma 7.5, 7.7, 7.10, 7.12, 7.13, 8.1, 8.7, 10.1, 10.2, 10.8, 10.10, 10.18, 11.5, 11.6, 11.18
// req rma 5.11, 11.14, 14.5, 2.1, 2.9, 2.17, 2.18
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "check.h"

namespace {

using Bytes = std::vector<unsigned char>;
using Random = std::mt19937_64;

int me;
int n;

constexpr int kBlocks = 64;  // of kBlock bytes each, per process
constexpr int kBlock = 64;
constexpr int kSize = kBlocks * kBlock;

enum class Flavor { create, allocate, shared, dynamic, kinds };
enum class Sync { fence, pscw, lock, lock_all, kinds };

struct Element {
  MPI_Datatype type;
  int bytes;
};
const Element kElements[] = {{MPI_INT8_T, 1},  {MPI_INT16_T, 2},  {MPI_INT32_T, 4},
                             {MPI_INT64_T, 8}, {MPI_UINT32_T, 4}, {MPI_DOUBLE, 8},
                             {MPI_FLOAT, 4},   {MPI_UINT8_T, 1}};
constexpr int kKinds = sizeof kElements / sizeof kElements[0];

struct Program {
  Random random;
  Flavor flavor;
  Sync sync;
  int unit;
  MPI_Win win = MPI_WIN_NULL;
  unsigned char* base = nullptr;
  std::vector<MPI_Aint> addresses;
  std::vector<Bytes> model;
};

int pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

// Small numbers, so that sums of numbers with a point are exact.
void fill(Random& random, const Element& element, unsigned char* at, int count) {
  for (int i = 0; i < count; ++i) {
    const int value = pick(random, 7) + 1;
    unsigned char* const to = at + i * element.bytes;
    if (element.type == MPI_DOUBLE) {
      const double v = value;
      std::memcpy(to, &v, sizeof v);
    } else if (element.type == MPI_FLOAT) {
      const float v = static_cast<float>(value);
      std::memcpy(to, &v, sizeof v);
    } else {
      const std::int64_t v = value;
      std::memcpy(to, &v, static_cast<std::size_t>(element.bytes));
    }
  }
}

// A layout of `count` elements within some of a process's memory: contiguous, strided or scattered.
struct Layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  std::vector<int> places;  // of elements, in elements
};

Layout make_layout(Random& random, const Element& element, int count, int room) {
  Layout layout;
  const int stride = room / count;
  switch (stride >= 2 ? pick(random, 3) : 0) {
    case 0:
      MPI_Type_dup(element.type, &layout.type);
      layout.count = count;
      for (int i = 0; i < count; ++i) layout.places.push_back(i);
      break;
    case 1:
      MPI_Type_vector(count, 1, stride, element.type, &layout.type);
      layout.count = 1;
      for (int i = 0; i < count; ++i) layout.places.push_back(i * stride);
      break;
    default:
      for (int i = 0; i < count; ++i) layout.places.push_back(i * stride + pick(random, stride));
      for (int i = count - 1; i > 0; --i)
        std::swap(layout.places[static_cast<std::size_t>(i)],
                  layout.places[static_cast<std::size_t>(pick(random, i + 1))]);
      MPI_Type_create_indexed_block(count, 1, layout.places.data(), element.type, &layout.type);
      layout.count = 1;
  }
  MPI_Type_commit(&layout.type);
  return layout;
}

// In one epoch, process p may put to and get from block (p + i * n + round) of each target only;
// accumulates of one kind go to blocks that all share, with one operation.
struct Act {
  int kind;  // 0 put, 1 get, 2 accumulate, 3 get_accumulate, 4 fetch_and_op, 5 compare_and_swap
  int origin;
  int target;
  int block;
  Element element;
  int count;
  MPI_Op op;
  std::uint64_t seed;
};

MPI_Op operation(Random& random, const Element& element) {
  const bool whole = element.type != MPI_DOUBLE && element.type != MPI_FLOAT;
  const MPI_Op all[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BOR, MPI_BAND};
  return all[pick(random, whole ? 6 : 3)];
}

// What the operations do to `data`, which starts at the first element.
void apply_layout(const Layout& layout, const Element& element, unsigned char* data,
                  const unsigned char* contiguous, MPI_Op op) {
  for (std::size_t i = 0; i < layout.places.size(); ++i) {
    unsigned char* const at = data + layout.places[i] * element.bytes;
    const unsigned char* const from = contiguous + i * static_cast<std::size_t>(element.bytes);
    if (op == MPI_REPLACE)
      std::memcpy(at, from, static_cast<std::size_t>(element.bytes));
    else
      MPI_Reduce_local(from, at, 1, element.type, op);
  }
}

MPI_Aint displacement(const Program& program, int target, int block) {
  if (program.flavor == Flavor::dynamic)
    return MPI_Aint_add(program.addresses[static_cast<std::size_t>(target)], block * kBlock);
  return block * kBlock / program.unit;
}

// Results are compared only where they are certain: gets of blocks that this process alone writes.
struct Running {
  Act act;
  Layout origin;
  Layout target;
  Layout result;
  Bytes buffer;
  Bytes into;
  Bytes contiguous;
  Bytes expected;
  bool certain = false;
};

void issue(Program& program, Running& r, bool with_request, std::vector<MPI_Request>& requests) {
  const Act& act = r.act;
  const MPI_Aint at = displacement(program, act.target, act.block);
  MPI_Request request = MPI_REQUEST_NULL;
  unsigned char* const out = r.buffer.data();
  unsigned char* const in = r.into.data();
  switch (act.kind) {
    case 0:
      with_request ? MPI_Rput(out, r.origin.count, r.origin.type, act.target, at, r.target.count,
                              r.target.type, program.win, &request)
                   : MPI_Put(out, r.origin.count, r.origin.type, act.target, at, r.target.count,
                             r.target.type, program.win);
      break;
    case 1:
      with_request ? MPI_Rget(in, r.result.count, r.result.type, act.target, at, r.target.count,
                              r.target.type, program.win, &request)
                   : MPI_Get(in, r.result.count, r.result.type, act.target, at, r.target.count,
                             r.target.type, program.win);
      break;
    case 2:
      with_request ? MPI_Raccumulate(out, r.origin.count, r.origin.type, act.target, at,
                                     r.target.count, r.target.type, act.op, program.win, &request)
                   : MPI_Accumulate(out, r.origin.count, r.origin.type, act.target, at,
                                    r.target.count, r.target.type, act.op, program.win);
      break;
    case 3:
      with_request ? MPI_Rget_accumulate(out, r.origin.count, r.origin.type, in, r.result.count,
                                         r.result.type, act.target, at, r.target.count,
                                         r.target.type, act.op, program.win, &request)
                   : MPI_Get_accumulate(out, r.origin.count, r.origin.type, in, r.result.count,
                                        r.result.type, act.target, at, r.target.count,
                                        r.target.type, act.op, program.win);
      break;
    default:
      MPI_Fetch_and_op(r.contiguous.data(), in, act.element.type, act.target, at, act.op,
                       program.win);
  }
  if (request != MPI_REQUEST_NULL) requests.push_back(request);
  MPI_Type_free(&r.origin.type);
  MPI_Type_free(&r.target.type);
  MPI_Type_free(&r.result.type);
}

// Plays the act on the model; the result counts as certain where nobody else touches the place.
Running prepare(Program& program, const Act& act) {
  Running r;
  r.act = act;
  Random random(act.seed);
  const int room = kBlock / act.element.bytes;
  r.contiguous.resize(static_cast<std::size_t>(act.count * act.element.bytes));
  fill(random, act.element, r.contiguous.data(), act.count);
  r.origin = make_layout(random, act.element, act.count, 2 * act.count);
  r.target = make_layout(random, act.element, act.count, room);
  r.result = make_layout(random, act.element, act.count, 3 * act.count);
  r.buffer.assign(static_cast<std::size_t>(2 * act.count * act.element.bytes), 0xee);
  r.into.assign(static_cast<std::size_t>(3 * act.count * act.element.bytes), 0xdd);
  r.expected = r.into;
  apply_layout(r.origin, act.element, r.buffer.data(), r.contiguous.data(), MPI_REPLACE);
  unsigned char* const data =
      program.model[static_cast<std::size_t>(act.target)].data() + act.block * kBlock;
  r.certain = act.kind == 1;
  if (act.kind == 1) {
    for (std::size_t i = 0; i < r.target.places.size(); ++i)
      std::memcpy(r.expected.data() + r.result.places[i] * act.element.bytes,
                  data + r.target.places[i] * act.element.bytes,
                  static_cast<std::size_t>(act.element.bytes));
  } else if (act.kind == 4) {
    Layout one;
    one.places.push_back(0);
    apply_layout(one, act.element, data, r.contiguous.data(), act.op);
  } else {
    apply_layout(r.target, act.element, data, r.contiguous.data(), act.op);
  }
  return r;
}

// The acts of one epoch. In every block there is one kind of thing: one process's puts, or gets, or
// everybody's accumulates with one operation.
std::vector<Act> make_acts(Random& random) {
  std::vector<Act> acts;
  for (int target = 0; target < n; ++target) {
    for (int block = 0; block < kBlocks; ++block) {
      const int use = pick(random, 8);
      if (use > 4) continue;
      const Element element = kElements[pick(random, kKinds)];
      const MPI_Op op = use == 0 ? MPI_REPLACE : operation(random, element);
      // Sums of arbitrary numbers with a point depend on their order.
      const bool point = element.type == MPI_DOUBLE || element.type == MPI_FLOAT;
      const int times = use < 2 || point ? 1 : pick(random, 4) + 1;
      for (int i = 0; i < times; ++i) {
        const int count = use == 4 ? 1 : pick(random, kBlock / element.bytes) + 1;
        acts.push_back({use, pick(random, n), target, block, element, count, op, random()});
      }
    }
  }
  return acts;
}

void begin(Program& program, MPI_Group others) {
  switch (program.sync) {
    case Sync::fence:
      MPI_Win_fence(0, program.win);
      return;
    case Sync::pscw:
      MPI_Win_post(others, 0, program.win);
      MPI_Win_start(others, 0, program.win);
      return;
    case Sync::lock:
      for (int rank = 0; rank < n; ++rank) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, program.win);
      return;
    default:
      MPI_Win_lock_all(0, program.win);
  }
}

void end(Program& program) {
  switch (program.sync) {
    case Sync::fence:
      MPI_Win_fence(0, program.win);
      return;
    case Sync::pscw:
      MPI_Win_complete(program.win);
      MPI_Win_wait(program.win);
      return;
    case Sync::lock:
      for (int rank = 0; rank < n; ++rank) MPI_Win_unlock(rank, program.win);
      break;
    default:
      MPI_Win_flush_all(program.win);
      MPI_Win_unlock_all(program.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void compare(const Program& program, std::uint64_t seed, int round) {
  const Bytes& wanted = program.model[static_cast<std::size_t>(me)];
  for (int i = 0; i < kSize; ++i) {
    if (program.base[i] == wanted[static_cast<std::size_t>(i)]) continue;
    std::fprintf(stderr, "seed %llu, round %d, flavor %d, sync %d, unit %d, byte %d (block %d)\n",
                 static_cast<unsigned long long>(seed), round, static_cast<int>(program.flavor),
                 static_cast<int>(program.sync), program.unit, i, i / kBlock);
    CHECK_EQUAL(program.base[i], wanted[static_cast<std::size_t>(i)]);
  }
}

void play_epoch(Program& program, MPI_Group others) {
  std::vector<Running> running;
  const std::vector<Act> acts = make_acts(program.random);
  for (const Act& act : acts) {
    Running r = prepare(program, act);
    if (act.origin == me) {
      running.push_back(std::move(r));
      continue;
    }
    MPI_Type_free(&r.origin.type);
    MPI_Type_free(&r.target.type);
    MPI_Type_free(&r.result.type);
  }
  const bool passive = program.sync == Sync::lock || program.sync == Sync::lock_all;
  std::vector<MPI_Request> requests;
  begin(program, others);
  for (Running& r : running) issue(program, r, passive && r.act.seed % 2 == 0, requests);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  end(program);
  for (const Running& r : running) {
    if (r.certain) CHECK_EQUAL(std::memcmp(r.into.data(), r.expected.data(), r.into.size()), 0);
  }
}

void make(Program& program, Bytes& memory) {
  MPI_Info info;
  MPI_Info_create(&info);
  if (pick(program.random, 4) == 0) MPI_Info_set(info, "mpi_accumulate_granularity", "4096");
  switch (program.flavor) {
    case Flavor::create:
      memory.resize(kSize + 16);
      program.base = memory.data() + pick(program.random, 2) * 8;
      MPI_Win_create(program.base, kSize, program.unit, info, MPI_COMM_WORLD, &program.win);
      break;
    case Flavor::allocate:
      MPI_Win_allocate(kSize, program.unit, info, MPI_COMM_WORLD, &program.base, &program.win);
      break;
    case Flavor::shared:
      MPI_Win_allocate_shared(kSize, program.unit, info, MPI_COMM_WORLD, &program.base,
                              &program.win);
      break;
    default:
      memory.resize(kSize);
      program.base = memory.data();
      MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &program.win);
      MPI_Win_attach(program.win, program.base, kSize);
      program.addresses.resize(static_cast<std::size_t>(n));
      MPI_Aint mine = 0;
      MPI_Get_address(program.base, &mine);
      MPI_Allgather(&mine, 1, MPI_AINT, program.addresses.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  }
  MPI_Info_free(&info);
}

void play(std::uint64_t seed) {
  Program program;
  program.random.seed(seed);
  program.flavor = static_cast<Flavor>(pick(program.random, static_cast<int>(Flavor::kinds)));
  program.sync = static_cast<Sync>(pick(program.random, static_cast<int>(Sync::kinds)));
  program.unit = 1 << pick(program.random, 5);
  Bytes memory;
  make(program, memory);
  Random values(seed + 1);
  for (int rank = 0; rank < n; ++rank) {
    Bytes start(kSize);
    for (unsigned char& byte : start) byte = 0;
    fill(values, kElements[0], start.data(), kSize);
    program.model.push_back(std::move(start));
  }
  std::memcpy(program.base, program.model[static_cast<std::size_t>(me)].data(), kSize);
  MPI_Win_sync(program.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Group everybody;
  MPI_Win_get_group(program.win, &everybody);
  const int rounds = pick(program.random, 3) + 1;
  for (int round = 0; round < rounds; ++round) {
    play_epoch(program, everybody);
    compare(program, seed, round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&everybody);
  if (program.flavor == Flavor::dynamic) MPI_Win_detach(program.win, program.base);
  MPI_Win_free(&program.win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rma::rank_in(MPI_COMM_WORLD);
  n = rma::size_of(MPI_COMM_WORLD);
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t programs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 40;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) play(seed);
  MPI_Finalize();
  return 0;
}
