// SPDX-License-Identifier: BSD-3-Clause
// What one-sided communication costs: single operations with a flush, bandwidth, accumulates,
// synchronisation, a contended counter, random updates, a target that computes.
//
// Windows are those of MPI_Win_allocate. Rank 0 is the origin and rank 1 the target, which waits in
// MPI unless the figure says otherwise; where all ranks take part the slowest counts.
#include <cstring>
#include <random>

#include "measure.hpp"

namespace {

using namespace tessera::bench;

constexpr std::size_t kLargest = 4U << 20;
constexpr int kBurst = 16;      // puts or gets of one flush in figures of bandwidth
constexpr int kUpdates = 64;    // random updates of one flush
constexpr double kBusy = 2e-3;  // seconds that the busy target computes between calls of MPI

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), data_(kLargest, 1) {
    MPI_Win_allocate(kLargest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    std::memset(memory_, 1, kLargest);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Bench() {
    if (column_ != MPI_DATATYPE_NULL) MPI_Type_free(&column_);
    MPI_Win_free(&window_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void single_operations() {
    const std::vector<std::size_t> sizes = options_.sizes_or({8, 1024, 65536, 1048576});
    for (const std::size_t size : sizes) {
      with_flush("put", size, [&](int n) { put(n); });
      with_flush("get", size, [&](int n) { get(n); });
    }
    with_flush("fetch_and_op", 8, [&](int) {
      MPI_Fetch_and_op(data_.data(), &result_, MPI_INT64_T, kTarget, 0, MPI_SUM, window_);
    });
    with_flush("compare_and_swap", 8, [&](int) {
      MPI_Compare_and_swap(data_.data(), data_.data() + 8, &result_, MPI_INT64_T, kTarget, 0,
                           window_);
    });
    with_flush("put_column", 8192, [&](int) {
      MPI_Put(data_.data(), 8192, MPI_BYTE, kTarget, 0, 1, column(), window_);
    });
  }

  // Against MPI_Put and MPI_Get: what the same bytes cost as a copy of this process alone.
  void bandwidth() {
    for (const std::size_t size : options_.sizes_or({65536, 1048576})) {
      burst("put_bandwidth", size, [&](int n) { put(n); });
      burst("get_bandwidth", size, [&](int n) { get(n); });
      if (!wants("copy_bandwidth")) continue;
      const double seconds = seconds_per_iteration(options_, [&](long iterations) {
        for (long i = 0; origin() && i < iterations; ++i) {
          std::memcpy(memory_, data_.data(), size);
          asm volatile("" : : "r"(memory_) : "memory");
        }
      });
      report("copy_bandwidth", size, 1e-9 * static_cast<double>(size) / seconds, "GB/s");
    }
  }

  void accumulates() {
    for (const std::size_t size : options_.sizes_or({8, 65536, 1048576})) {
      const auto accumulate = [&](int bytes) {
        MPI_Accumulate(data_.data(), bytes / 8, MPI_DOUBLE, kTarget, 0, bytes / 8, MPI_DOUBLE,
                       MPI_SUM, window_);
      };
      with_flush("accumulate", size, accumulate);
      with_flush("accumulate_exclusive", size, accumulate, MPI_LOCK_EXCLUSIVE);
      if (!wants("reduce_local")) continue;
      const double seconds = seconds_per_iteration(options_, [&](long iterations) {
        for (long i = 0; origin() && i < iterations; ++i)
          MPI_Reduce_local(data_.data(), memory_, static_cast<int>(size / 8), MPI_DOUBLE, MPI_SUM);
      });
      report("reduce_local", size, 1e6 * seconds, "us");
    }
  }

  void synchronisation() {
    measure("fence", 0, [&] { MPI_Win_fence(0, window_); });
    const MPI_Group left = group_of(-1), right = group_of(+1);
    measure("post_start", 8, [&] {
      MPI_Win_post(left, 0, window_);
      MPI_Win_start(right, 0, window_);
      MPI_Put(data_.data(), 8, MPI_BYTE, neighbour(+1), 0, 8, MPI_BYTE, window_);
      MPI_Win_complete(window_);
      MPI_Win_wait(window_);
    });
    MPI_Group copies[] = {left, right};
    for (MPI_Group& group : copies) MPI_Group_free(&group);
    measure(
        "lock_unlock", 0, [&] { locked(MPI_LOCK_EXCLUSIVE, 0); }, world_.rank == 0);
    measure(
        "lock_put_unlock", 8, [&] { locked(MPI_LOCK_EXCLUSIVE, 8); }, world_.rank == 0);
  }

  // All ranks count at rank 0; the time of one count of each.
  void counter() {
    if (!wants("counter")) return;
    MPI_Win_lock_all(0, window_);
    measure("counter", 8, [&] {
      MPI_Fetch_and_op(data_.data(), &result_, MPI_INT64_T, 0, 0, MPI_SUM, window_);
      MPI_Win_flush(0, window_);
    });
    MPI_Win_unlock_all(window_);
  }

  // Each rank changes words of all; the time of one change.
  void random_updates() {
    if (!wants("random_updates")) return;
    std::minstd_rand random(static_cast<unsigned>(world_.rank) + 1);
    MPI_Win_lock_all(0, window_);
    const double seconds = time_of(kUpdates, [&] {
      for (int i = 0; i < kUpdates; ++i) {
        const auto word = static_cast<MPI_Aint>(random() % (kLargest / 8));
        const int rank = static_cast<int>(random() % static_cast<unsigned>(world_.size));
        MPI_Accumulate(data_.data(), 1, MPI_UINT64_T, rank, 8 * word, 1, MPI_UINT64_T, MPI_BXOR,
                       window_);
      }
      MPI_Win_flush_all(window_);
    });
    report("random_updates", 8, 1e6 * seconds, "us");
    MPI_Win_unlock_all(window_);
  }

  // The target computes and calls no function of MPI meanwhile; what the origin waits for a put.
  void busy_target() {
    if (!wants("busy_target")) return;
    std::vector<double> times;
    for (double spent = 0; times.size() < 9 || spent < options_.budget; spent += kBusy) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      if (origin())
        locked(MPI_LOCK_EXCLUSIVE, 8);
      else
        while (MPI_Wtime() - start < kBusy) continue;
      times.push_back(MPI_Wtime() - start);
    }
    report("busy_target", 8, 1e6 * typical(options_, times), "us");
  }

 private:
  static constexpr int kTarget = 1;

  bool wants(const std::string& figure) const { return options_.wants("rma_" + figure); }
  bool origin() const { return world_.rank == 0; }
  int neighbour(int step) const { return (world_.rank + step + world_.size) % world_.size; }

  MPI_Group group_of(int step) const {
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int rank = neighbour(step);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
  }

  // The first of 128 columns of doubles.
  MPI_Datatype column() {
    if (column_ == MPI_DATATYPE_NULL) {
      MPI_Type_vector(1024, 8, 1024, MPI_BYTE, &column_);
      MPI_Type_commit(&column_);
    }
    return column_;
  }

  void put(int bytes) {
    MPI_Put(data_.data(), bytes, MPI_BYTE, kTarget, 0, bytes, MPI_BYTE, window_);
  }
  void get(int bytes) {
    MPI_Get(data_.data(), bytes, MPI_BYTE, kTarget, 0, bytes, MPI_BYTE, window_);
  }
  void locked(int kind, int bytes) {
    MPI_Win_lock(kind, kTarget, 0, window_);
    if (bytes > 0) put(bytes);
    MPI_Win_unlock(kTarget, window_);
  }

  // Seconds of one of `parts` parts of a call; only those who `take_part` call.
  template <class Call>
  double time_of(int parts, Call call, bool take_part = true) {
    const double seconds = seconds_per_iteration(options_, [&](long iterations) {
      for (long i = 0; take_part && i < iterations; ++i) call();
    });
    return seconds / parts;
  }

  template <class Call>
  void measure(const std::string& figure, std::size_t size, Call call, bool take_part = true) {
    if (wants(figure)) report(figure, size, 1e6 * time_of(1, call, take_part), "us");
  }

  template <class Operation>
  void with_flush(const std::string& figure, std::size_t size, Operation operation,
                  int kind = MPI_LOCK_SHARED) {
    if (!wants(figure)) return;
    if (origin()) MPI_Win_lock(kind, kTarget, 0, window_);
    const auto call = [&] {
      operation(static_cast<int>(size));
      MPI_Win_flush(kTarget, window_);
    };
    measure(figure, size, call, origin());
    if (origin()) MPI_Win_unlock(kTarget, window_);
  }

  template <class Operation>
  void burst(const std::string& figure, std::size_t size, Operation operation) {
    if (!wants(figure)) return;
    if (origin()) MPI_Win_lock(MPI_LOCK_SHARED, kTarget, 0, window_);
    const auto call = [&] {
      for (int i = 0; i < kBurst; ++i) operation(static_cast<int>(size));
      MPI_Win_flush(kTarget, window_);
    };
    const double seconds = time_of(kBurst, call, origin());
    report(figure, size, 1e-9 * static_cast<double>(size) / seconds, "GB/s");
    if (origin()) MPI_Win_unlock(kTarget, window_);
  }

  void report(const std::string& figure, std::size_t size, double value, const char* unit) const {
    if (world_.rank == 0) print_figure("rma_" + figure, size, value, unit);
  }

  const Options& options_;
  World world_;
  std::vector<char> data_;
  char* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  long long result_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  if (World().size < 2) {
    std::fprintf(stderr, "rma: start it with two ranks or more\n");
    return 1;
  }
  Bench bench(session.options);
  bench.single_operations();
  bench.bandwidth();
  bench.accumulates();
  bench.synchronisation();
  bench.counter();
  bench.random_updates();
  bench.busy_target();
  return 0;
}
