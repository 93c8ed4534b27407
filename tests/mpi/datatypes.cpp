// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes through the MPI interface: messages, packing, contents, names, attributes,
// errors.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace {

int me, n;

// What arrives in `in` when every process passes `count` elements at `out` on to its right
// neighbour.
void pass_on(const void* out, void* in, int count, MPI_Datatype type, MPI_Status* status) {
  MPI_Sendrecv(out, count, type, (me + 1) % n, 1, in, count, type, (me + n - 1) % n, 1,
               MPI_COMM_WORLD, status);
}

void test_column() {
  MPI_Datatype column;
  CHECK(MPI_Type_vector(5, 1, 4, MPI_INT, &column) == MPI_SUCCESS);
  int matrix[5][4], got[5][4] = {};
  for (int i = 0; i < 20; ++i) matrix[i / 4][i % 4] = 100 * me + i;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Send(matrix, 1, column, me, 0, MPI_COMM_WORLD)) ==
        MPI_ERR_TYPE);  // not committed
  CHECK(MPI_Type_commit(&column) == MPI_SUCCESS);
  MPI_Status status;
  pass_on(&matrix[0][2], &got[0][1], 1, column, &status);
  const int from = (me + n - 1) % n;
  for (int i = 0; i < 5; ++i)
    CHECK(got[i][1] == 100 * from + 4 * i + 2 && got[i][0] == 0 && got[i][2] == 0);
  int count = -1, elements = -1, size = -1;
  MPI_Get_count(&status, column, &count);
  MPI_Get_elements(&status, MPI_INT, &elements);
  MPI_Type_size(column, &size);
  CHECK(count == 1 && elements == 5 && size == 20);
  CHECK(MPI_Type_free(&column) == MPI_SUCCESS && column == MPI_DATATYPE_NULL);
}

struct Particle {
  char kind;
  double place[3];
  int number;
};

MPI_Datatype particle_type() {
  const int lengths[3] = {1, 3, 1};
  const MPI_Aint places[3] = {offsetof(Particle, kind), offsetof(Particle, place),
                              offsetof(Particle, number)};
  const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype raw, type;
  MPI_Type_create_struct(3, lengths, places, types, &raw);
  MPI_Type_create_resized(raw, 0, sizeof(Particle), &type);
  MPI_Type_free(&raw);  // the resized type keeps what it needs
  MPI_Type_commit(&type);
  return type;
}

Particle particle(int rank, int i) {
  return {static_cast<char>('a' + i % 26), {rank + 0.5, i + 0.25, -1.0}, 1000 * rank + i};
}

bool same(const Particle& a, const Particle& b) {
  return a.kind == b.kind && std::memcmp(a.place, b.place, sizeof a.place) == 0 &&
         a.number == b.number;
}

void test_struct(int count) {
  MPI_Datatype type = particle_type();
  std::vector<Particle> out, in(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) out.push_back(particle(me, i));
  pass_on(out.data(), in.data(), count, type, MPI_STATUS_IGNORE);
  const int from = (me + n - 1) % n;
  bool right = true;
  for (int i = 0; i < count; ++i)
    right = right && same(in[static_cast<std::size_t>(i)], particle(from, i));
  CHECK(right);
  if (me == 0) in = out;
  CHECK(MPI_Bcast(in.data(), count, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  right = true;
  for (int i = 0; i < count; ++i)
    right = right && same(in[static_cast<std::size_t>(i)], particle(0, i));
  CHECK(right);
  MPI_Type_free(&type);
}

// A type may be freed while a message of that type is on its way.
void test_free_pending() {
  MPI_Datatype type = particle_type();
  const Particle out = particle(me, 7);
  Particle in{};
  MPI_Request request;
  MPI_Irecv(&in, 1, type, (me + n - 1) % n, 2, MPI_COMM_WORLD, &request);
  MPI_Datatype again;
  MPI_Type_dup(type, &again);
  MPI_Type_free(&type);
  MPI_Send(&out, 1, again, (me + 1) % n, 2, MPI_COMM_WORLD);
  MPI_Type_free(&again);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(same(in, particle((me + n - 1) % n, 7)));
}

void test_partial() {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const int out[3] = {1, 2, 3};
  int in[4], count = -1, elements = -1;
  MPI_Status status;
  MPI_Sendrecv(out, 3, MPI_INT, me, 3, in, 2, pair, me, 3, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, pair, &count);
  MPI_Get_elements(&status, pair, &elements);
  CHECK(count == MPI_UNDEFINED && elements == 3);
  MPI_Status_set_elements(&status, pair, 4);
  MPI_Get_count(&status, pair, &count);
  CHECK(count == 2);
  MPI_Type_free(&pair);
}

void test_pack() {
  MPI_Datatype type = particle_type();
  const Particle out[2] = {particle(me, 1), particle(me, 2)};
  Particle in[2] = {};
  int size = -1, position = 0;
  MPI_Pack_size(2, type, MPI_COMM_WORLD, &size);
  CHECK(size >= 2 * (1 + 24 + 4));
  std::vector<char> memory(static_cast<std::size_t>(size) + sizeof(int));
  const int room = static_cast<int>(memory.size());
  CHECK(MPI_Pack(&me, 1, MPI_INT, memory.data(), room, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Pack(out, 2, type, memory.data(), room, &position, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(class_of(MPI_Pack(out, 2, type, memory.data(), room, &position, MPI_COMM_WORLD)) ==
        MPI_ERR_TRUNCATE);
  MPI_Sendrecv_replace(memory.data(), position, MPI_PACKED, (me + 1) % n, 4, (me + n - 1) % n, 4,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int from = -1;
  const int end = position;
  position = 0;
  CHECK(MPI_Unpack(memory.data(), end, &position, &from, 1, MPI_INT, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(MPI_Unpack(memory.data(), end, &position, in, 2, type, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(from == (me + n - 1) % n && position == end && same(in[0], particle(from, 1)) &&
        same(in[1], particle(from, 2)));
  MPI_Type_free(&type);

  // req errata 1.5
  const int number = 0x01020304;
  char bytes[4];
  MPI_Aint place = 0, bytes_needed = -1;
  CHECK(MPI_Pack_external("external32", &number, 1, MPI_INT, bytes, 4, &place) == MPI_SUCCESS &&
        place == 4);
  CHECK(bytes[0] == 1 && bytes[3] == 4);  // big-endian
  int back = 0;
  place = 0;
  CHECK(MPI_Unpack_external("external32", bytes, 4, &place, &back, 1, MPI_INT) == MPI_SUCCESS &&
        back == number);
  CHECK(MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &bytes_needed) == MPI_SUCCESS &&
        bytes_needed == 24);
  CHECK(class_of(MPI_Pack_external_size("native", 3, MPI_DOUBLE, &bytes_needed)) ==
        MPI_ERR_UNSUPPORTED_DATAREP);
}

void test_contents() {
  MPI_Datatype type, inner[1];
  MPI_Type_create_hvector(3, 2, 40, MPI_DOUBLE, &type);
  int integers = -1, addresses = -1, types = -1, combiner = -1, numbers[2];
  MPI_Aint stride = -1;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK(integers == 2 && addresses == 1 && types == 1 && combiner == MPI_COMBINER_HVECTOR);
  CHECK(MPI_Type_get_contents(type, 2, 1, 1, numbers, &stride, inner) == MPI_SUCCESS);
  CHECK(numbers[0] == 3 && numbers[1] == 2 && stride == 40 && inner[0] == MPI_DOUBLE);
  CHECK(class_of(MPI_Type_get_contents(type, 1, 1, 1, numbers, &stride, inner)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Type_get_contents(MPI_INT, 2, 1, 1, numbers, &stride, inner)) == MPI_ERR_TYPE);
  MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner);
  CHECK(integers == 0 && types == 0 && combiner == MPI_COMBINER_NAMED);
  MPI_Type_free(&type);
  MPI_Type_contiguous_c(9, MPI_INT, &type);
  CHECK(class_of(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner)) ==
        MPI_ERR_TYPE);
  MPI_Count many, none, counts, one;
  MPI_Type_get_envelope_c(type, &many, &none, &counts, &one, &combiner);
  CHECK(many == 0 && none == 0 && counts == 1 && one == 1 && combiner == MPI_COMBINER_CONTIGUOUS);
  MPI_Type_free(&type);
  MPI_Type_create_f90_real(10, MPI_UNDEFINED, &type);
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK(integers == 2 && types == 0 && combiner == MPI_COMBINER_F90_REAL);
  CHECK(class_of(MPI_Type_free(&type)) == MPI_ERR_TYPE);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type) == MPI_SUCCESS && type == MPI_REAL8);
  CHECK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type) == MPI_SUCCESS &&
        type == MPI_DOUBLE_INT);
  CHECK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_DOUBLE, &type) == MPI_SUCCESS &&
        type == MPI_DATATYPE_NULL);
}

int copies = 0, deletions = 0;

int copy(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int destroy(MPI_Datatype, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

void test_names_and_attributes() {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1, keyval, flag = 0;
  MPI_Type_get_name(MPI_DOUBLE, name, &length);
  CHECK(std::string(name) == "MPI_DOUBLE" && length == 10);
  MPI_Datatype type, twin;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  CHECK(length == 0);
  MPI_Type_set_name(type, "triple");
  MPI_Type_get_name(type, name, &length);
  CHECK(std::string(name) == "triple");
  MPI_Type_create_keyval(copy, destroy, &keyval, nullptr);
  MPI_Type_set_attr(type, keyval, &flag);
  MPI_Type_dup(type, &twin);
  void* value = nullptr;
  MPI_Type_get_attr(twin, keyval, &value, &flag);
  CHECK(flag == 1 && value == &flag && copies == 1);
  MPI_Type_free(&type);
  MPI_Type_delete_attr(twin, keyval);
  CHECK(deletions == 2);
  MPI_Type_free(&twin);
  CHECK(deletions == 2);
  CHECK(class_of(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr)) ==
        MPI_ERR_KEYVAL);  // of another kind
  MPI_Type_dup(MPI_INT, &type);
  MPI_Type_set_attr(type, keyval, &flag);
  const int number = keyval;
  MPI_Type_free_keyval(&keyval);
  CHECK(MPI_Type_delete_attr(type, number) == MPI_SUCCESS && deletions == 3);
  CHECK(class_of(MPI_Type_delete_attr(type, number)) == MPI_ERR_KEYVAL);
  MPI_Type_free(&type);
}

// What MPI_Type_get_contents returns are objects of their own: freeing one leaves the other's
// attributes alone.
void test_contents_are_new() {
  MPI_Datatype inner, outer, again[1];
  int keyval, flag = 0, count = -1;
  MPI_Aint none;
  MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
  MPI_Type_create_keyval(copy, destroy, &keyval, nullptr);
  MPI_Type_set_attr(inner, keyval, &flag);
  MPI_Type_contiguous(4, inner, &outer);
  const int before = deletions;
  CHECK(MPI_Type_get_contents(outer, 1, 0, 1, &count, &none, again) == MPI_SUCCESS && count == 4);
  CHECK(again[0] != inner);
  CHECK(MPI_Type_free(&again[0]) == MPI_SUCCESS && deletions == before);
  void* value = nullptr;
  MPI_Type_get_attr(inner, keyval, &value, &flag);
  CHECK(flag == 1 && value == &flag);
  MPI_Type_free(&inner);
  CHECK(deletions == before + 1);
  CHECK(MPI_Type_get_contents(outer, 1, 0, 1, &count, &none, again) == MPI_SUCCESS);
  MPI_Type_free(&outer);
  int size = -1;
  CHECK(MPI_Type_size(again[0], &size) == MPI_SUCCESS && size == 8);  // outlives both
  MPI_Type_free(&again[0]);
  MPI_Type_free_keyval(&keyval);
}

void test_errors() {
  MPI_Datatype type = MPI_INT, made;
  int size;
  CHECK(class_of(MPI_Type_free(&type)) == MPI_ERR_TYPE && type == MPI_INT);
  CHECK(class_of(MPI_Type_size(MPI_DATATYPE_NULL, &size)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Type_contiguous(-1, MPI_INT, &made)) == MPI_ERR_COUNT);
  CHECK(class_of(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &made)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Type_indexed(2, nullptr, nullptr, MPI_INT, &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Type_contiguous(1, MPI_INT, nullptr)) == MPI_ERR_ARG);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  test_column();
  for (const int count : {1, 100, 20'000}) test_struct(count);
  test_free_pending();
  test_partial();
  test_pack();
  test_contents();
  test_names_and_attributes();
  test_contents_are_new();
  test_errors();
  return finish();
}
