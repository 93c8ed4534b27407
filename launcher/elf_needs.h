// SPDX-License-Identifier: BSD-3-Clause
// Which libraries a program asks the dynamic linker for, read from its file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::launcher {

struct ElfNeeds {
  std::vector<std::string> libraries;  // DT_NEEDED, in order
  std::string rpath;    // searched before LD_LIBRARY_PATH; empty when there is a runpath
  std::string runpath;  // searched after it
};

// Nothing for a file that is no 64-bit ELF object of this byte order, is damaged, or has no dynamic
// section.
ElfNeeds read_elf_needs(const std::string& path);
// The same of bytes in memory; no alignment is required.
ElfNeeds read_elf_needs(std::span<const std::byte> file);

}  // namespace tessera::launcher
