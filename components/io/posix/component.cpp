// SPDX-License-Identifier: BSD-3-Clause
// io/posix: files of any file system that the operating system has mounted.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "file.h"
#include "system_error.h"

namespace tessera::io::posix {
namespace {

// By what users of other libraries call file systems that are mounted like any other.
constexpr std::string_view kPrefixes[] = {"ufs",   "nfs",   "lustre", "gpfs",  "xfs",
                                          "pvfs2", "panfs", "testfs", "unify", "posix"};

class PosixComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    maps_ = {host.params.boolean("map_small_reads"), host.params.boolean("map_small_writes")};
    return {};
  }

  Result<int> judge(const Question& question) noexcept override {
    const bool mine = question.prefix.empty() ||
                      std::find(std::begin(kPrefixes), std::end(kPrefixes), question.prefix) !=
                          std::end(kPrefixes);
    if (mine) return 10;
    return Status::failure(Errc::unsupported, "the prefix names another kind of storage");
  }

  Result<Driver*> open_file(const Question& question, const Mode& mode) noexcept override {
    return File::open(question, mode, maps_, traffic_);
  }

  Status remove(const Question& question) noexcept override {
    const std::string path(question.path);
    if (unlink(path.c_str()) == 0) return {};
    const int error = errno;
    struct stat about;
    const bool directory = lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
    return system_failure("delete", path, -1, directory ? EISDIR : error);
  }

  void measure(Measures& measures) noexcept override {
    const auto value = [](const std::atomic<std::uint64_t>& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    measures.value("reads") = value(traffic_.reads);
    measures.value("writes") = value(traffic_.writes);
    measures.value("copied") = value(traffic_.copied);
    measures.value("bytes_read") = value(traffic_.bytes_read);
    measures.value("bytes_written") = value(traffic_.bytes_written);
  }

 private:
  Traffic traffic_;
  Maps maps_;
};

}  // namespace
}  // namespace tessera::io::posix

// clang-format off
TESSERA_COMPONENT(io, posix, "0.1.0", 10, tessera::io::posix::PosixComponent,
  "Files of every mounted file system, through preadv and pwritev",
  TESSERA_VARIABLE("reads", counter, process, "transfers", 4,
    "Lists of extents read from files by this process.")
  TESSERA_VARIABLE("writes", counter, process, "transfers", 4,
    "Lists of extents written to files by this process.")
  TESSERA_VARIABLE("copied", counter, process, "transfers", 4,
    "Lists of extents, read or written, that were copied through a mapping of the file.")
  TESSERA_VARIABLE("bytes_read", aggregate, process, "bytes", 3,
    "Bytes read from files by this process.")
  TESSERA_VARIABLE("bytes_written", aggregate, process, "bytes", 3,
    "Bytes written to files by this process.")
  TESSERA_PARAM("map_small_writes", boolean, "true", "", "", 5,
    "Store many small pieces through a mapping of the file (ext4, tmpfs) instead of by a call "
    "each.")
  TESSERA_PARAM("map_small_reads", boolean, "true", "", "", 5,
    "Copy many small pieces of one place out of a mapping of the file (ext4, tmpfs) from the second "
    "time on, instead of reading them by a call each."))
// clang-format on
