// SPDX-License-Identifier: BSD-3-Clause
// Looks a function up in the symbol table of a file.
#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "launcher/hang/source_lines.h"

namespace tessera::launcher {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 20;  // of one table: what is larger is damaged

// Reads pieces of a file; whatever does not lie inside is empty.
class File {
 public:
  explicit File(const std::string& path) : stream_(path, std::ios::binary) {}

  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes > kMostBytes || !stream_.seekg(static_cast<std::streamoff>(offset))) return {};
    std::vector<T> values(bytes / sizeof(T));
    stream_.read(reinterpret_cast<char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!stream_) values.clear();
    stream_.clear();
    return values;
  }

 private:
  std::ifstream stream_;
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

std::string find_in(File& file, const Elf64_Shdr& symbols, const Elf64_Shdr& strings,
                    std::uint64_t address) {
  std::vector<char> names = file.read<char>(strings.sh_offset, strings.sh_size);
  if (names.empty()) return {};
  names.back() = 0;
  for (const Elf64_Sym& symbol : file.read<Elf64_Sym>(symbols.sh_offset, symbols.sh_size)) {
    const bool holds = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address >= symbol.st_value &&
                       address - symbol.st_value < symbol.st_size;
    if (holds && symbol.st_name < names.size()) return demangled(&names[symbol.st_name]);
  }
  return {};
}

}  // namespace

std::string function_at(const std::string& path, std::uint64_t address) {
  File file(path);
  const auto header = file.read<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr))
    return {};
  const auto sections =
      file.read<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      std::string name = find_in(file, section, sections[section.sh_link], address);
      if (!name.empty()) return name;
    }
  }
  return {};
}

}  // namespace tessera::launcher
