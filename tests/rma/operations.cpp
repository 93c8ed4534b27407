// SPDX-License-Identifier: BSD-3-Clause
// What operations do to the target: order, atomicity, types of many shapes and sizes.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"
#include "window.h"

namespace {

using rma::me;
using rma::n;
using rma::Window;

// req rma 10.3, 10.5, 10.7, 8.8, 8.9, 8.10
void ordered_replacements(bool create) {
  constexpr int kWords = 20'000;
  Window w(create, kWords);
  struct Round {  // its buffers belong to MPI until the fence
    std::vector<std::int64_t> values;
    std::int64_t next;
    std::int64_t was;
  };
  std::vector<Round> rounds;
  for (int i = 0; i <= 10; ++i)
    rounds.push_back({std::vector<std::int64_t>(kWords, i), 100 + i, 0});
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
  for (int i = 1; i <= 10 && me == n - 1; ++i) {
    Round& one = rounds[static_cast<std::size_t>(i)];
    MPI_Accumulate(one.values.data(), kWords, MPI_INT64_T, 0, 0, kWords, MPI_INT64_T, MPI_REPLACE,
                   w.win);
    MPI_Accumulate(&one.next, 1, MPI_INT64_T, 0, i, 1, MPI_INT64_T, MPI_REPLACE, w.win);
    MPI_Fetch_and_op(&one.next, &one.was, MPI_INT64_T, 0, i, MPI_REPLACE, w.win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  for (int i = 0; me == 0 && i < kWords; ++i) CHECK_EQUAL(w.base[i], i == 10 ? 110 : 10);
}

// req rma 8.1, 7.14, 7.15, 5.22
void elements_stay_whole(bool create) {
  constexpr int kWords = 40'000;
  Window w(create, kWords);
  const std::vector<std::int64_t> values(kWords, (me + 1) * 0x0101010101010101);
  std::vector<std::int64_t> old(kWords, -1);
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < 4; ++i) {
    MPI_Get_accumulate(values.data(), kWords, MPI_INT64_T, old.data(), kWords, MPI_INT64_T, 0, 0,
                       kWords, MPI_INT64_T, MPI_REPLACE, w.win);
    MPI_Win_flush(0, w.win);
    for (const std::int64_t word : old) {
      const std::int64_t byte = word & 0xff;
      CHECK(byte <= n && word == byte * 0x0101010101010101);
    }
  }
  MPI_Win_unlock_all(w.win);
}

// req rma 7.4, 5.23, 7.11
void pairs(bool create) {
  struct ShortInt {
    short value;
    int index;
  };
  struct DoubleInt {
    double value;
    int index;
  };
  Window w(create, 16);
  auto* const doubles = reinterpret_cast<DoubleInt*>(w.base);
  auto* const shorts = reinterpret_cast<ShortInt*>(w.base + 8);
  MPI_Win_fence(0, w.win);
  const DoubleInt mine[2] = {{static_cast<double>(me), me}, {static_cast<double>(-me), me}};
  const ShortInt few[3] = {{static_cast<short>(me % 3), me}, {5, me}, {static_cast<short>(me), me}};
  MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, 0, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, w.win);
  MPI_Accumulate(few, 3, MPI_SHORT_INT, 0, 8, 3, MPI_SHORT_INT, MPI_MAXLOC, w.win);
  MPI_Win_fence(0, w.win);
  if (me == 0) {
    CHECK(doubles[0].value == n - 1 && doubles[0].index == n - 1);
    CHECK(doubles[1].value == 0 && doubles[1].index == 0);
    CHECK_EQUAL(shorts[1].value, 5);
    CHECK_EQUAL(shorts[1].index, 0);
    CHECK_EQUAL(shorts[2].value, n - 1);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
}

// Puts to neighbouring bytes, by different processes.
// req rma 5.20, 5.19, 4.16
void neighbouring_bytes(bool create) {
  Window w(create, 8);
  const unsigned char byte = static_cast<unsigned char>(me + 1);
  MPI_Win_fence(0, w.win);
  for (int i = me; i < 64; i += n) {
    MPI_Datatype wide;
    MPI_Datatype one;
    MPI_Type_create_resized(MPI_BYTE, -3, 7, &wide);
    const int at = i;
    MPI_Type_create_hindexed_block(1, 1, std::vector<MPI_Aint>{at}.data(), wide, &one);
    MPI_Type_free(&wide);
    MPI_Type_commit(&one);
    MPI_Put(&byte, 1, MPI_BYTE, 0, 0, 1, one, w.win);
    MPI_Type_free(&one);
  }
  MPI_Win_fence(0, w.win);
  const auto* bytes = reinterpret_cast<unsigned char*>(w.base);
  for (int i = 0; me == 0 && i < 64; ++i) CHECK_EQUAL(bytes[i], i % n + 1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
}

// req rma 5.7, 5.8, 9.7, 11.11, 9.2, 9.3, 9.4, 9.6, 9.9
void requests_and_nobody(bool create) {
  Window w(create, 300);
  std::int64_t value = 5;
  std::int64_t result = 7;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_lock_all(0, w.win);
  MPI_Put(&value, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, w.win);
  MPI_Get(&result, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, w.win);
  MPI_Fetch_and_op(&value, &result, MPI_INT64_T, MPI_PROC_NULL, 0, MPI_SUM, w.win);
  MPI_Compare_and_swap(&value, &value, &result, MPI_INT64_T, MPI_PROC_NULL, 0, w.win);
  MPI_Rget(&result, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, w.win, &request);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(result, 7);
  std::vector<MPI_Request> requests(200);
  std::vector<std::int64_t> got(200, -1);
  for (int i = 0; i < 100; ++i) {
    value = 10 * i;
    MPI_Rput(&value, 1, MPI_INT64_T, me, i, 1, MPI_INT64_T, w.win,
             &requests[static_cast<std::size_t>(i)]);
    MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
  }
  MPI_Win_flush(me, w.win);
  for (int i = 0; i < 100; ++i)
    MPI_Rget(&got[static_cast<std::size_t>(i)], 1, MPI_INT64_T, me, i, 1, MPI_INT64_T, w.win,
             &requests[static_cast<std::size_t>(99 - i)]);
  for (int left = 100; left > 0;) {
    int index = 0;
    int flag = 0;
    MPI_Testany(100, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    left -= flag != 0 && index != MPI_UNDEFINED ? 1 : 0;
  }
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(got[static_cast<std::size_t>(i)], 10 * i);
  MPI_Win_flush_local_all(w.win);
  MPI_Win_unlock_all(w.win);
  MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, w.win);
  MPI_Win_unlock(MPI_PROC_NULL, w.win);
}

// A large transfer of derived types both ways.
// req rma 5.22, 5.10, 6.4, 5.25
void long_columns(bool create) {
  constexpr int kRows = 700;
  Window w(create, kRows * kRows);
  MPI_Datatype tall;
  MPI_Datatype column;
  MPI_Type_vector(kRows, 1, kRows, MPI_INT64_T, &tall);
  MPI_Type_create_resized(tall, 0, 8, &column);
  MPI_Type_free(&tall);
  MPI_Type_commit(&column);
  std::vector<std::int64_t> matrix(kRows * kRows);
  for (int i = 0; i < kRows * kRows; ++i) matrix[static_cast<std::size_t>(i)] = i + me;
  const int right = (me + 1) % n;
  MPI_Win_fence(0, w.win);
  MPI_Put(matrix.data(), kRows * kRows, MPI_INT64_T, right, 0, kRows, column, w.win);
  MPI_Win_fence(0, w.win);
  const int left = (me + n - 1) % n;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kRows; ++c) CHECK_EQUAL(w.base[r * kRows + c], c * kRows + r + left);
  }
  std::vector<std::int64_t> back(kRows * kRows);
  MPI_Get(back.data(), kRows, column, right, 0, kRows, column, w.win);
  MPI_Type_free(&column);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  for (int i = 0; i < kRows * kRows; ++i)
    CHECK_EQUAL(back[static_cast<std::size_t>(i)], (i % kRows) * kRows + i / kRows + me);
}

// Blocks that are longer than a message, cut anywhere.
// req rma 5.24, 5.11
void long_blocks(bool create) {
  constexpr int kBlocks = 5;
  constexpr int kLength = 13'001;
  constexpr int kStride = 14'000;
  Window w(create, kBlocks * kStride);
  MPI_Datatype blocks;
  MPI_Type_vector(kBlocks, kLength, kStride, MPI_INT64_T, &blocks);
  MPI_Type_commit(&blocks);
  std::vector<std::int64_t> data(kBlocks * kLength);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int64_t>(i) + 1;
  const int right = (me + 1) % n;
  const int count = kBlocks * kLength;
  MPI_Win_fence(0, w.win);
  MPI_Put(data.data(), count, MPI_INT64_T, right, 0, 1, blocks, w.win);
  MPI_Win_fence(0, w.win);
  MPI_Accumulate(data.data(), count, MPI_INT64_T, right, 0, 1, blocks, MPI_SUM, w.win);
  std::vector<std::int64_t> back(data.size());
  MPI_Win_fence(0, w.win);
  MPI_Get(back.data(), count, MPI_INT64_T, right, 0, 1, blocks, w.win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  MPI_Type_free(&blocks);
  for (std::size_t i = 0; i < data.size(); ++i) CHECK_EQUAL(back[i], 2 * data[i]);
  for (int i = 0; i < kBlocks * kStride; ++i) {
    const bool gap = i % kStride >= kLength;
    const int place = i / kStride * kLength + i % kStride;
    CHECK_EQUAL(w.base[i], gap ? 0 : 2 * (place + 1));
  }
}

// req rma 14.1, 14.2, 5.1, 6.6, 11.16
void many_small_puts(bool create) {
  Window w(create, 512);
  const int right = (me + 1) % n;
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w.win);
  MPI_Barrier(MPI_COMM_WORLD);  // a lock held over a collective
  for (std::int64_t i = 0; i < 20'000; ++i)
    MPI_Put(&i, 1, MPI_INT64_T, right, i % 512, 1, MPI_INT64_T, w.win);
  MPI_Win_unlock(right, w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 512; ++i) CHECK_EQUAL(w.base[i] % 512, i);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rma::look_around();
  for (const bool create : {false, true}) {
    ordered_replacements(create);
    elements_stay_whole(create);
    pairs(create);
    neighbouring_bytes(create);
    requests_and_nobody(create);
    long_columns(create);
    long_blocks(create);
    many_small_puts(create);
  }
  MPI_Finalize();
  return 0;
}
