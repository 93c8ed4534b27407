// SPDX-License-Identifier: BSD-3-Clause
// Finds the manifest note in an ELF file without loading it.
#include "framework/manifest_reader.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/file_bytes.h"
#include "framework/seal.h"
#include "tessera/component.h"

namespace tessera {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kLongestNote = 1u << 20;

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "riscv64";
    case EM_PPC64:
      return "ppc64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    default:
      return fmt::format("machine number {}", machine);
  }
}

constexpr unsigned our_machine() noexcept {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#elif defined(__powerpc64__)
  return EM_PPC64;
#else
  return EM_NONE;
#endif
}

// Empty when the header is that of a shared object for this machine.
std::string header_problem(const Elf64_Ehdr& header) {
  const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    return "not a 64-bit object; rebuild it for this machine";
  if (header.e_ident[EI_DATA] != order)
    return "built for another byte order; rebuild it for this machine";
  if (our_machine() != EM_NONE && header.e_machine != our_machine())
    return fmt::format("built for {}, this machine is {}; rebuild it here",
                       machine_name(header.e_machine), TESSERA_ABI_MACHINE);
  if (header.e_type != ET_DYN) return "an ELF file, but not a shared object; link it with -shared";
  return {};
}

// Owners end with a zero.
struct NoteKind {
  std::uint32_t type;
  std::string_view owner;
};
constexpr NoteKind kManifest{TESSERA_NOTE_TYPE, {TESSERA_NOTE_OWNER, sizeof TESSERA_NOTE_OWNER}};
constexpr NoteKind kBuildId{NT_GNU_BUILD_ID, {ELF_NOTE_GNU, sizeof ELF_NOTE_GNU}};

// The content of the first one of its kind. A run of notes; each header, name and descriptor starts
// at a multiple of four.
std::string find_in_notes(Bytes run, const NoteKind& wanted) {
  constexpr auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  const FileBytes notes(run);
  for (std::uint64_t at = 0; at < notes.size();) {
    const auto header = notes.read_at<Elf64_Nhdr>(at);
    if (!header) return {};
    const std::uint64_t name_at = at + sizeof *header;
    const std::uint64_t text_at = name_at + padded(header->n_namesz);
    if (!notes.holds(name_at, header->n_namesz) || !notes.holds(text_at, header->n_descsz))
      return {};
    if (header->n_type == wanted.type && header->n_namesz == wanted.owner.size() &&
        std::memcmp(run.data() + name_at, wanted.owner.data(), wanted.owner.size()) == 0)
      return {reinterpret_cast<const char*>(run.data() + text_at), header->n_descsz};
    at = text_at + padded(header->n_descsz);
  }
  return {};
}

// Visits a table of `count` equal entries of at least sizeof(Entry) bytes; the visitor returns a
// note when it has one.
template <class Entry, class Visit>
std::string visit_table(const FileBytes& file, std::uint64_t offset, std::uint64_t count,
                        std::uint64_t step, Visit visit) {
  if (step < sizeof(Entry)) return {};
  for (std::uint64_t i = 0; i < count && offset <= file.size(); ++i, offset += step) {
    const auto entry = file.read_at<Entry>(offset);
    if (!entry) return {};
    if (std::string note = visit(*entry); !note.empty()) return note;
  }
  return {};
}

std::string find_note(const FileBytes& file, const Elf64_Ehdr& header, const NoteKind& wanted) {
  const auto note_in = [&file, &wanted](std::uint64_t offset, std::uint64_t size) {
    const auto notes = size <= kLongestNote ? file.slice(offset, size) : std::nullopt;
    return notes ? find_in_notes(*notes, wanted) : std::string();
  };
  const auto in_segment = [&note_in](const Elf64_Phdr& entry) {
    return entry.p_type == PT_NOTE ? note_in(entry.p_offset, entry.p_filesz) : std::string();
  };
  const auto in_section = [&note_in](const Elf64_Shdr& entry) {
    return entry.sh_type == SHT_NOTE ? note_in(entry.sh_offset, entry.sh_size) : std::string();
  };
  std::string note =
      visit_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum, header.e_phentsize, in_segment);
  // Tools that rewrite files (patchelf) may leave the segment table pointing elsewhere while the
  // sections are right.
  if (note.empty())
    note = visit_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum, header.e_shentsize,
                                   in_section);
  return note;
}

// The dynamic linker maps segments without asking whether the file is that long, and dies of it.
bool is_whole(const FileBytes& file, const Elf64_Ehdr& header) {
  const bool tables_inside =
      file.holds(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize) &&
      file.holds(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  const auto cut_off = [&file](const Elf64_Phdr& entry) {
    const bool inside = entry.p_type != PT_LOAD || file.holds(entry.p_offset, entry.p_filesz);
    return std::string(inside ? "" : "cut off");
  };
  return tables_inside &&
         visit_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum, header.e_phentsize, cut_off)
             .empty();
}

// Whether one of the `count` version names that a needed library must have is `wanted`.
bool names_version(const FileBytes& file, const Elf64_Shdr& names, std::uint64_t at, unsigned count,
                   const std::string& wanted) {
  for (unsigned i = 0; i < count; ++i) {
    const auto entry = file.read_at<Elf64_Vernaux>(at);
    if (!entry) return false;
    const auto name = file.slice(names.sh_offset + entry->vna_name, wanted.size() + 1);
    if (name && std::memcmp(name->data(), wanted.c_str(), wanted.size() + 1) == 0) return true;
    if (entry->vna_next == 0) return false;
    at += entry->vna_next;
  }
  return false;
}

// Whether the section of needed versions asks some library for this one.
bool needs_version(const FileBytes& file, const Elf64_Ehdr& header, const Elf64_Shdr& needs,
                   const std::string& wanted) {
  const auto names =
      file.read_at<Elf64_Shdr>(header.e_shoff + std::uint64_t{needs.sh_link} * header.e_shentsize);
  std::uint64_t at = needs.sh_offset;
  for (unsigned i = 0; names && i < needs.sh_info; ++i) {
    const auto entry = file.read_at<Elf64_Verneed>(at);
    if (!entry) return false;
    if (names_version(file, *names, at + entry->vn_aux, entry->vn_cnt, wanted)) return true;
    if (entry->vn_next == 0) return false;
    at += entry->vn_next;
  }
  return false;
}

// What is only for the library's own parts changes without notice.
bool uses_private_parts(const FileBytes& file, const Elf64_Ehdr& header) {
  const auto in_section = [&file, &header](const Elf64_Shdr& entry) {
    const bool found =
        entry.sh_type == SHT_GNU_verneed && needs_version(file, header, entry, "TESSERA_PRIVATE");
    return std::string(found ? "found" : "");
  };
  return !visit_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum, header.e_shentsize,
                                  in_section)
              .empty();
}

NoteReading read_note(const FileBytes& file) {
  if (!file.problem().empty()) return {{}, file.problem()};
  const auto magic = file.read_at<std::array<char, SELFMAG>>(0);
  if (!magic || std::memcmp(magic->data(), ELFMAG, SELFMAG) != 0)
    return {{}, "is not an ELF file; put a shared object there or remove it"};
  const auto header = file.read_at<Elf64_Ehdr>(0);
  if (!header) return {{}, "is cut off inside its ELF header; copy or build it again"};
  if (std::string problem = header_problem(*header); !problem.empty()) return {{}, "is " + problem};
  if (!is_whole(file, *header)) return {{}, "is cut off or damaged; copy or build it again"};
  std::string note = find_note(file, *header, kManifest);
  note.resize(std::min(note.find('\0'), note.size()));
  if (!note.empty() && uses_private_parts(file, *header))
    return {{},
            "uses functions of the engine that are not part of the SDK (symbol version "
            "TESSERA_PRIVATE); link it as tessera_add_component or pkg-config tessera does"};
  return {std::move(note), {}};
}

// Only a file that ends like a sealed one is read to its end.
bool has_wrong_seal(const FileBytes& file) {
  const auto end = file.read_at<Seal>(file.size() - kSealSize);
  if (!end || check_seal(*end) == SealState::absent) return false;
  const auto whole = file.slice(0, file.size());
  return !whole || check_seal(*whole) == SealState::wrong;
}

}  // namespace

std::string ManifestReader::build_id(const std::string& path) {
  constexpr std::size_t kShown = 6;
  const FileBytes file(path);
  const auto header = file.read_at<Elf64_Ehdr>(0);
  const bool readable = file.problem().empty() && header && header_problem(*header).empty();
  std::string text;
  for (const char byte : readable ? find_note(file, *header, kBuildId).substr(0, kShown) : "")
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

NoteReading ManifestReader::read_bytes(Bytes bytes) {
  return read_note(FileBytes(bytes));
}

NoteReading ManifestReader::read_file(const std::string& path) {
  return read_note(FileBytes(path));
}

// A damaged file may seem to be all sorts of things: damage is looked for first.
NoteReading ManifestReader::verify_file(const std::string& path) {
  const FileBytes file(path);
  if (file.problem().empty() && has_wrong_seal(file))
    return {{},
            "does not match the checksum that tessera-seal has added: it was damaged or changed "
            "since; install or build it again"};
  return read_note(file);
}

}  // namespace tessera
