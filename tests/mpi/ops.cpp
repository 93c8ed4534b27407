// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations of the user: order, types, lifetime.
#include <cstdint>
#include <vector>

#include "check.h"

namespace {

int me, n;

// Affine maps x -> a x + b modulo 2^32; composition is associative and does not commute.
struct Map {
  std::uint32_t a, b;
};

Map map_of(int rank, int i) {
  return {static_cast<std::uint32_t>(2 * rank + 3 + i), static_cast<std::uint32_t>(rank + 1)};
}
Map then(const Map& first, const Map& second) {
  return {second.a * first.a, second.a * first.b + second.b};
}
bool same(const Map& x, const Map& y) {
  return x.a == y.a && x.b == y.b;
}

MPI_Datatype expected_type;

template <class Length>
void compose(void* in, void* inout, Length* length, MPI_Datatype* type) {
  CHECK(*type == expected_type);
  const Map* left = static_cast<const Map*>(in);
  Map* right = static_cast<Map*>(inout);
  for (Length i = 0; i < *length; ++i) right[i] = then(left[i], right[i]);
}

void test_order(MPI_Op op, int count) {
  const auto size = static_cast<std::size_t>(count);
  std::vector<Map> mine(size), got(size), expected(size), prefix(size);
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    mine[k] = map_of(me, i);
    expected[k] = map_of(0, i);
    for (int r = 1; r < n; ++r) {
      if (r - 1 == me) prefix[k] = expected[k];
      expected[k] = then(expected[k], map_of(r, i));
    }
    if (me == n - 1) prefix[k] = expected[k];
  }
  const auto all_same = [&](const std::vector<Map>& other) {
    for (std::size_t k = 0; k < size; ++k) {
      if (!same(got[k], other[k])) return false;
    }
    return true;
  };
  CHECK(MPI_Allreduce(mine.data(), got.data(), count, expected_type, op, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(all_same(expected));
  for (int root = 0; root < n; ++root) {
    CHECK(MPI_Reduce(mine.data(), got.data(), count, expected_type, op, root, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(me != root || all_same(expected));
  }
  CHECK(MPI_Scan(mine.data(), got.data(), count, expected_type, op, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(all_same(prefix));
}

// The operation is freed while it is in use.
void test_lifetime(MPI_Op* op) {
  Map mine = map_of(me, 0), got{};
  MPI_Request request;
  CHECK(MPI_Iallreduce(&mine, &got, 1, expected_type, *op, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  CHECK(MPI_Op_free(op) == MPI_SUCCESS && *op == MPI_OP_NULL);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  Map expected = map_of(0, 0);
  for (int r = 1; r < n; ++r) expected = then(expected, map_of(r, 0));
  CHECK(same(got, expected));
}

void test_errors() {
  MPI_Op sum = MPI_SUM, null = MPI_OP_NULL;
  int commutes = -1, a = 3, b = 4;
  CHECK(class_of(MPI_Op_free(&sum)) == MPI_ERR_OP && class_of(MPI_Op_free(&null)) == MPI_ERR_OP);
  CHECK(MPI_Op_commutative(MPI_SUM, &commutes) == MPI_SUCCESS && commutes == 1);
  CHECK(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_SUM) == MPI_SUCCESS && b == 7);
  CHECK(class_of(MPI_Reduce_local(&a, &b, 1, MPI_BYTE, MPI_SUM)) == MPI_ERR_OP);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  expected_type = MPI_UINT64_T;  // as large as a map
  MPI_Op narrow, wide;
  MPI_Op_create(compose<int>, 0, &narrow);
  MPI_Op_create_c(compose<MPI_Count>, 0, &wide);
  int commutes = -1;
  CHECK(MPI_Op_commutative(narrow, &commutes) == MPI_SUCCESS && commutes == 0);
  for (const int count : {1, 5, 3000}) {
    test_order(narrow, count);
    test_order(wide, count);
  }
  test_lifetime(&narrow);
  test_lifetime(&wide);
  test_errors();
  return finish();
}
