/* SPDX-License-Identifier: BSD-3-Clause
   Packing units: packed and unpacked in parts, sent as MPI_PACKED, equal to ordinary messages. */
#include "type_map.h"

enum { LONG_COUNT = 100000, TEXT = 100, BOOK_ROOM = 110 };

typedef struct {
  int i;
  char c[TEXT];
} Message;

static void fill(Message* message) {
  message->i = 4711;
  for (int k = 0; k < TEXT; k++) message->c[k] = (char)('A' + k % 26);
}

static int filled(const Message* message) {
  Message expected;
  fill(&expected);
  return message->i == expected.i && memcmp(message->c, expected.c, TEXT) == 0;
}

static MPI_Datatype absolute(Message* message) {
  int lengths[2] = {1, TEXT};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_INT, MPI_CHAR};
  MPI_Datatype type;
  MPI_Address(&message->i, &places[0]);
  MPI_Address(message->c, &places[1]);
  MPI_Type_struct(2, lengths, places, types, &type);
  return committed(type);
}

static void send_typed(Message* message, MPI_Comm comm) {
  MPI_Datatype type = absolute(message);
  MPI_Send(MPI_BOTTOM, 1, type, 1, 0, comm);
  MPI_Type_free(&type);
}

static void send_packed(Message* message, MPI_Comm comm) {
  char buffer[BOOK_ROOM];
  int position = 0;
  CHECK_CLASS(MPI_Pack(&message->i, 1, MPI_INT, buffer, BOOK_ROOM, &position, comm), MPI_SUCCESS);
  CHECK_CLASS(MPI_Pack(message->c, TEXT, MPI_CHAR, buffer, BOOK_ROOM, &position, comm),
              MPI_SUCCESS);
  MPI_Send(buffer, position, MPI_PACKED, 1, 0, comm);
}

static void receive_typed(Message* message, MPI_Comm comm) {
  MPI_Datatype type = absolute(message);
  MPI_Status status;
  int elements = -1;
  MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, comm, &status);
  MPI_Get_elements(&status, type, &elements);
  CHECK_EQUAL(elements, TEXT + 1);
  MPI_Type_free(&type);
}

static void receive_packed(Message* message, MPI_Comm comm) {
  char buffer[BOOK_ROOM];
  int position = 0;
  MPI_Recv(buffer, BOOK_ROOM, MPI_PACKED, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Unpack(buffer, BOOK_ROOM, &position, &message->i, 1, MPI_INT, comm);
  MPI_Unpack(buffer, BOOK_ROOM, &position, message->c, TEXT, MPI_CHAR, comm);
}

/* Both programs of the sender against both of the receiver. */
static void two_by_two(MPI_Comm comm) {
  void (*const send[2])(Message*, MPI_Comm) = {send_typed, send_packed};
  void (*const receive[2])(Message*, MPI_Comm) = {receive_typed, receive_packed};
  returning(comm);
  for (int pair = 0; pair < 4; pair++) {
    Message message;
    memset(&message, 0, sizeof message);
    if (rank_in(comm) == 0) {
      fill(&message);
      send[pair / 2](&message, comm);
    } else {
      receive[pair % 2](&message, comm);
      CHECK(filled(&message));
    }
  }
}

/* Both messages of the example, byte for byte. */
static void identical(MPI_Comm comm) {
  char typed[BOOK_ROOM], packed[BOOK_ROOM];
  int typed_length = -1;
  int packed_length = -2;
  MPI_Status status;
  Message message;
  fill(&message);
  if (rank_in(comm) == 0) {
    send_typed(&message, comm);
    send_packed(&message, comm);
  } else {
    MPI_Recv(typed, BOOK_ROOM, MPI_PACKED, 0, 0, comm, &status);
    MPI_Get_count(&status, MPI_PACKED, &typed_length);
    MPI_Recv(packed, BOOK_ROOM, MPI_PACKED, 0, 0, comm, &status);
    MPI_Get_count(&status, MPI_PACKED, &packed_length);
    CHECK_EQUAL(typed_length, packed_length);
    CHECK(memcmp(typed, packed, (size_t)typed_length) == 0);
  }
}

/* Packing starts at the position, moves it on by what was written, and touches nothing else. */
static void position_moves(MPI_Comm comm) {
  char unit[64], before[64];
  const int data[3] = {1, 2, 3};
  int position = 10;
  int got[3] = {0, 0, 0};
  scribble(unit, sizeof unit, 1);
  memcpy(before, unit, sizeof before);
  MPI_Pack(data, 3, MPI_INT, unit, sizeof unit, &position, comm);
  CHECK(position >= 10 + 3 * (int)sizeof(int));
  CHECK(memcmp(unit, before, 10) == 0);
  CHECK(memcmp(unit + position, before + position, sizeof unit - (size_t)position) == 0);
  const int end = position;
  position = 10;
  MPI_Unpack(unit, sizeof unit, &position, got, 3, MPI_INT, comm);
  CHECK_EQUAL(position, end);
  CHECK(got[0] == 1 && got[1] == 2 && got[2] == 3);
  MPI_Pack(data, 0, MPI_INT, unit, sizeof unit, &position, comm);
  CHECK_EQUAL(position, end);
}

/* What does not fit is an error that leaves the buffer and the position alone. */
static void too_little_room(MPI_Comm comm) {
  char unit[16], before[16];
  double data[2] = {1, 2};
  int position = 4;
  returning(comm);
  scribble(unit, sizeof unit, 1);
  memcpy(before, unit, sizeof before);
  CHECK_CLASS(MPI_Pack(data, 2, MPI_DOUBLE, unit, sizeof unit, &position, comm), MPI_ERR_TRUNCATE);
  CHECK_EQUAL(position, 4);
  CHECK(memcmp(unit, before, sizeof unit) == 0);
  position = 12;
  CHECK_CLASS(MPI_Unpack(unit, sizeof unit, &position, data, 1, MPI_DOUBLE, comm),
              MPI_ERR_TRUNCATE);
  CHECK_EQUAL(position, 12);
  CHECK(data[0] == 1 && data[1] == 2);
}

/* Several packs make the unit that one pack of all of it makes. */
static void one_unit(MPI_Comm comm) {
  double numbers[5] = {1, 2, 3, 4, 5};
  char text[7] = "abcdef";
  char in_parts[128], at_once[128];
  int parts = 0;
  int once = 0;
  int lengths[2] = {5, 7};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype both;
  MPI_Address(numbers, &places[0]);
  MPI_Address(text, &places[1]);
  MPI_Type_struct(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  MPI_Pack(numbers, 2, MPI_DOUBLE, in_parts, sizeof in_parts, &parts, comm);
  MPI_Pack(numbers + 2, 3, MPI_DOUBLE, in_parts, sizeof in_parts, &parts, comm);
  MPI_Pack(text, 7, MPI_CHAR, in_parts, sizeof in_parts, &parts, comm);
  MPI_Pack(MPI_BOTTOM, 1, both, at_once, sizeof at_once, &once, comm);
  CHECK_EQUAL(parts, once);
  CHECK(memcmp(in_parts, at_once, (size_t)once) == 0);
  MPI_Type_free(&both);
}

/* A unit that was packed in two parts is received with an ordinary type, and an ordinary message in
 * three parts. */
static void packed_and_typed(MPI_Comm comm, int count) {
  const size_t bytes = (size_t)count * sizeof(int);
  int* data = malloc(bytes);
  int* got = calloc((size_t)count, sizeof(int));
  int room = 0;
  int position = 0;
  const int me = rank_in(comm);
  MPI_Pack_size(count, MPI_INT, comm, &room);
  char* unit = malloc((size_t)room + 8);
  for (int i = 0; i < count; i++) data[i] = 3 * i + 1;
  MPI_Pack(data, 1, MPI_INT, unit, room + 8, &position, comm);
  MPI_Pack(data + 1, count - 1, MPI_INT, unit, room + 8, &position, comm);
  MPI_Sendrecv(unit, position, MPI_PACKED, me, 0, got, count, MPI_INT, me, 0, comm,
               MPI_STATUS_IGNORE);
  CHECK(memcmp(data, got, bytes) == 0);
  memset(got, 0, bytes);
  position = 0;
  MPI_Sendrecv(data, count, MPI_INT, me, 0, unit, room, MPI_PACKED, me, 0, comm, MPI_STATUS_IGNORE);
  MPI_Unpack(unit, room, &position, got, 2, MPI_INT, comm);
  MPI_Unpack(unit, room, &position, got + 2, 0, MPI_INT, comm);
  MPI_Unpack(unit, room, &position, got + 2, count - 2, MPI_INT, comm);
  CHECK(memcmp(data, got, bytes) == 0);
  free(data);
  free(got);
  free(unit);
}

static void packed_and_typed_short(MPI_Comm comm) {
  packed_and_typed(comm, 3);
}
static void packed_and_typed_long(MPI_Comm comm) {
  packed_and_typed(comm, LONG_COUNT);
}

/* One unit to all: some receive it typed, the others unpack it. */
static void broadcast_unit(MPI_Comm comm) {
  char unit[64];
  int data[3] = {0, 0, 0};
  int position = 0;
  const int me = rank_in(comm);
  if (me == 0) {
    for (int i = 0; i < 3; i++) data[i] = i + 5;
    MPI_Pack(data, 3, MPI_INT, unit, sizeof unit, &position, comm);
  }
  MPI_Bcast(&position, 1, MPI_INT, 0, comm);
  if (me % 2 == 0) {
    MPI_Bcast(unit, position, MPI_PACKED, 0, comm);
    position = 0;
    MPI_Unpack(unit, sizeof unit, &position, data, 3, MPI_INT, comm);
  } else {
    MPI_Bcast(data, 3, MPI_INT, 0, comm);
  }
  CHECK(data[0] == 5 && data[1] == 6 && data[2] == 7);
}

/* Each rank gives one unit; the root unpacks each from its own place. */
static void gather_units(MPI_Comm comm) {
  enum { ROOM = 32 };
  const int size = size_of(comm);
  char unit[ROOM];
  char* units = malloc((size_t)size * ROOM);
  double number = rank_in(comm) + 0.5;
  char letter = (char)('a' + rank_in(comm) % 26);
  int position = 0;
  memset(unit, 0, sizeof unit);
  MPI_Pack(&number, 1, MPI_DOUBLE, unit, ROOM, &position, comm);
  MPI_Pack(&letter, 1, MPI_CHAR, unit, ROOM, &position, comm);
  MPI_Gather(unit, position, MPI_PACKED, units, position, MPI_PACKED, 0, comm);
  for (int i = 0; i < size && rank_in(comm) == 0; i++) {
    int taken = 0;
    MPI_Unpack(units + i * position, position, &taken, &number, 1, MPI_DOUBLE, comm);
    MPI_Unpack(units + i * position, position, &taken, &letter, 1, MPI_CHAR, comm);
    CHECK(number == i + 0.5 && letter == (char)('a' + i % 26) && taken == position);
  }
  free(units);
}

/* The count of an unpack is exact: it takes so many and no more, and the next one goes on from
 * there. */
static void exact_count(MPI_Comm comm) {
  char unit[64];
  const short data[6] = {1, 2, 3, 4, 5, 6};
  short got[6] = {-1, -1, -1, -1, -1, -1};
  int position = 0;
  int taken = 0;
  MPI_Pack(data, 6, MPI_SHORT, unit, sizeof unit, &position, comm);
  MPI_Unpack(unit, position, &taken, got, 4, MPI_SHORT, comm);
  CHECK(taken < position && got[3] == 4 && got[4] == -1 && got[5] == -1);
  MPI_Unpack(unit, position, &taken, got, 1, MPI_SHORT, comm);
  CHECK(taken < position && got[0] == 5 && got[1] == 2);
  MPI_Unpack(unit, position, &taken, got, 1, MPI_SHORT, comm);
  CHECK(taken == position && got[0] == 6);
  returning(comm);
  CHECK_CLASS(MPI_Unpack(unit, position, &taken, got, 1, MPI_SHORT, comm), MPI_ERR_TRUNCATE);
}

/* Room as asked for suffices, for one pack of n as for n packs of one. */
static void room_suffices(MPI_Comm comm) {
  const MPI_Datatype types[5] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE,
                                 committed(double_char())};
  returning(comm);
  for (int k = 0; k < 5; k++) {
    char memory[16 * 9], unit[512];
    int room = -1;
    int at_once = 0;
    int by_one = 0;
    memset(memory, 0, sizeof memory);
    MPI_Pack_size(9, types[k], comm, &room);
    CHECK(room >= 9 * bytes_of(types[k]) && room <= (int)sizeof unit);
    CHECK_CLASS(MPI_Pack(memory, 9, types[k], unit, room, &at_once, comm), MPI_SUCCESS);
    CHECK(at_once <= room);
    for (int i = 0; i < 9; i++) {
      CHECK_CLASS(MPI_Pack(memory, 1, types[k], unit, room, &by_one, comm), MPI_SUCCESS);
    }
    CHECK(by_one <= room);
  }
  MPI_Datatype last = types[4];
  MPI_Type_free(&last);
}

/* Between like machines a unit is the data alone: the book's buffer of 110 bytes leaves room for
 * six more. */
static void little_overhead(MPI_Comm comm) {
  Message message;
  char buffer[BOOK_ROOM];
  int position = 0;
  int room = 0;
  fill(&message);
  MPI_Pack(&message.i, 1, MPI_INT, buffer, BOOK_ROOM, &position, comm);
  MPI_Pack(message.c, TEXT, MPI_CHAR, buffer, BOOK_ROOM, &position, comm);
  CHECK(position >= 104 && position <= BOOK_ROOM);
  MPI_Pack_size(TEXT, MPI_CHAR, comm, &room);
  CHECK(room >= TEXT && room <= BOOK_ROOM - 4);
}

static const Case cases[] = {
    {"ex 3.25, ex 3.26, req 3.3.30, req 3.3.31",
     "packed or typed, sender and receiver understand each other", 2, two_by_two},
    {"ex 3.25, req 3.3.29, req 3.3.31", "the packed and the typed message are identical", 2,
     identical},
    {"req 3.3.28", "packing starts at the position and moves it on", 1, position_moves},
    {"req 3.3.28", "what does not fit is an error and moves nothing", 1, too_little_room},
    {"req 3.3.29", "several packs make one unit", 1, one_unit},
    {"req 3.3.30, req 3.3.31", "short packed and ordinary messages match each other", 1,
     packed_and_typed_short},
    {"req 3.3.30, req 3.3.31", "long packed and ordinary messages match each other", 1,
     packed_and_typed_long},
    {"req 3.3.30", "a unit can be broadcast, and received typed", ANY, broadcast_unit},
    {"req 3.3.33", "a collective call moves several units, each unpacked by itself", ANY,
     gather_units},
    {"req 3.3.32", "an unpack takes exactly as many as it says", 1, exact_count},
    {"req 3.3.34", "the room that was asked for suffices", 1, room_suffices},
    {"req 3.3.35, ex 3.25", "a unit is hardly longer than its data", 1, little_overhead},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
