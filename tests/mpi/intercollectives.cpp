// SPDX-License-Identifier: BSD-3-Clause
// Collectives on an intercommunicator: what one group gives, the other gets.
#include <algorithm>
#include <numeric>
#include <vector>

#include "forms.h"

namespace {

using Ints = std::vector<int>;

MPI_Comm comm;
int me, mine, theirs;  // rank in the local group, sizes of both groups
bool odd;              // which group this is

int value(bool group, int rank, int i) {
  return (group ? 10'000 : 0) + 100 * rank + i;
}

void fill(Ints& data) {
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(odd, me, static_cast<int>(i));
}

// The root argument for a root in the even group.
int root_of(int root) {
  return odd ? root : me == root ? MPI_ROOT : MPI_PROC_NULL;
}

int even_size() {
  return odd ? theirs : mine;
}

int sum_of(bool group, int processes, int i) {
  int sum = 0;
  for (int r = 0; r < processes; ++r) sum += value(group, r, i);
  return sum;
}

void test_rooted(Form form, int count, int root) {
  const auto size = static_cast<std::size_t>(count * std::max(mine, theirs));
  Ints in(size), out(size);
  const int root_argument = root_of(root);
  const bool is_root = root_argument == MPI_ROOT;
  const auto before = [&] { fill(in), std::fill(out.begin(), out.end(), -1); };
  run(
      form, [&] { before(), is_root ? void(out = in) : void(); },
      [&] {
        for (int i = 0; odd && i < count; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == value(false, root, i));
      },
      MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, out.data(), count, MPI_INT, root_argument, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; is_root && i < count * theirs; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == value(true, i / count, i % count));
      },
      MPI_Gather, MPI_Igather, MPI_Gather_init, in.data(), count, MPI_INT, out.data(), count,
      MPI_INT, root_argument, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; odd && i < count; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == value(false, root, me * count + i));
      },
      MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, in.data(), count, MPI_INT, out.data(), count,
      MPI_INT, root_argument, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; is_root && i < count; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == sum_of(true, theirs, i));
      },
      MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, in.data(), out.data(), count, MPI_INT, MPI_SUM,
      root_argument, comm);
}

void test_rootless(Form form, int count) {
  Ints in(static_cast<std::size_t>(count * theirs)), out(in.size());
  const auto before = [&] { fill(in), std::fill(out.begin(), out.end(), -1); };
  run(
      form, [] {}, [] {}, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; i < count * theirs; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == value(!odd, i / count, i % count));
      },
      MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in.data(), count, MPI_INT, out.data(),
      count, MPI_INT, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; i < count * theirs; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == value(!odd, i / count, me * count + i % count));
      },
      MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, in.data(), count, MPI_INT, out.data(), count,
      MPI_INT, comm);
  run(
      form, before,
      [&] {
        for (int i = 0; i < count; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == sum_of(!odd, theirs, i));
      },
      MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, in.data(), out.data(), count, MPI_INT,
      MPI_SUM, comm);
}

// Each group divides as many elements as the other: mine * theirs * count.
void test_reduce_scatter(Form form, int count) {
  Ints in(static_cast<std::size_t>(count * theirs * mine)), out(in.size());
  run(
      form, [&] { fill(in), std::fill(out.begin(), out.end(), -1); },
      [&] {
        for (int i = 0; i < count * theirs; ++i)
          CHECK(out[static_cast<std::size_t>(i)] == sum_of(!odd, theirs, me * count * theirs + i));
      },
      MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, in.data(),
      out.data(), count * theirs, MPI_INT, MPI_SUM, comm);
}

// A root gives nothing: it may name the buffer of the result twice.
void test_buffer_of_no_meaning() {
  const int root = root_of(0);
  Ints numbers(static_cast<std::size_t>(theirs), me), counts(numbers.size(), 1), places(counts);
  std::iota(places.begin(), places.end(), 0);
  CHECK(MPI_Gather(numbers.data(), 1, MPI_INT, numbers.data(), 1, MPI_INT, root, comm) ==
        MPI_SUCCESS);
  CHECK(MPI_Gatherv(numbers.data(), 1, MPI_INT, numbers.data(), counts.data(), places.data(),
                    MPI_INT, root, comm) == MPI_SUCCESS);
  for (int i = 0; root == MPI_ROOT && i < theirs; ++i)
    CHECK(numbers[static_cast<std::size_t>(i)] == i);
}

void test_errors() {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int a = 0, b = 0;
  CHECK(class_of(MPI_Allreduce(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM, comm)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, comm)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Bcast(&a, 1, MPI_INT, theirs, comm)) == MPI_ERR_ROOT);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  const int world_rank = rank_in(MPI_COMM_WORLD);
  odd = world_rank % 2 == 1;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, odd ? 1 : 0, world_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, odd ? 0 : 1, 0, &comm);
  me = rank_in(comm);
  mine = size_of(comm);
  MPI_Comm_remote_size(comm, &theirs);
  for (const Form form : kForms) {
    for (const int count : {0, 1, 500}) {
      for (int root = 0; root < even_size(); ++root) test_rooted(form, count, root);
      test_rootless(form, count);
      test_reduce_scatter(form, count);
    }
  }
  test_buffer_of_no_meaning();
  test_errors();
  MPI_Comm_free(&comm);
  MPI_Comm_free(&half);
  return finish();
}
