// SPDX-License-Identifier: BSD-3-Clause
// io/monitoring: who reads and writes how much of which file, and where in it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>

#include "account.h"
#include "tessera/peer.h"

namespace tessera::io::monitoring {
namespace {

constexpr const char* kHeader =
    "process  what        calls     extents           bytes  bytes a part  |where in the file, "
    "from its start|  file\n";

// One write, so that the rows of several processes do not mix.
void append(const std::string& table, const std::string& text) noexcept {
  const int descriptor =
      table.empty() ? STDERR_FILENO
                    : ::open(table.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  while (::write(descriptor, text.data(), text.size()) < 0 && errno == EINTR) {
  }
  if (!table.empty()) (void)::close(descriptor);
}

class Monitored final : public Driver {
 public:
  Monitored(Driver& below, std::string path, std::uint32_t process, const std::string& table)
      : below_(&below), path_(std::move(path)), process_(process), table_(table) {}
  ~Monitored() override { tell(); }

  Facts facts() const noexcept override { return below_->facts(); }
  Outcome read(std::span<const Extent> list) noexcept override {
    const Outcome outcome = below_->read(list);
    account_.read(list, outcome.bytes);
    return outcome;
  }
  Outcome write(std::span<const Extent> list) noexcept override {
    const Outcome outcome = below_->write(list);
    account_.written(list, outcome.bytes);
    return outcome;
  }
  bool copies(bool writing, const Pieces& pieces) noexcept override {
    return below_->copies(writing, pieces);
  }
  bool lend(const Pieces& pieces, Look look, void* context) noexcept override {
    const bool seen = below_->lend(pieces, look, context);
    if (seen) account_.lent(pieces);
    return seen;
  }
  Result<Offset> size() noexcept override { return below_->size(); }
  Status resize(Offset size) noexcept override { return below_->resize(size); }
  Status reserve(Offset size) noexcept override { return below_->reserve(size); }
  Status sync() noexcept override { return below_->sync(); }
  Status close() noexcept override { return below_->close(); }
  Status lock(Range range, bool exclusive) noexcept override {
    return below_->lock(range, exclusive);
  }
  void unlock(Range range) noexcept override { below_->unlock(range); }

 private:
  void tell() noexcept {
    const std::string rows = account_.report(process_, path_);
    if (!rows.empty()) append(table_, process_ == 0 ? kHeader + rows : rows);
  }

  std::unique_ptr<Driver> below_;
  std::string path_;
  std::uint32_t process_;
  const std::string& table_;
  Account account_;
};

class MonitoringComponent final : public Component {
 public:
  Status open(const Host& host) noexcept override {
    table_ = host.params.text("table");
    process_ = host.job.my_id();
    return {};
  }
  Result<int> judge(const Question&) noexcept override {
    return Status::failure(Errc::unsupported, "it only stands in front of others");
  }
  Result<Driver*> open_file(const Question&, const Mode&) noexcept override {
    return Errc::unsupported;
  }
  Status remove(const Question&) noexcept override { return Errc::unsupported; }
  Result<Driver*> wrap(const Question& question, Driver& below) noexcept override {
    Driver* driver =
        new (std::nothrow) Monitored(below, std::string(question.path), process_, table_);
    if (driver == nullptr) return Errc::no_memory;
    return driver;
  }

 private:
  std::string table_;
  std::uint32_t process_ = 0;
};

}  // namespace
}  // namespace tessera::io::monitoring

TESSERA_COMPONENT(
    io, monitoring, "0.1.0", 0, tessera::io::monitoring::MonitoringComponent,
    "Counts what each process reads and writes of each file, and where, in front of other drivers",
    TESSERA_FACT("interposes", "enable")
        TESSERA_PARAM("enable", boolean, "false", "", "", 2, "Count accesses to files.")
            TESSERA_PARAM("table", text, "", "", "", 2,
                          "File to which each process appends its rows when it closes a file; "
                          "empty: standard error."))
