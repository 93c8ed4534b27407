// SPDX-License-Identifier: BSD-3-Clause
// The client library of PMIx, opened at run time.
#pragma once
//
// Contract. The declarations are those of the PMIx standard, versions 3 to 6, as far as they are
// used here; nothing of the library is needed to build this component. The library stays open until
// the process ends: it leaves threads and handlers of its own behind.
//
#include <cstddef>
#include <cstdint>

#include "tessera/status.h"

namespace tessera::boot::pmix {

inline constexpr std::uint32_t kEverybody = UINT32_MAX - 1;  // PMIX_RANK_WILDCARD
inline constexpr int kSuccess = 0;
inline constexpr int kNotSupported = -47;

enum Type : std::uint16_t {
  type_bool = 1,
  type_string = 3,
  type_size = 4,
  type_int = 6,
  type_int8,
  type_int16,
  type_int32,
  type_int64,
  type_uint,
  type_uint8,
  type_uint16,
  type_uint32,
  type_uint64,
  type_bytes = 27,
  type_rank = 40
};

struct Proc {
  char space[256];
  std::uint32_t rank;
};

struct Bytes {
  char* data;
  std::size_t size;
};

struct Value {
  std::uint16_t type;
  union {
    bool flag;
    char* string;
    std::size_t size;
    int integer;
    std::int8_t int8;
    std::int16_t int16;
    std::int32_t int32;
    std::int64_t int64;
    unsigned uint;
    std::uint8_t uint8;
    std::uint16_t uint16;
    std::uint32_t uint32;
    std::uint64_t uint64;
    Bytes bytes;
    void* room[3];  // the largest member of the standard's union
  } data;
};

struct Info {
  char key[512];
  std::uint32_t flags;
  Value value;
};

struct App {
  char* command;
  char** arguments;  // the program first; ends with a null pointer
  char** environment;
  char* directory;
  int processes;
  Info* infos;
  std::size_t info_count;
};

static_assert(sizeof(Proc) == 260 && sizeof(Value) == 32 && sizeof(Info) == 552);

struct Library {
  int (*init)(Proc*, Info*, std::size_t);
  int (*finalize)(const Info*, std::size_t);
  int (*abort)(int, const char*, Proc*, std::size_t);
  int (*put)(std::uint8_t, const char*, Value*);
  int (*commit)();
  int (*fence)(const Proc*, std::size_t, const Info*, std::size_t);
  int (*get)(const Proc*, const char*, const Info*, std::size_t, Value**);
  int (*spawn)(const Info*, std::size_t, const App*, std::size_t, char*);
  const char* (*version)();
  const char* (*error_text)(int);
};

// not_found: the library is not installed; refused: another version.
Result<Library> open_library() noexcept;

}  // namespace tessera::boot::pmix
