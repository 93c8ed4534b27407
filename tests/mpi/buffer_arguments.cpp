// SPDX-License-Identifier: BSD-3-Clause
// Buffers that look wrong but are right (MPI_BOTTOM with absolute displacements), and the other way
// round (MPI_IN_PLACE where it has no meaning, one buffer given twice).
#include <vector>

#include "check.h"

namespace {

int me = 0, n = 1;

// Of a call in which the others wait for this process: it ends the job where it fails here alone.
#define CHECK_WITH_OTHERS(call) check_with_others((call) == MPI_SUCCESS, #call, __LINE__)
void check_with_others(bool right, const char* call, int line) {
  if (right) return;
  check(false, call, __FILE__, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

MPI_Aint address_of(const void* place) {
  MPI_Aint address = 0;
  MPI_Get_address(place, &address);
  return address;
}

// For each of `blocks` blocks the absolute address of a number of its own.
struct Blocks {
  explicit Blocks(int blocks, int first)
      : numbers(static_cast<std::size_t>(blocks) + 1, -1),
        counts(static_cast<std::size_t>(blocks), 1),
        types(static_cast<std::size_t>(blocks), MPI_INT) {
    for (int i = 0; i < blocks; ++i) {
      if (first >= 0) numbers[static_cast<std::size_t>(i)] = first + i;
      places.push_back(address_of(&numbers[static_cast<std::size_t>(i)]));
    }
  }
  std::vector<int> numbers;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
};

void test_alltoallw() {
  const Blocks out(n, 100 * me), in(n, -1);
  CHECK_WITH_OTHERS(MPI_Alltoallw_c(MPI_BOTTOM, out.counts.data(), out.places.data(),
                                    out.types.data(), MPI_BOTTOM, in.counts.data(),
                                    in.places.data(), in.types.data(), MPI_COMM_WORLD));
  for (int i = 0; i < n; ++i) CHECK(in.numbers[static_cast<std::size_t>(i)] == 100 * i + me);
}

// Displacements in elements: of bytes, they are addresses as well.
void test_alltoallv() {
  std::vector<char> out(static_cast<std::size_t>(n)), in(static_cast<std::size_t>(n), 99);
  std::vector<MPI_Count> counts(static_cast<std::size_t>(n), 1);
  std::vector<MPI_Aint> from, to;
  for (int i = 0; i < n; ++i) {
    out[static_cast<std::size_t>(i)] = static_cast<char>(10 * me + i);
    from.push_back(address_of(&out[static_cast<std::size_t>(i)]));
    to.push_back(address_of(&in[static_cast<std::size_t>(i)]));
  }
  CHECK_WITH_OTHERS(MPI_Alltoallv_c(MPI_BOTTOM, counts.data(), from.data(), MPI_BYTE, MPI_BOTTOM,
                                    counts.data(), to.data(), MPI_BYTE, MPI_COMM_WORLD));
  for (int i = 0; i < n; ++i) CHECK(in[static_cast<std::size_t>(i)] == 10 * i + me);
}

void test_neighbours() {
  MPI_Comm ring;
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring);
  const int counts[2] = {1, 1};
  const Blocks out(2, 10 * me), in(2, -1);
  CHECK_WITH_OTHERS(MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, out.places.data(), out.types.data(),
                                           MPI_BOTTOM, counts, in.places.data(), in.types.data(),
                                           ring));
  CHECK(in.numbers[0] == 10 * ((me + n - 1) % n) + 1 && in.numbers[1] == 10 * ((me + 1) % n));
  MPI_Request request;
  CHECK_WITH_OTHERS(MPI_Ineighbor_alltoallw(MPI_BOTTOM, counts, out.places.data(), out.types.data(),
                                            MPI_BOTTOM, counts, in.places.data(), in.types.data(),
                                            ring, &request));
  CHECK_WITH_OTHERS(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Comm_free(&ring);
}

// Where a block lies at address 0, there is no buffer. What is refused is called where nobody waits
// for this process.
void test_null_buffers() {
  Blocks out(n, 0), in(n, -1);
  out.places[0] = 0;
  CHECK(class_of(MPI_Alltoallw_c(nullptr, out.counts.data(), out.places.data(), out.types.data(),
                                 MPI_BOTTOM, in.counts.data(), in.places.data(), in.types.data(),
                                 MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  const std::vector<int> counts(static_cast<std::size_t>(n), 1), displacements(counts);
  CHECK(class_of(MPI_Alltoallv(nullptr, counts.data(), displacements.data(), MPI_INT,
                               in.numbers.data(), counts.data(), displacements.data(), MPI_INT,
                               MPI_COMM_SELF)) == MPI_ERR_BUFFER);
}

void test_reduce_local() {
  int a[2] = {1, 2}, b[2] = {3, 4};
  const auto reduce = [](const void* in, void* inout) {
    return class_of(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_SUM));
  };
  CHECK(reduce(MPI_IN_PLACE, b) == MPI_ERR_BUFFER && reduce(a, MPI_IN_PLACE) == MPI_ERR_BUFFER);
  CHECK(reduce(a, a) == MPI_ERR_BUFFER && a[0] == 1 && b[1] == 4);
  CHECK(reduce(a, b) == MPI_SUCCESS && b[0] == 4 && b[1] == 6);
  CHECK(MPI_Reduce_local(a, a, 0, MPI_INT, MPI_SUM) == MPI_SUCCESS);
}

void test_one_buffer_twice() {
  std::vector<int> numbers(static_cast<std::size_t>(n), me);
  const auto scatter = [&](MPI_Comm comm) {
    return class_of(MPI_Scatter(numbers.data(), 1, MPI_INT, numbers.data(), 1, MPI_INT, 0, comm));
  };
  CHECK(scatter(MPI_COMM_SELF) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(numbers.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF)) ==
        MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  const int one = 1, none = 0;
  MPI_Request request;
  CHECK(class_of(MPI_Igatherv(numbers.data(), 1, MPI_INT, numbers.data(), &one, &none, MPI_INT, 0,
                              MPI_COMM_SELF, &request)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Scatterv_init(numbers.data(), &one, &none, MPI_INT, numbers.data(), 1, MPI_INT,
                                   0, MPI_COMM_SELF, MPI_INFO_NULL, &request)) == MPI_ERR_BUFFER);
}

// One buffer given twice, of which each argument has parts of its own.
void test_one_buffer_for_both() {
  const auto size = static_cast<std::size_t>(n);
  std::vector<int> numbers(size + 1, me), counts(size, 1), behind(size);
  for (int i = 0; i < n; ++i) behind[static_cast<std::size_t>(i)] = i + 1;
  const auto all_are_there = [&](int first) {
    for (int i = first; i < n; ++i) CHECK(numbers[static_cast<std::size_t>(i) + 1] == i);
  };
  CHECK_WITH_OTHERS(MPI_Gatherv(numbers.data(), 1, MPI_INT, numbers.data(), counts.data(),
                                behind.data(), MPI_INT, 0, MPI_COMM_WORLD));
  if (me == 0) all_are_there(0);
  numbers[0] = -1;
  CHECK_WITH_OTHERS(MPI_Scatterv(numbers.data(), counts.data(), behind.data(), MPI_INT,
                                 numbers.data(), 1, MPI_INT, 0, MPI_COMM_WORLD));
  CHECK(numbers[0] == me);
  counts[0] = behind[0] = 0;  // nothing lies where both begin
  CHECK_WITH_OTHERS(MPI_Allgatherv(numbers.data(), counts[static_cast<std::size_t>(me)], MPI_INT,
                                   numbers.data(), counts.data(), behind.data(), MPI_INT,
                                   MPI_COMM_WORLD));
  all_are_there(1);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  test_alltoallw();
  test_alltoallv();
  test_neighbours();
  test_null_buffers();
  test_reduce_local();
  test_one_buffer_twice();
  test_one_buffer_for_both();
  return finish();
}
