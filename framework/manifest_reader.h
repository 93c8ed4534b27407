// SPDX-License-Identifier: BSD-3-Clause
// Reads the manifest note out of a shared object's bytes, without loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

// What the bytes of a file say. Exactly one of three: a note was found (note not empty); the file
// is no component (both empty); it cannot be one although it might have been meant to be (problem
// not empty).
struct NoteReading {
  std::string note;  // the text of the note
  std::string
      problem;  // one phrase: "not an ELF file", "built for aarch64, this machine is x86_64", ...
};

class ManifestReader {
 public:
  // Never loads the file and never follows an offset out of it. `problem` for anything that cannot
  // be opened, is no regular file, no ELF shared object of this machine, is damaged, or is a
  // component that uses more of the engine than the SDK.
  static NoteReading read_file(const std::string& path);

  // The same, and a seal at its end (seal.h) must be right. Reads all of a sealed file: for those
  // who judge, once per job, and not for each process that loads it.
  static NoteReading verify_file(const std::string& path);

  // The build id that the linker has given a shared object, in twelve hexadecimal digits at most.
  // Empty: there is none, or read_file would not read the file.
  static std::string build_id(const std::string& path);

  // The same as read_file on bytes in memory; no alignment is required.
  static NoteReading read_bytes(std::span<const std::byte> bytes);
};

}  // namespace tessera
