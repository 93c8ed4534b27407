// SPDX-License-Identifier: BSD-3-Clause
// Finding the note in ELF bytes: by segment, by section, and in bytes that lie.
#include "framework/manifest_reader.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tessera/component.h"

namespace tessera {
namespace {

#if defined(__x86_64__)
constexpr int machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int machine = EM_AARCH64;
#elif defined(__riscv)
constexpr int machine = EM_RISCV;
#else
constexpr int machine = EM_PPC64;
#endif

// A small ELF file: header, one segment, one foreign note and ours, one section.
struct Image {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  struct {
    Elf64_Nhdr header{4, 4, 3};
    char owner[4] = "GNU";
    char text[4] = {1, 2, 3, 4};
  } foreign;
  struct {
    Elf64_Nhdr header{8, 6, TESSERA_NOTE_TYPE};
    char owner[8] = TESSERA_NOTE_OWNER;
    char text[8] = "hello";
  } note;
  Elf64_Shdr section{};

  Image() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_phoff = offsetof(Image, segment);
    header.e_phnum = 1;
    header.e_phentsize = sizeof segment;
    header.e_shoff = offsetof(Image, section);
    header.e_shnum = 1;
    header.e_shentsize = sizeof section;
    segment.p_type = PT_NOTE;
    segment.p_offset = offsetof(Image, foreign);
    segment.p_filesz = sizeof foreign + sizeof note;
    section.sh_type = SHT_NOTE;
    section.sh_offset = segment.p_offset;
    section.sh_size = segment.p_filesz;
  }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> copy(sizeof *this);
    std::memcpy(copy.data(), this, sizeof *this);
    return copy;
  }
};

NoteReading read(const Image& image) {
  return ManifestReader::read_bytes(image.bytes());
}

TEST(ManifestReader, FindsTheNoteInASegment) {
  Image image;
  image.header.e_shnum = 0;
  EXPECT_EQ(read(image).note, "hello");
  EXPECT_EQ(read(image).problem, "");
}

TEST(ManifestReader, FindsItInASectionWhenTheSegmentsLie) {
  Image image;
  image.segment.p_offset = 1;
  EXPECT_EQ(read(image).note, "hello");
  image.header.e_phnum = 0;
  EXPECT_EQ(read(image).note, "hello");
}

TEST(ManifestReader, ForeignNotesAreNoComponents) {
  Image image;
  std::memcpy(image.note.owner, "Tesserb", 8);
  EXPECT_EQ(read(image).note, "");
  EXPECT_EQ(read(image).problem, "");
  image = Image();
  image.note.header.n_type = 1;
  EXPECT_EQ(read(image).note, "");
}

TEST(ManifestReader, NotesThatReachOutsideAreNotRead) {
  Image image;
  image.note.header.n_descsz = 0xFFFFFFFF;
  EXPECT_EQ(read(image).note, "");
  image = Image();
  image.foreign.header.n_namesz = 0xFFFFFFFD;
  EXPECT_EQ(read(image).note, "");
  image = Image();
  image.segment.p_filesz = ~std::uint64_t{0};
  image.section.sh_offset = ~std::uint64_t{0} - 4;
  EXPECT_EQ(read(image).note, "");
}

TEST(ManifestReader, TablesThatReachOutsideMeanDamage) {
  Image image;
  image.header.e_phoff = ~std::uint64_t{0} - 8;
  EXPECT_NE(read(image).problem, "");
  image = Image();
  image.header.e_shnum = 0xFFFF;
  EXPECT_NE(read(image).problem, "");
  image = Image();
  image.segment.p_type = PT_LOAD;
  image.segment.p_filesz = 1 << 20;
  EXPECT_NE(read(image).problem, "");
}

TEST(ManifestReader, TinyTableEntriesAreNotRead) {
  Image image;
  image.header.e_phentsize = 1;
  image.header.e_shentsize = 1;
  EXPECT_EQ(read(image).note, "");
}

TEST(ManifestReader, EveryCutIsHarmless) {
  const std::vector<std::byte> bytes = Image().bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of its own, so that a sanitizer sees any read beyond the end.
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(length));
    const NoteReading reading = ManifestReader::read_bytes(cut);
    EXPECT_EQ(reading.note, "") << length;
    EXPECT_NE(reading.problem, "") << length;
  }
}

TEST(ManifestReader, RandomDamageIsHarmless) {
  std::mt19937 random(1);  // the same every time
  const std::vector<std::byte> good = Image().bytes();
  for (int round = 0; round < 200000; ++round) {
    std::vector<std::byte> bytes = good;
    const auto changes = 1 + random() % 6;
    for (auto i = changes; i > 0; --i)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 4 == 0 ? 0xFF : random());
    const NoteReading reading = ManifestReader::read_bytes(bytes);
    ASSERT_TRUE(reading.note.empty() || reading.problem.empty());
    ASSERT_LE(reading.note.size(), bytes.size());
  }
}

}  // namespace
}  // namespace tessera
