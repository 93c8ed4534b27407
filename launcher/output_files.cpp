// SPDX-License-Identifier: BSD-3-Clause
// Names, opens and writes the files that the output of ranks goes to.
#include "launcher/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "launcher/hosts.h"

namespace tessera::launcher {
namespace {

std::string replacement(char letter, std::uint32_t rank) {
  switch (letter) {
    case 'r':
      return std::to_string(rank);
    case 'h':
      return host_name();
    case 'p':
    case 'g':
      return "0";
    case '%':
      return "%";
    default:
      return std::string("%") + letter;
  }
}

std::string no_output(const std::string& path, int error) {
  return "file '" + path + "' for its output: " + strerror(error);
}

Status cannot_open(const std::string& path, int error) {
  return Status::failure(Errc::system, no_output(path, error));
}

// As many digits as the highest rank has, so that names sort.
std::string padded(std::uint32_t rank, std::uint32_t ranks) {
  const std::string number = std::to_string(rank);
  return std::string(std::to_string(ranks - 1).size() - number.size(), '0') + number;
}

}  // namespace

std::string expand_pattern(const std::string& pattern, std::uint32_t rank) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool special = pattern[i] == '%' && i + 1 < pattern.size();
    text += special ? replacement(pattern[++i], rank) : std::string(1, pattern[i]);
  }
  return text;
}

const char* name_of(OutputFiles::Stream stream) noexcept {
  return stream == OutputFiles::Stream::out ? "stdout" : "stderr";
}

std::string OutputFiles::path_of(std::uint32_t rank, Stream stream) const {
  const std::string job = job_ == 1 ? "." : "." + std::to_string(job_) + ".";
  if (!request_->file.empty()) return request_->file + job + padded(rank, ranks_);
  if (request_->directory.empty()) return {};
  return request_->directory + "/" + std::to_string(job_) + "/rank." + padded(rank, ranks_) + "/" +
         name_of(stream);
}

bool OutputFiles::path_is_pattern() const noexcept {
  return !request_->out_pattern.empty() || !request_->err_pattern.empty();
}

Result<int> OutputFiles::open_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) return cannot_open(path, failed.value());
  const bool shared = job_ != 1 && path_is_pattern();  // with the job of the command line
  const int first = opened_.insert(path).second && !shared ? O_TRUNC : 0;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | first, 0666);
  return file >= 0 ? Result<int>(file) : cannot_open(path, errno);
}

Result<OutputFile> OutputFiles::open(std::uint32_t rank, Stream stream) {
  const std::string& pattern =
      stream == Stream::out ? request_->out_pattern : request_->err_pattern;
  const std::string path = pattern.empty() ? path_of(rank, stream) : expand_pattern(pattern, rank);
  if (path.empty()) return OutputFile();
  const auto file = open_file(path);
  if (!file.ok()) return file.status();
  return OutputFile(path, rank, file.value(), !pattern.empty() || !request_->keep_on_terminal);
}

OutputFile::OutputFile(std::string path, std::uint32_t rank, int descriptor, bool alone) noexcept
    : path_(std::move(path)), rank_(rank), descriptor_(descriptor), alone_(alone) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      rank_(other.rank_),
      descriptor_(other.release()),
      alone_(other.alone_) {}

OutputFile::~OutputFile() {
  if (is_open()) ::close(descriptor_);
}

bool OutputFile::has_reader() const noexcept {
  struct stat facts {};
  return fstat(descriptor_, &facts) == 0 && (S_ISFIFO(facts.st_mode) || isatty(descriptor_) == 1);
}

int OutputFile::release() noexcept {
  return std::exchange(descriptor_, -1);
}

Status OutputFile::failed(int error) {
  if (is_open()) ::close(release());
  return Status::failure(Errc::system,
                         "rank " + std::to_string(rank_) + ": " + no_output(path_, error));
}

Status OutputFile::write(std::string_view text) {
  while (!text.empty() && is_open()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status OutputFile::close() {
  return !is_open() || ::close(release()) == 0 ? Status() : failed(errno);
}

}  // namespace tessera::launcher
