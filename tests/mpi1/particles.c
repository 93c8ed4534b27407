/* SPDX-License-Identifier: BSD-3-Clause
   An array of a thousand particles, sent whole or only those of class zero, described or packed in
   every way. */
#include "type_map.h"

enum { COUNT = 1000, PACKED_SIZE = 1 + 6 * 8 + 7 };

struct Partstruct {
  char class;
  double d[6];
  char b[7];
};

static struct Partstruct particle[COUNT];

/* In runs of one to four particles of class zero, with others between. */
static char class_of(int i) {
  return (char)((i * i / 3) % 5 < 2 ? 0 : 1 + i % 3);
}

static struct Partstruct original(int i) {
  struct Partstruct one;
  one.class = class_of(i);
  for (int k = 0; k < 6; k++) one.d[k] = 10.0 * i + k;
  for (int k = 0; k < 7; k++) one.b[k] = (char)(i + k);
  return one;
}

static int same(const struct Partstruct* a, const struct Partstruct* b) {
  return a->class == b->class && memcmp(a->d, b->d, sizeof a->d) == 0 &&
         memcmp(a->b, b->b, sizeof a->b) == 0;
}

/* Rank 0 has the particles, all others have nothing like them. */
static void prepare(MPI_Comm comm) {
  memset(particle, 0x55, sizeof particle);
  for (int i = 0; i < COUNT && rank_in(comm) == 0; i++) particle[i] = original(i);
}

static int wrong_particles(void) {
  int wrong = 0;
  for (int i = 0; i < COUNT; i++) {
    const struct Partstruct expected = original(i);
    wrong += !same(&particle[i], &expected);
  }
  return wrong;
}

/* Those of class zero lie at the front in their order, and nothing was written behind them. Returns
 * their number. */
static int check_zeros_at_front(void) {
  struct Partstruct blank;
  int zeros = 0;
  int wrong = 0;
  memset(&blank, 0x55, sizeof blank);
  for (int i = 0; i < COUNT; i++) {
    const struct Partstruct expected = original(i);
    if (expected.class == 0) wrong += !same(&particle[zeros++], &expected);
  }
  for (int i = zeros; i < COUNT; i++) wrong += memcmp(&particle[i], &blank, sizeof blank) != 0;
  CHECK_EQUAL(wrong, 0);
  return zeros;
}

static MPI_Datatype particle_type(void) {
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
  int lengths[3] = {1, 6, 7};
  MPI_Aint places[3] = {0, sizeof(double), 7 * sizeof(double)};
  MPI_Datatype type;
  MPI_Type_struct(3, lengths, places, types, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(extent_of(type), (int)sizeof(struct Partstruct));
  CHECK_EQUAL(bytes_of(type), PACKED_SIZE);
  return type;
}

/* From rank 0 to rank 1, `from` being where the type's displacements start; both use the same type.
 * Frees it. */
static void send_whole(void* from, MPI_Datatype type, MPI_Comm comm) {
  prepare(comm);
  if (rank_in(comm) == 0) MPI_Send(from, COUNT, type, 1, 2, comm);
  if (rank_in(comm) == 1) MPI_Recv(from, COUNT, type, 0, 2, comm, MPI_STATUS_IGNORE);
  if (rank_in(comm) < 2) CHECK_EQUAL(wrong_particles(), 0);
  MPI_Type_free(&type);
}

static void with_sizes(MPI_Comm comm) {
  send_whole(particle, particle_type(), comm);
}

static void with_addresses(MPI_Comm comm) {
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
  int lengths[3] = {1, 6, 7};
  MPI_Aint places[3];
  MPI_Datatype type;
  MPI_Address(particle, &places[0]);
  MPI_Address(particle[0].d, &places[1]);
  MPI_Address(particle[0].b, &places[2]);
  for (int i = 2; i >= 0; i--) places[i] -= places[0];
  CHECK_EQUAL(places[1], (MPI_Aint)offsetof(struct Partstruct, d));
  CHECK_EQUAL(places[2], (MPI_Aint)offsetof(struct Partstruct, b));
  MPI_Type_struct(3, lengths, places, types, &type);
  send_whole(particle, committed(type), comm);
}

static void with_upper_bound(MPI_Comm comm) {
  MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR, MPI_UB};
  int lengths[4] = {1, 6, 7, 1};
  MPI_Aint places[4];
  MPI_Datatype type;
  MPI_Address(particle, &places[0]);
  MPI_Address(particle[0].d, &places[1]);
  MPI_Address(particle[0].b, &places[2]);
  MPI_Address(&particle[1], &places[3]);
  for (int i = 3; i >= 0; i--) places[i] -= places[0];
  MPI_Type_struct(4, lengths, places, types, &type);
  CHECK_EQUAL(extent_of(type), (int)sizeof(struct Partstruct));
  send_whole(particle, committed(type), comm);
}

#pragma pack(push, 1)
struct Tight {
  char class;
  double d[6];
  char b[7];
};
#pragma pack(pop)

/* Where the compiler was told not to align, only the marker gives the right extent. */
static void packed_by_pragma(MPI_Comm comm) {
  static struct Tight from[COUNT], to[COUNT];
  MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR, MPI_UB};
  int lengths[4] = {1, 6, 7, 1};
  MPI_Aint places[4] = {offsetof(struct Tight, class), offsetof(struct Tight, d),
                        offsetof(struct Tight, b), sizeof(struct Tight)};
  MPI_Datatype type;
  MPI_Type_struct(4, lengths, places, types, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(extent_of(type), PACKED_SIZE);
  scribble(from, sizeof from, 1);
  memset(to, 0, sizeof to);
  MPI_Sendrecv(from, COUNT, type, rank_in(comm), 1, to, COUNT, type, rank_in(comm), 1, comm,
               MPI_STATUS_IGNORE);
  CHECK(memcmp(from, to, sizeof to) == 0);
  MPI_Type_free(&type);
}

static void from_bottom(MPI_Comm comm) {
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_CHAR};
  int lengths[3] = {1, 6, 7};
  MPI_Aint places[3];
  MPI_Datatype type;
  MPI_Address(particle, places);
  MPI_Address(particle[0].d, places + 1);
  MPI_Address(particle[0].b, places + 2);
  MPI_Type_struct(3, lengths, places, types, &type);
  send_whole(MPI_BOTTOM, committed(type), comm);
}

/* One block for each particle of class zero. */
static int single_blocks(int lengths[], int places[]) {
  int blocks = 0;
  for (int i = 0; i < COUNT; i++) {
    if (particle[i].class != 0) continue;
    places[blocks] = i;
    lengths[blocks++] = 1;
  }
  return blocks;
}

/* One block for each run of particles of class zero. */
static int runs(int lengths[], int places[]) {
  int blocks = 0;
  for (int i = 0; i < COUNT; i++) {
    if (particle[i].class != 0) continue;
    int k = i + 1;
    while (k < COUNT && particle[k].class == 0) k++;
    places[blocks] = i;
    lengths[blocks++] = k - i;
    i = k;
  }
  return blocks;
}

static void receive_zeros(MPI_Datatype type, MPI_Comm comm) {
  MPI_Status status;
  int count = -1;
  MPI_Recv(particle, COUNT, type, 0, 0, comm, &status);
  MPI_Get_count(&status, type, &count);
  CHECK_EQUAL(count, check_zeros_at_front());
}

static void zeros_indexed(MPI_Comm comm, int (*find)(int[], int[])) {
  MPI_Datatype type = particle_type();
  prepare(comm);
  if (rank_in(comm) == 0) {
    static int lengths[COUNT], places[COUNT];
    const int blocks = find(lengths, places);
    MPI_Datatype zeros;
    MPI_Type_indexed(blocks, lengths, places, type, &zeros);
    MPI_Type_commit(&zeros);
    MPI_Send(particle, 1, zeros, 1, 0, comm);
    MPI_Type_free(&zeros);
  } else if (rank_in(comm) == 1) {
    receive_zeros(type, comm);
  }
  MPI_Type_free(&type);
}

static void zeros_by_one(MPI_Comm comm) {
  zeros_indexed(comm, single_blocks);
}
static void zeros_by_run(MPI_Comm comm) {
  zeros_indexed(comm, runs);
}

static void zeros_packed(MPI_Comm comm) {
  MPI_Datatype type = particle_type();
  prepare(comm);
  if (rank_in(comm) == 0) {
    int size = 0;
    int position = 0;
    MPI_Pack_size(COUNT, type, comm, &size);
    CHECK(size >= COUNT * PACKED_SIZE);
    char* buffer = malloc((size_t)size);
    for (int i = 0; i < COUNT; i++) {
      if (particle[i].class == 0) MPI_Pack(&particle[i], 1, type, buffer, size, &position, comm);
    }
    MPI_Send(buffer, position, MPI_PACKED, 1, 0, comm);
    free(buffer);
  } else if (rank_in(comm) == 1) {
    receive_zeros(type, comm);
  }
  MPI_Type_free(&type);
}

/* All thousand, one by one, into the room that was asked for a thousand. */
static void all_packed(MPI_Comm comm) {
  MPI_Datatype type = particle_type();
  int size = 0;
  int position = 0;
  prepare(comm);
  returning(comm);
  MPI_Pack_size(COUNT, type, comm, &size);
  char* buffer = malloc((size_t)size);
  for (int i = 0; i < COUNT; i++) {
    CHECK_CLASS(MPI_Pack(&particle[i], 1, type, buffer, size, &position, comm), MPI_SUCCESS);
  }
  CHECK(position <= size);
  free(buffer);
  MPI_Type_free(&type);
}

/* Everything of a particle but its class. */
static MPI_Datatype classless_type(void) {
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR};
  int lengths[2] = {6, 7};
  MPI_Aint places[2] = {0, 6 * sizeof(double)};
  MPI_Datatype type;
  MPI_Type_struct(2, lengths, places, types, &type);
  return committed(type);
}

static void send_places(MPI_Datatype type, char* buffer, int size, MPI_Comm comm) {
  int position = 0;
  const int end = -1;
  for (int i = 0; i < COUNT; i++) {
    if (particle[i].class != 0) continue;
    MPI_Pack(&i, 1, MPI_INT, buffer, size, &position, comm);
    MPI_Pack(particle[i].d, 1, type, buffer, size, &position, comm);
  }
  MPI_Pack(&end, 1, MPI_INT, buffer, size, &position, comm);
  MPI_Send(buffer, position, MPI_PACKED, 1, 0, comm);
}

static void receive_places(MPI_Datatype type, char* buffer, int size, MPI_Comm comm) {
  int position = 0;
  int i = -1;
  MPI_Recv(buffer, size, MPI_PACKED, 0, 0, comm, MPI_STATUS_IGNORE);
  while (MPI_Unpack(buffer, size, &position, &i, 1, MPI_INT, comm), i >= 0) {
    MPI_Unpack(buffer, size, &position, particle[i].d, 1, type, comm);
    particle[i].class = 0;
  }
}

static int wrong_places(void) {
  struct Partstruct blank;
  int wrong = 0;
  memset(&blank, 0x55, sizeof blank);
  for (int i = 0; i < COUNT; i++) {
    const struct Partstruct expected = class_of(i) == 0 ? original(i) : blank;
    wrong += !same(&particle[i], &expected);
  }
  return wrong;
}

static void zeros_at_their_places(MPI_Comm comm) {
  enum { ROOM = COUNT * 80 };
  static char buffer[ROOM];
  MPI_Datatype type = classless_type();
  prepare(comm);
  if (rank_in(comm) == 0) send_places(type, buffer, ROOM, comm);
  if (rank_in(comm) == 1) {
    receive_places(type, buffer, ROOM, comm);
    CHECK_EQUAL(wrong_places(), 0);
  }
  MPI_Type_free(&type);
}

static const Case cases[] = {
    {"ex 3.14", "a thousand structures, displacements from sizes", 2, with_sizes},
    {"ex 3.21, req 3.3.24", "a thousand structures, displacements from addresses", 2,
     with_addresses},
    {"ex 3.23", "a thousand structures, with the upper bound marked", 2, with_upper_bound},
    {"ex 3.23, req 3.3.7", "structures packed by the compiler, with the upper bound marked", 1,
     packed_by_pragma},
    {"ex 3.24, req 3.3.25, req errata 1.21", "a thousand structures, by absolute addresses", 2,
     from_bottom},
    {"ex 3.15", "those of class zero as single blocks, received side by side", 2, zeros_by_one},
    {"ex 3.16", "those of class zero as runs, received side by side", 2, zeros_by_run},
    {"ex 3.27, req 3.3.30", "those of class zero packed one by one, received typed", 2,
     zeros_packed},
    {"ex 3.27, ex 3.8.1, req 3.3.34", "the room for a thousand holds a thousand packed one by one",
     1, all_packed},
    {"ex 3.28, req 3.3.32", "those of class zero unpacked where the message says", 2,
     zeros_at_their_places},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
