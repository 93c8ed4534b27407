// SPDX-License-Identifier: BSD-3-Clause
// A manifest without the entry it promises; the entry is in a library that this one depends on.
#include "demo.h"

extern "C" int tessera_test_call() noexcept;
extern "C" int tessera_test_use() noexcept {
  return tessera_test_call();
}

namespace {

struct Note {
  Elf64_Nhdr header;
  char owner[sizeof(TESSERA_NOTE_OWNER)];
  char text[sizeof(TESSERA_MANIFEST_TEXT(demo, noentry, "1", 10, "No entry", ""))];
};
__attribute__((section(TESSERA_NOTE_SECTION), used, aligned(4)))
const Note note = {{sizeof(TESSERA_NOTE_OWNER), sizeof(Note::text), TESSERA_NOTE_TYPE},
                   TESSERA_NOTE_OWNER,
                   TESSERA_MANIFEST_TEXT(demo, noentry, "1", 10, "No entry", "")};

}  // namespace
