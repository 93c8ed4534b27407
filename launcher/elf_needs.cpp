// SPDX-License-Identifier: BSD-3-Clause
// Reads the dynamic section of a file.
#include "launcher/elf_needs.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace tessera::launcher {
namespace {

using Bytes = std::span<const std::byte>;

// Offsets come from a file that may be damaged: nothing is read that does not lie inside.
template <class T>
std::optional<T> read_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string text_at(Bytes file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const auto* const first = reinterpret_cast<const char*>(file.data() + offset);
  return {first, strnlen(first, file.size() - offset)};
}

bool is_of_this_machine(const Elf64_Ehdr& header) noexcept {
  const unsigned char order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order;
}

class Reader {
 public:
  explicit Reader(Bytes file) : file_(file) {}

  ElfNeeds needs() {
    const auto header = read_at<Elf64_Ehdr>(file_, 0);
    if (!header || !is_of_this_machine(*header)) return {};
    for (unsigned i = 0; i < header->e_phnum; ++i) {
      const auto segment =
          read_at<Elf64_Phdr>(file_, header->e_phoff + std::uint64_t{i} * header->e_phentsize);
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
      const auto entry = read_at<Elf64_Dyn>(file_, segment.p_offset + at);
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

  Bytes file_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> entries_;
  std::uint64_t strings_ = 0;
};

}  // namespace

ElfNeeds read_elf_needs(Bytes file) {
  return Reader(file).needs();
}

ElfNeeds read_elf_needs(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  struct stat facts {};
  ElfNeeds needs;
  if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data != MAP_FAILED) {
      needs = read_elf_needs(Bytes(static_cast<const std::byte*>(data), size));
      munmap(data, size);
    }
  }
  close(descriptor);
  return needs;
}

}  // namespace tessera::launcher
