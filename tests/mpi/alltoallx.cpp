// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Alltoallx against MPI_Alltoallw_c: random counts, types and displacements, relative to a
// buffer and absolute, near and beyond 2^31 bytes, in all forms; and what it refuses.
// req errata 1.2, 1.3
#include <mpix.h>
#include <sys/mman.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "check.h"

namespace {

int me = 0, n = 1;

enum class Form { blocking, nonblocking, persistent };

// One side: a part for each process. `far` parts lie beyond 2^31 bytes.
struct Side {
  std::vector<int> counts;
  std::vector<MPI_Count> wide;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
};

// Address space, of which the pages that are touched exist.
class Room {
 public:
  explicit Room(std::size_t bytes) : bytes_(bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
    CHECK(base != nullptr);
  }
  ~Room() { munmap(base, bytes_); }
  Room(const Room&) = delete;
  char* base = nullptr;

 private:
  std::size_t bytes_;
};

constexpr MPI_Aint kSlot = 4096, kFar = (MPI_Aint{1} << 31) + 12345;

// The types of a pair have one signature: whole elements, laid out differently by the two.
MPI_Datatype type_of(MPI_Datatype element, int shape) {
  int bytes = 0;
  MPI_Type_size(element, &bytes);
  MPI_Datatype type = element;
  if (shape == 1) MPI_Type_vector(2, 1, 3, element, &type);
  if (shape == 2) {
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {2 * bytes, 0};
    MPI_Type_create_hindexed(2, lengths, places, element, &type);
  }
  if (shape == 3) MPI_Type_contiguous(2, element, &type);
  if (shape != 0) MPI_Type_commit(&type);
  return type;
}

// What a sends to b in this round; the same at both.
struct Content {
  MPI_Datatype element;
  int count;
};
Content content(unsigned round, int a, int b) {
  static const MPI_Datatype kElements[] = {MPI_INT,    MPI_FLOAT, MPI_INT64_T,
                                           MPI_DOUBLE, MPI_2INT,  MPI_C_DOUBLE_COMPLEX};
  std::mt19937 of(round * 1000003U + static_cast<unsigned>(a * 131 + b));
  const MPI_Datatype element = kElements[of() % std::size(kElements)];
  return {element, static_cast<int>(of() % 40) * 2};
}

Side side_of(unsigned round, bool sending, bool far) {
  std::mt19937 random(round * 7919U + static_cast<unsigned>(me * 2 + (sending ? 1 : 0)));
  Side side;
  for (int r = 0; r < n; ++r) {
    const int shape = static_cast<int>(random() % 4);
    const Content part = sending ? content(round, me, r) : content(round, r, me);
    side.counts.push_back(shape == 0 ? part.count : part.count / 2);
    side.wide.push_back(side.counts.back());
    side.types.push_back(type_of(part.element, shape));
    const bool beyond = far && random() % 2 == 0;
    side.places.push_back(kSlot * r + static_cast<MPI_Aint>(random() % 8) * 4 +
                          (beyond ? kFar : 0));
  }
  return side;
}

void free_types(Side& side) {
  for (MPI_Datatype& type : side.types) {
    int numbers[4];
    MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3]);
    if (numbers[3] != MPI_COMBINER_NAMED) MPI_Type_free(&type);
  }
}

void finish_request(Form form, MPI_Request request) {
  if (form == Form::persistent) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (form == Form::persistent) MPI_Request_free(&request);
}

void exchange(Form form, bool large, const void* out, const Side& s, void* in, const Side& r) {
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm w = MPI_COMM_WORLD;
  const auto sp = s.places.data(), rp = r.places.data();
  const auto st = s.types.data(), rt = r.types.data();
  if (form == Form::blocking && large)
    MPIX_Alltoallx_c(out, s.wide.data(), sp, st, in, r.wide.data(), rp, rt, w);
  else if (form == Form::blocking)
    MPIX_Alltoallx(out, s.counts.data(), sp, st, in, r.counts.data(), rp, rt, w);
  else if (form == Form::nonblocking && large)
    MPIX_Ialltoallx_c(out, s.wide.data(), sp, st, in, r.wide.data(), rp, rt, w, &request);
  else if (form == Form::nonblocking)
    MPIX_Ialltoallx(out, s.counts.data(), sp, st, in, r.counts.data(), rp, rt, w, &request);
  else if (large)
    MPIX_Alltoallx_init_c(out, s.wide.data(), sp, st, in, r.wide.data(), rp, rt, w, MPI_INFO_NULL,
                          &request);
  else
    MPIX_Alltoallx_init(out, s.counts.data(), sp, st, in, r.counts.data(), rp, rt, w, MPI_INFO_NULL,
                        &request);
  if (form != Form::blocking) finish_request(form, request);
}

void shift(Side& side, const void* base) {
  for (MPI_Aint& place : side.places) place += reinterpret_cast<MPI_Aint>(base);
}

// The pages of both halves in which parts lie.
bool same(const Room& a, const Room& b) {
  const auto bytes = static_cast<std::size_t>(kSlot * n + 64);
  return std::memcmp(a.base, b.base, bytes) == 0 &&
         std::memcmp(a.base + kFar, b.base + kFar, bytes) == 0;
}

// How many parts arrived: their first int is not the zero of fresh memory.
int arrived(const Side& side, const Room& room) {
  int parts = 0;
  for (std::size_t r = 0; r < side.places.size(); ++r) {
    int first = 0;
    std::memcpy(&first, room.base + side.places[r], 4);
    parts += side.counts[r] > 0 && first != 0 ? 1 : 0;
  }
  return parts;
}

void one_round(unsigned round, Form form, bool large, bool absolute) {
  const bool far = round % 3 == 0;
  const std::size_t bytes = static_cast<std::size_t>(kFar + kSlot * (n + 1));
  Room out(bytes), in(bytes), expected(bytes);
  Side send = side_of(round, true, far), receive = side_of(round, false, far);
  for (int r = 0; r < n; ++r)
    for (MPI_Aint i = 0; i < kSlot; i += 4) {
      const int value =
          static_cast<int>(round + 1) * 100000 + me * 10000 + r * 1000 + static_cast<int>(i);
      const MPI_Aint at = send.places[static_cast<std::size_t>(r)] / kFar * kFar + kSlot * r + i;
      std::memcpy(out.base + at, &value, 4);
    }
  MPI_Alltoallw_c(out.base, send.wide.data(), send.places.data(), send.types.data(), expected.base,
                  receive.wide.data(), receive.places.data(), receive.types.data(), MPI_COMM_WORLD);
  int parts = 0;
  for (const int count : receive.counts) parts += count > 0 ? 1 : 0;
  CHECK(arrived(receive, expected) == parts);
  if (absolute) shift(send, out.base), shift(receive, in.base);
  exchange(form, large, absolute ? MPI_BOTTOM : out.base, send, absolute ? MPI_BOTTOM : in.base,
           receive);
  CHECK(same(in, expected));
  free_types(send), free_types(receive);
}

void test_refusals() {
  std::vector<int> ones(static_cast<std::size_t>(n), 1), wrong(static_cast<std::size_t>(n), -1);
  std::vector<MPI_Aint> places(static_cast<std::size_t>(n), 0);
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(n), MPI_INT);
  int value = 0, other = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPIX_Alltoallx(&value, wrong.data(), places.data(), types.data(), &other,
                                  ones.data(), places.data(), types.data(), MPI_COMM_WORLD);
  CHECK(class_of(code) == MPI_ERR_COUNT);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  CHECK(std::strstr(text, "MPIX_Alltoallx") != nullptr);
  CHECK(class_of(MPIX_Alltoallx(&value, ones.data(), nullptr, types.data(), &other, ones.data(),
                                places.data(), types.data(), MPI_COMM_WORLD)) == MPI_ERR_ARG);
  CHECK(class_of(PMPIX_Alltoallx(&value, ones.data(), places.data(), types.data(), &other,
                                 ones.data(), places.data(), types.data(), MPI_COMM_NULL)) ==
        MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  unsigned round = 0;
  for (int sweep = 0; sweep < 8; ++sweep)
    for (Form form : {Form::blocking, Form::nonblocking, Form::persistent})
      for (bool large : {false, true})
        for (bool absolute : {false, true}) one_round(round++, form, large, absolute);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  test_refusals();
  return finish();
}
