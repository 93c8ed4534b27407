/* SPDX-License-Identifier: BSD-3-Clause
   Type maps as a program can see them: which bytes a datatype sends, in which order, and which
   bytes a receive touches.

   A map is written down as the book does, as a list of (basic type, displacement). A message that
   was sent with a derived type is received as MPI_PACKED and unpacked one basic element at a time;
   one that is packed so is received with it. */
#ifndef TESSERA_TESTS_MPI1_TYPE_MAP_H
#define TESSERA_TESTS_MPI1_TYPE_MAP_H

#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MAP_ENTRIES = 64, MEMORY = 1024, ORIGIN = 512 };

typedef struct {
  MPI_Datatype basic[MAP_ENTRIES];
  int place[MAP_ENTRIES]; /* displacement in bytes, of magnitude less than ORIGIN */
  int length;
} Map;

static inline void add(Map* map, MPI_Datatype basic, int place) {
  map->basic[map->length] = basic;
  map->place[map->length] = place;
  map->length++;
}

/* Bytes among which no two places of eight look alike. */
static inline void scribble(void* memory, size_t size, unsigned seed) {
  unsigned char* bytes = memory;
  unsigned state = seed * 2654435761U + 12345U;
  for (size_t i = 0; i < size; i++) {
    state = state * 1664525U + 1013904223U;
    bytes[i] = (unsigned char)(state >> 24);
  }
}

static inline MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

static inline MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint extent = -1;
  MPI_Type_extent(type, &extent);
  return extent;
}

static inline MPI_Aint lb_of(MPI_Datatype type) {
  MPI_Aint lb = -1;
  MPI_Type_lb(type, &lb);
  return lb;
}

static inline MPI_Aint ub_of(MPI_Datatype type) {
  MPI_Aint ub = -1;
  MPI_Type_ub(type, &ub);
  return ub;
}

static inline int bytes_of(MPI_Datatype type) {
  int size = -1;
  MPI_Type_size(type, &size);
  return size;
}

/* The packing unit that arrives when `count` elements at `from` are sent; its length goes to
 * `length`. The caller frees it. */
static inline char* sent_unit(const void* from, int count, MPI_Datatype type, MPI_Comm comm,
                              int* length) {
  MPI_Status status;
  int room = 0;
  MPI_Pack_size(count, type, comm, &room);
  char* unit = malloc((size_t)room + 1);
  MPI_Sendrecv(from, count, type, rank_in(comm), 7, unit, room, MPI_PACKED, rank_in(comm), 7, comm,
               &status);
  MPI_Get_count(&status, MPI_PACKED, length);
  return unit;
}

/* How many entries differ when `count` elements of `type` are sent: 0 when the type has just this
 * map. */
static inline int wrong_when_sent(MPI_Datatype type, int count, const Map* map, MPI_Comm comm) {
  char memory[MEMORY];
  int length = -1;
  int position = 0;
  int wrong = map->length;
  scribble(memory, sizeof memory, 1);
  char* unit = sent_unit(memory + ORIGIN, count, type, comm, &length);
  for (int i = 0; i < map->length; i++) {
    char element[32] = {0};
    if (position + bytes_of(map->basic[i]) > length) break; /* there is less than the map says */
    MPI_Unpack(unit, length, &position, element, 1, map->basic[i], comm);
    wrong -= memcmp(element, memory + ORIGIN + map->place[i], (size_t)bytes_of(map->basic[i])) == 0;
  }
  free(unit);
  return wrong + (position != length);
}

/* How many bytes of the memory differ from what a receive with this map leaves there: the places of
   the map written, all others untouched. The map must not overlap itself. */
static inline int wrong_when_received(MPI_Datatype type, int count, const Map* map, MPI_Comm comm) {
  char from[MEMORY], expected[MEMORY], got[MEMORY], unit[MEMORY];
  int position = 0;
  int wrong = 0;
  scribble(from, sizeof from, 2);
  scribble(expected, sizeof expected, 3);
  memcpy(got, expected, sizeof got);
  for (int i = 0; i < map->length; i++) {
    const int place = ORIGIN + map->place[i];
    MPI_Pack(from + place, 1, map->basic[i], unit, sizeof unit, &position, comm);
    memcpy(expected + place, from + place, (size_t)bytes_of(map->basic[i]));
  }
  MPI_Sendrecv(unit, position, MPI_PACKED, rank_in(comm), 8, got + ORIGIN, count, type,
               rank_in(comm), 8, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < MEMORY; i++) wrong += got[i] != expected[i];
  return wrong;
}

static inline int wrong_map(MPI_Datatype type, int count, const Map* map, MPI_Comm comm) {
  return wrong_when_sent(type, count, map, comm) + wrong_when_received(type, count, map, comm);
}

/* Whether both types have the same bounds and size and send the same bytes in the same order. */
static inline int alike(MPI_Datatype a, MPI_Datatype b, MPI_Comm comm) {
  char memory[MEMORY];
  int length_a = -1;
  int length_b = -2;
  scribble(memory, sizeof memory, 4);
  char* unit_a = sent_unit(memory + ORIGIN, 1, a, comm, &length_a);
  char* unit_b = sent_unit(memory + ORIGIN, 1, b, comm, &length_b);
  const int same = length_a == length_b && memcmp(unit_a, unit_b, (size_t)length_a) == 0 &&
                   lb_of(a) == lb_of(b) && ub_of(a) == ub_of(b) && extent_of(a) == extent_of(b) &&
                   bytes_of(a) == bytes_of(b);
  free(unit_a);
  free(unit_b);
  return same;
}

/* Errors of calls without a communicator go to the handlers of MPI_COMM_SELF (MPI-4) or
 * MPI_COMM_WORLD (before). */
static inline void types_handled_by(MPI_Errhandler handler) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

/* The book's {(double, 0), (char, 8)}: a double and the character after it. Not committed. */
static inline MPI_Datatype double_char(void) {
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype type;
  MPI_Type_struct(2, lengths, places, types, &type);
  return type;
}

static inline void add_double_char(Map* map, int place) {
  add(map, MPI_DOUBLE, place);
  add(map, MPI_CHAR, place + 8);
}

#endif
