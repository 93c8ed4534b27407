// SPDX-License-Identifier: BSD-3-Clause
// Partitioned messages of more than 2 GiB, in memory of 8 MiB that is mapped again and again.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "check.h"

namespace {

constexpr int kTag = 7;
constexpr std::size_t kPages = 2039;  // a prime: data at a wrong offset is wrong data
constexpr std::size_t kPage = 4096;
constexpr std::size_t kFile = kPages * kPage;
constexpr std::size_t kCopies = 300;
constexpr std::size_t kAll = kCopies * kFile;
static_assert(kAll > std::size_t{INT32_MAX});

// The same memory, kCopies times, one after the other.
class Repeated {
 public:
  Repeated() {
    const int file = memfd_create("repeated", 0);
    CHECK(file >= 0 && ftruncate(file, kFile) == 0);
    data_ = static_cast<char*>(mmap(nullptr, kAll, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CHECK(data_ != MAP_FAILED);
    for (std::size_t i = 0; i < kCopies; ++i) {
      CHECK(mmap(data_ + i * kFile, kFile, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                 0) != MAP_FAILED);
    }
    close(file);
  }
  ~Repeated() { munmap(data_, kAll); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  char* data() { return data_; }
  void clear() { std::memset(data_, 0, kFile); }
  void fill() {
    for (std::size_t i = 0; i < kFile / sizeof(std::uint64_t); ++i) words()[i] = i + 1;
  }
  bool is_filled() {
    for (std::size_t i = 0; i < kFile / sizeof(std::uint64_t); ++i)
      if (words()[i] != i + 1) return false;
    return true;
  }

 private:
  std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(data_); }
  char* data_;
};

MPI_Request prepare(char* data, int partitions) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto each = static_cast<MPI_Count>(kAll) / partitions;
  if (rank_in(MPI_COMM_WORLD) == 0)
    MPI_Psend_init_c(data, partitions, each, MPI_CHAR, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  else
    MPI_Precv_init_c(data, partitions, each, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  return request;
}

// One partition after the other, each looked at before the next one is marked.
void one_by_one(Repeated& memory, int partitions) {
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Request request = prepare(memory.data(), partitions);
  MPI_Start(&request);
  for (int p = 0; p < partitions; ++p) {
    if (me == 1) memory.clear();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) MPI_Pready(p, request);
    for (int flag = 0; me == 1 && flag == 0;) MPI_Parrived(request, p, &flag);
    CHECK(memory.is_filled());
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

// A partition of more than 2 GiB on either side, divided on the other.
void at_once(Repeated& memory, int from, int to) {
  const int me = rank_in(MPI_COMM_WORLD);
  if (me == 1) memory.clear();
  MPI_Request request = prepare(memory.data(), me == 0 ? from : to);
  MPI_Start(&request);
  if (me == 0) MPI_Pready_range(0, from - 1, request);
  MPI_Status status{};
  MPI_Wait(&request, &status);
  MPI_Count count = 0;
  MPI_Get_count_c(&status, MPI_CHAR, &count);
  CHECK(me == 0 || count == static_cast<MPI_Count>(kAll));
  CHECK(memory.is_filled());
  MPI_Request_free(&request);
}

}  // namespace

// req dynamic 4.28
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Repeated memory;
    if (rank_in(MPI_COMM_WORLD) == 0) memory.fill();
    one_by_one(memory, 3);
    at_once(memory, 1, 5);
    at_once(memory, 5, 1);
  }
  return finish();
}
