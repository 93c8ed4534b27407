// SPDX-License-Identifier: BSD-3-Clause
// tessera-seal: adds a checksum to the files of components, looks whether it is right, takes it
// away.
#include <fcntl.h>
#include <fmt/format.h>
#include <getopt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/manifest_reader.h"
#include "framework/seal.h"

namespace {

using namespace tessera;

enum class Wish { seal, check, remove };

struct File {
  std::string name;
  std::vector<char> content;  // empty when it cannot be read
  std::string problem;        // why it is no component that could be sealed

  std::span<const std::byte> bytes() const noexcept {
    return std::as_bytes(std::span<const char>(content));
  }
};

// A damaged file may be none that can be understood, and is read nevertheless.
File read(const std::string& name) {
  const NoteReading reading = ManifestReader::read_file(name);
  File file{name, {}, reading.problem};
  if (reading.problem.empty() && reading.note.empty())
    file.problem = "is no component: it has no manifest (TESSERA_COMPONENT)";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) return file;
  std::ifstream in(name, std::ios::binary);
  file.content.assign(std::istreambuf_iterator<char>(in), {});
  return file;
}

// These return what is wrong; empty when all is well.
std::string problem_of(const std::string& what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

// The bytes before stay as they are, so that processes that have mapped the file notice nothing. A
// seal that could not be written whole is taken back.
std::string append(const File& file) {
  const Seal seal = make_seal(file.bytes());
  const int descriptor = open(file.name.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return problem_of("cannot be opened for writing");
  const auto end = static_cast<off_t>(file.content.size());
  const ssize_t written = pwrite(descriptor, seal.data(), seal.size(), end);
  std::string problem;
  if (written != static_cast<ssize_t>(seal.size())) {
    problem = written < 0 ? problem_of("cannot be written") : "cannot be written: no space left";
    if (ftruncate(descriptor, end) != 0) problem += "; remove what was written behind its end";
  }
  if (close(descriptor) != 0 && problem.empty()) problem = problem_of("cannot be written");
  return problem;
}

std::string cut(const File& file) {
  const auto length = static_cast<off_t>(file.content.size() - kSealSize);
  return truncate(file.name.c_str(), length) == 0 ? "" : problem_of("cannot be written");
}

std::string check(const File& file, SealState state) {
  if (state == SealState::absent) return "has no checksum; tessera-seal FILE adds one";
  if (state == SealState::wrong)
    return "does not match its checksum: it was damaged or changed since; install or build it "
           "again";
  fmt::print(stdout, "{}: is as it was sealed\n", file.name);
  return {};
}

std::string seal(const File& file, SealState state) {
  if (state == SealState::right) return {};
  if (state == SealState::absent) return append(file);
  return "does not match the checksum it has: it was damaged or changed since; build it again, or, "
         "when the change is meant, take the checksum away by tessera-seal --remove first";
}

std::string fulfil(Wish wish, const File& file) {
  if (file.content.empty() || (wish == Wish::seal && !file.problem.empty())) return file.problem;
  const SealState state = check_seal(file.bytes());
  if (wish == Wish::check) return check(file, state);
  if (wish == Wish::seal) return seal(file, state);
  return state == SealState::absent ? "" : cut(file);
}

constexpr const char* kUsage =
    "Usage: tessera-seal [--check | --remove] FILE...\n"
    "\n"
    "Adds a checksum (SHA-256) to the file of a component, tessera_FRAMEWORK_NAME.so. mpiexec and\n"
    "ompi-info refuse a file that does not match its checksum; one without a checksum is as good "
    "as\n"
    "before.\n"
    "\n"
    "  --check   change nothing; fail unless each file has a checksum that is right\n"
    "  --remove  take the checksum away, right or wrong\n"
    "  -h, --help\n";

[[noreturn]] void reject(const std::string& problem) {
  fmt::print(stderr, "tessera-seal: {}\n{}", problem, kUsage);
  std::exit(2);
}

// Leaves `optind` at the first file.
Wish parse(int count, char** words) {
  static const option known[] = {{"check", no_argument, nullptr, 'c'},
                                 {"remove", no_argument, nullptr, 'r'},
                                 {"help", no_argument, nullptr, 'h'},
                                 {nullptr, 0, nullptr, 0}};
  bool checks = false, removes = false;
  opterr = 0;
  for (int found = 0; (found = getopt_long(count, words, "h", known, nullptr)) != -1;) {
    if (found == 'c') checks = true;
    if (found == 'r') removes = true;
    if (found == 'h') {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (found == '?') reject(fmt::format("unknown option {}", words[optind - 1]));
  }
  if (checks && removes) reject("--check and --remove exclude each other");
  if (optind == count) reject("no file is named");
  return checks ? Wish::check : removes ? Wish::remove : Wish::seal;
}

}  // namespace

int main(int count, char** words) {
  const Wish wish = parse(count, words);
  int status = 0;
  for (int i = optind; i < count; ++i) {
    const std::string name = words[i];
    const std::string problem = fulfil(wish, read(name));
    if (problem.empty()) continue;
    fmt::print(stderr, "tessera-seal: {}: {}\n", name, problem);
    status = 1;
  }
  return status;
}
