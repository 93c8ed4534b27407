// SPDX-License-Identifier: BSD-3-Clause
// Finds the manifest note in an ELF file without loading it.
#include "framework/manifest_reader.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/seal.h"
#include "tessera/component.h"

namespace tessera {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t longest_note = 1u << 20;

// All offsets come from a file that may be damaged or hostile: nothing is read that does not lie
// inside.
std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t offset) {
  const auto part = slice(bytes, offset, sizeof(T));
  if (!part) return std::nullopt;
  T value;
  std::memcpy(&value, part->data(), sizeof value);
  return value;
}

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
std::string find_in_notes(Bytes notes, const NoteKind& wanted) {
  constexpr auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  for (std::uint64_t at = 0; at < notes.size();) {
    const auto header = read_at<Elf64_Nhdr>(notes, at);
    if (!header) return {};
    const std::uint64_t name_at = at + sizeof *header;
    const std::uint64_t text_at = name_at + padded(header->n_namesz);
    const auto name = slice(notes, name_at, header->n_namesz);
    const auto content = slice(notes, text_at, header->n_descsz);
    if (!name || !content) return {};
    const bool found = header->n_type == wanted.type && name->size() == wanted.owner.size() &&
                       std::memcmp(name->data(), wanted.owner.data(), name->size()) == 0;
    if (found && content->size() <= longest_note)
      return {reinterpret_cast<const char*>(content->data()), content->size()};
    at = text_at + padded(header->n_descsz);
  }
  return {};
}

// Visits a table of `count` equal entries of at least sizeof(Entry) bytes; the visitor returns a
// note when it has one.
template <class Entry, class Visit>
std::string visit_table(Bytes file, std::uint64_t offset, std::uint64_t count, std::uint64_t step,
                        Visit visit) {
  if (step < sizeof(Entry)) return {};
  for (std::uint64_t i = 0; i < count && offset <= file.size(); ++i, offset += step) {
    const auto entry = read_at<Entry>(file, offset);
    if (!entry) return {};
    if (std::string note = visit(*entry); !note.empty()) return note;
  }
  return {};
}

std::string find_note(Bytes file, const Elf64_Ehdr& header, const NoteKind& wanted) {
  const auto note_in = [file, &wanted](std::uint64_t offset, std::uint64_t size) {
    const auto notes = slice(file, offset, size);
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
bool is_whole(Bytes file, const Elf64_Ehdr& header) {
  const bool tables_inside =
      slice(file, header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize).has_value() &&
      slice(file, header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize).has_value();
  const auto cut_off = [file](const Elf64_Phdr& entry) {
    const bool inside =
        entry.p_type != PT_LOAD || slice(file, entry.p_offset, entry.p_filesz).has_value();
    return std::string(inside ? "" : "cut off");
  };
  return tables_inside &&
         visit_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum, header.e_phentsize, cut_off)
             .empty();
}

// Whether one of the `count` version names that a needed library must have is `wanted`.
bool names_version(Bytes file, const Elf64_Shdr& names, std::uint64_t at, unsigned count,
                   std::string_view wanted) {
  for (unsigned i = 0; i < count; ++i) {
    const auto entry = read_at<Elf64_Vernaux>(file, at);
    if (!entry) return false;
    const auto name = slice(file, names.sh_offset + entry->vna_name, wanted.size() + 1);
    if (name && std::memcmp(name->data(), wanted.data(), wanted.size()) == 0 &&
        name->back() == std::byte{0})
      return true;
    if (entry->vna_next == 0) return false;
    at += entry->vna_next;
  }
  return false;
}

// Whether the section of needed versions asks some library for this one.
bool needs_version(Bytes file, const Elf64_Ehdr& header, const Elf64_Shdr& needs,
                   std::string_view wanted) {
  const auto names =
      read_at<Elf64_Shdr>(file, header.e_shoff + std::uint64_t{needs.sh_link} * header.e_shentsize);
  std::uint64_t at = needs.sh_offset;
  for (unsigned i = 0; names && i < needs.sh_info; ++i) {
    const auto entry = read_at<Elf64_Verneed>(file, at);
    if (!entry) return false;
    if (names_version(file, *names, at + entry->vn_aux, entry->vn_cnt, wanted)) return true;
    if (entry->vn_next == 0) return false;
    at += entry->vn_next;
  }
  return false;
}

// What is only for the library's own parts changes without notice.
bool uses_private_parts(Bytes file, const Elf64_Ehdr& header) {
  const auto in_section = [file, &header](const Elf64_Shdr& entry) {
    const bool found =
        entry.sh_type == SHT_GNU_verneed && needs_version(file, header, entry, "TESSERA_PRIVATE");
    return std::string(found ? "found" : "");
  };
  return !visit_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum, header.e_shentsize,
                                  in_section)
              .empty();
}

// A file descriptor and a mapping that live for one call.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    // O_NONBLOCK: a named pipe that bears a component's name must not stop us.
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    problem_ = fd_ < 0 ? fmt::format("cannot be opened: {}", std::strerror(errno)) : map();
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
    if (fd_ >= 0) ::close(fd_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& problem() const noexcept { return problem_; }
  Bytes bytes() const noexcept { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  std::string map() {
    struct stat info {};
    if (fstat(fd_, &info) != 0) return fmt::format("cannot be examined: {}", std::strerror(errno));
    if (S_ISDIR(info.st_mode)) return "is a directory";
    if (!S_ISREG(info.st_mode)) return "is not a regular file";
    if (info.st_size <= 0) return "is empty";
    size_ = static_cast<std::size_t>(info.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    return data_ == MAP_FAILED ? fmt::format("cannot be read: {}", std::strerror(errno)) : "";
  }

  int fd_ = -1;
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
  std::string problem_;
};

}  // namespace

std::string ManifestReader::build_id(const std::string& path) {
  constexpr std::size_t kShown = 6;
  const MappedFile file(path);
  const auto header = read_at<Elf64_Ehdr>(file.bytes(), 0);
  const bool readable = file.problem().empty() && header && header_problem(*header).empty();
  std::string text;
  for (const char byte :
       readable ? find_note(file.bytes(), *header, kBuildId).substr(0, kShown) : "")
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

NoteReading ManifestReader::read_bytes(Bytes file) {
  if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    return {{}, "is not an ELF file; put a shared object there or remove it"};
  const auto header = read_at<Elf64_Ehdr>(file, 0);
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

NoteReading ManifestReader::read_file(const std::string& path) {
  const MappedFile file(path);
  if (!file.problem().empty()) return {{}, file.problem()};
  return read_bytes(file.bytes());
}

// A damaged file may seem to be all sorts of things: damage is looked for first.
NoteReading ManifestReader::verify_file(const std::string& path) {
  const MappedFile file(path);
  if (!file.problem().empty()) return {{}, file.problem()};
  if (check_seal(file.bytes()) == SealState::wrong)
    return {{},
            "does not match the checksum that tessera-seal has added: it was damaged or changed "
            "since; install or build it again"};
  return read_bytes(file.bytes());
}

}  // namespace tessera
