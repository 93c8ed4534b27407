// SPDX-License-Identifier: BSD-3-Clause
// Reads the dynamic section of a file.
#include "launcher/elf_needs.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "framework/file_bytes.h"

namespace tessera::launcher {
namespace {

// Offsets come from a file that may be damaged: FileBytes reads nothing that does not lie inside.
std::string text_at(const FileBytes& file, std::uint64_t offset) {
  constexpr std::uint64_t kPiece = 256;
  std::string text;
  for (; offset < file.size(); offset += kPiece) {
    const auto piece = file.slice(offset, std::min(kPiece, file.size() - offset));
    if (!piece) return {};
    const std::size_t length = strnlen(reinterpret_cast<const char*>(piece->data()), piece->size());
    text.append(reinterpret_cast<const char*>(piece->data()), length);
    if (length < piece->size()) break;
  }
  return text;
}

bool is_of_this_machine(const Elf64_Ehdr& header) noexcept {
  const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order;
}

class Reader {
 public:
  explicit Reader(const FileBytes& file) : file_(file) {}

  ElfNeeds needs() {
    const auto header = file_.read_at<Elf64_Ehdr>(0);
    if (!header || !is_of_this_machine(*header)) return {};
    for (unsigned i = 0; i < header->e_phnum; ++i) {
      const auto segment =
          file_.read_at<Elf64_Phdr>(header->e_phoff + std::uint64_t{i} * header->e_phentsize);
      if (!segment) return {};
      segments_.push_back(*segment);
    }
    for (const Elf64_Phdr& segment : segments_)
      if (segment.p_type == PT_DYNAMIC) read_dynamic(segment);
    return in_words();
  }

 private:
  void read_dynamic(const Elf64_Phdr& segment) {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      const auto entry = file_.read_at<Elf64_Dyn>(segment.p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) return;
      if (entry->d_tag == DT_STRTAB) strings_ = offset_of(entry->d_un.d_ptr);
      if (entry->d_tag == DT_NEEDED || entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH)
        entries_.push_back(*entry);
    }
  }

  // Where the bytes of an address lie in the file.
  std::uint64_t offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      const bool holds = segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                         address - segment.p_vaddr < segment.p_filesz;
      if (holds) return address - segment.p_vaddr + segment.p_offset;
    }
    return file_.size();
  }

  ElfNeeds in_words() const {
    ElfNeeds needs;
    for (const Elf64_Dyn& entry : entries_) {
      std::string text = text_at(file_, strings_ + entry.d_un.d_val);
      if (entry.d_tag == DT_NEEDED)
        needs.libraries.push_back(std::move(text));
      else
        (entry.d_tag == DT_RPATH ? needs.rpath : needs.runpath) = std::move(text);
    }
    if (!needs.runpath.empty()) needs.rpath.clear();
    return needs;
  }

  const FileBytes& file_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> entries_;
  std::uint64_t strings_ = 0;
};

}  // namespace

ElfNeeds read_elf_needs(std::span<const std::byte> file) {
  return Reader(FileBytes(file)).needs();
}

ElfNeeds read_elf_needs(const std::string& path) {
  return Reader(FileBytes(path)).needs();
}

}  // namespace tessera::launcher
