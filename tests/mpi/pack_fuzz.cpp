// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes through the MPI interface against their written-out type maps: bounds, sizes,
// packing, external32, the counting of elements, and rebuilding from envelope and contents. Run on
// one rank; arguments: seed, rounds.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "check.h"
#include "type_forge.h"
#include "type_rebuild.h"

namespace {

__extension__ typedef __float128 Float128;

void check_size(const Typed& made) {
  int size = -1;
  MPI_Count size_x = -1, size_c = -1;
  CHECK(MPI_Type_size(made.type, &size) == MPI_SUCCESS && size == made.map.size());
  CHECK(MPI_Type_size_x(made.type, &size_x) == MPI_SUCCESS && size_x == made.map.size());
  CHECK(MPI_Type_size_c(made.type, &size_c) == MPI_SUCCESS && size_c == made.map.size());
}

void check_bounds(MPI_Datatype type, const TypeMap& map) {
  MPI_Aint lb = -1, extent = -1, true_lb = -1, true_extent = -1;
  CHECK(MPI_Type_get_extent(type, &lb, &extent) == MPI_SUCCESS);
  CHECK(lb == map.lb() && extent == map.extent());
  CHECK(MPI_Type_get_true_extent(type, &true_lb, &true_extent) == MPI_SUCCESS);
  CHECK(true_lb == map.true_lb() && true_extent == map.true_ub() - map.true_lb());
  MPI_Count low = -1, reach = -1;
  CHECK(MPI_Type_get_extent_x(type, &low, &reach) == MPI_SUCCESS && low == lb && reach == extent);
  CHECK(MPI_Type_get_true_extent_c(type, &low, &reach) == MPI_SUCCESS && low == true_lb &&
        reach == true_extent);
}

// Packs `count` elements by a few calls one after the other.
std::vector<std::byte> packed(Forge& forge, MPI_Datatype type, const TypeMap& map, Room& room,
                              long count) {
  std::vector<std::byte> out(static_cast<std::size_t>(map.size() * count) + 16, std::byte{0x5a});
  const int room_for = static_cast<int>(out.size());
  int position = 0;
  for (long done = 0; done < count;) {
    const long n = forge.number(1, count - done);
    std::byte* at = static_cast<std::byte*>(room.base()) + done * map.extent();
    CHECK(MPI_Pack(at, static_cast<int>(n), type, out.data(), room_for, &position, MPI_COMM_SELF) ==
          MPI_SUCCESS);
    done += n;
  }
  CHECK(position == map.size() * count);
  CHECK(std::all_of(out.end() - 16, out.end(), [](std::byte b) { return b == std::byte{0x5a}; }));
  out.resize(out.size() - 16);
  return out;
}

void check_packing(Forge& forge, const Typed& made, long count) {
  int bound = -1;
  CHECK(MPI_Pack_size(static_cast<int>(count), made.type, MPI_COMM_SELF, &bound) == MPI_SUCCESS);
  CHECK(bound >= made.map.size() * count);
  Room room(made.map, count);
  room.fill(1);
  const std::vector<std::byte> out = packed(forge, made.type, made.map, room, count);
  CHECK(out == room.gather());
  if (made.map.overlaps(count)) return;  // nobody may receive into such a type
  Room got(made.map, count), expected(made.map, count);
  got.fill(2);
  expected.fill(2);
  expected.scatter(out);
  MPI_Count position = 0;
  CHECK(MPI_Unpack_c(out.data(), static_cast<MPI_Count>(out.size()), &position, got.base(), count,
                     made.type, MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(position == static_cast<MPI_Count>(out.size()) && got.bytes() == expected.bytes());
}

// A value that survives in external32, where a long has four bytes.
void store_value(Forge& forge, std::byte* at, const Basic& basic) {
  const int part = basic.size / basic.parts;
  for (int i = 0; i < basic.parts; ++i, at += part) {
    if (basic.extended) {
      const long double value = static_cast<long double>(forge.number(-1'000'000, 1'000'000)) / 7;
      std::memcpy(at, &value, 10);
      std::memset(at + 10, 0, sizeof value - 10);
    } else if (basic.external < basic.size) {  // the lower half
      fill({at, static_cast<std::size_t>(part)}, static_cast<unsigned>(forge.number(0, 1'000)));
      const bool negative =
          (at[basic.external - 1] & std::byte{0x80}) != std::byte{0} && basic.type == MPI_LONG;
      std::memset(at + basic.external, negative ? 0xff : 0,
                  static_cast<std::size_t>(part - basic.external));
    } else if (basic.type == MPI_C_BOOL || basic.type == MPI_CXX_BOOL) {
      *at = static_cast<std::byte>(forge.number(0, 1));
    } else {
      fill({at, static_cast<std::size_t>(part)}, static_cast<unsigned>(forge.number(0, 1'000)));
    }
  }
}

// Big-endian, in the sizes of external32.
void append_external(std::vector<std::byte>& out, const std::byte* at, const Basic& basic) {
  const int part = basic.size / basic.parts, bytes = basic.external / basic.parts;
  for (int i = 0; i < basic.parts; ++i, at += part) {
    std::byte raw[16];
    std::memcpy(raw, at, static_cast<std::size_t>(part));
    if (basic.extended) {
      long double value;
      std::memcpy(&value, at, sizeof value);
      const Float128 wide = value;
      std::memcpy(raw, &wide, sizeof wide);
    }
    for (int b = bytes; b-- > 0;) out.push_back(raw[b]);
  }
}

void check_external(Forge& forge, const Typed& made, long count) {
  if (made.map.overlaps(count)) return;
  Room room(made.map, count), got(made.map, count);
  std::vector<std::byte> expected;
  room.fill(3);
  got.fill(3);
  room.each([&](std::byte* at, const Basic& basic) {
    store_value(forge, at, basic);
    append_external(expected, at, basic);
  });
  MPI_Aint size = -1, position = 0;
  CHECK(MPI_Pack_external_size("external32", static_cast<int>(count), made.type, &size) ==
        MPI_SUCCESS);
  CHECK(size == static_cast<MPI_Aint>(expected.size()));
  std::vector<std::byte> out(expected.size() + 1);
  CHECK(MPI_Pack_external("external32", room.base(), static_cast<int>(count), made.type, out.data(),
                          static_cast<MPI_Aint>(out.size()), &position) == MPI_SUCCESS);
  CHECK(position == size && std::equal(expected.begin(), expected.end(), out.begin()));
  position = 0;
  CHECK(MPI_Unpack_external("external32", expected.data(), size, &position, got.base(),
                            static_cast<int>(count), made.type) == MPI_SUCCESS);
  CHECK(position == size && got.bytes() == room.bytes());
}

// What a message of so many bytes holds, entry by entry; MPI_UNDEFINED if it ends inside one.
MPI_Count elements_in(const TypeMap& map, MPI_Count bytes) {
  MPI_Count elements = 0;
  for (std::size_t i = 0; bytes > 0; ++elements) {
    bytes -= map.entries[i].basic->size;
    i = (i + 1) % map.entries.size();
  }
  return bytes == 0 ? elements : MPI_UNDEFINED;
}

void check_elements(Forge& forge, const Typed& made, long count) {
  const MPI_Count size = made.map.size();
  for (int i = 0; i < 12; ++i) {
    const MPI_Count bytes = i == 0 ? size * count : forge.number(0, size * count);
    MPI_Status status{};
    CHECK(MPI_Status_set_elements_c(&status, MPI_BYTE, bytes) == MPI_SUCCESS);
    int whole = -5, elements = -5;
    MPI_Count elements_x = -5;
    CHECK(MPI_Get_count(&status, made.type, &whole) == MPI_SUCCESS);
    CHECK(whole == (size == 0 ? 0 : bytes % size == 0 ? bytes / size : MPI_UNDEFINED));
    CHECK(MPI_Get_elements(&status, made.type, &elements) == MPI_SUCCESS);
    CHECK(elements == elements_in(made.map, bytes));
    CHECK(MPI_Get_elements_x(&status, made.type, &elements_x) == MPI_SUCCESS &&
          elements_x == elements);
  }
}

// The same type from what MPI says of how it was made.
void check_contents(Forge& forge, const Typed& made, long count) {
  MPI_Datatype again = rebuild(made.type);
  CHECK(again != MPI_DATATYPE_NULL);
  if (again == MPI_DATATYPE_NULL) return;
  check_bounds(again, made.map);
  const bool owned = !predefined(again);
  if (owned) MPI_Type_commit(&again);
  Room room(made.map, count);
  room.fill(4);
  CHECK(packed(forge, again, made.map, room, count) == room.gather());
  if (owned) MPI_Type_free(&again);
}

void check_all(Forge& forge, Typed& made) {
  const long count = forge.number(1, 4);
  MPI_Type_commit(&made.type);
  check_size(made);
  check_bounds(made.type, made.map);
  check_packing(forge, made, count);
  check_external(forge, made, count);
  check_elements(forge, made, count);
  check_contents(forge, made, count);
}

// Small seeds stand for the predefined types.
Typed type_of(unsigned seed, Forge& forge) {
  if (seed < Forge::predefined_types()) return Forge::predefined(seed);
  return forge.tree(static_cast<int>(forge.number(1, 5)));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const unsigned first = argc > 1 ? static_cast<unsigned>(std::atol(argv[1])) : 0;
  const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 3'000;
  for (unsigned seed = first; seed < first + rounds && failures == 0; ++seed) {
    Forge forge(seed);
    Typed made = type_of(seed, forge);
    check_all(forge, made);
    if (failures > 0) {
      std::fprintf(stderr, "pack_fuzz: seed %u, type %s; again by: pack_fuzz %u 1\n", seed,
                   made.name.c_str(), seed);
    }
  }
  return finish();
}
