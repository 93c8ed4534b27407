// SPDX-License-Identifier: BSD-3-Clause
// pml/monitoring: counts messages and bytes from each process to each other one; tells at the end.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "persistent.h"
#include "table.h"
#include "tessera/pml.h"

namespace tessera::pml::monitoring {

// Stands in front of the pml in use; receives pass through untouched.
class Monitor final : public Interposer {
 public:
  Monitor(Module& below, Traffic& traffic) noexcept : Interposer(below), traffic_(traffic) {}

  Status send(const SendArgs& args) noexcept override {
    account_of(args).count();
    return below().send(args);
  }
  Result<Request*> isend(const SendArgs& args) noexcept override {
    Result<Request*> request = below().isend(args);
    if (request.ok()) account_of(args).count();
    return request;
  }
  Result<Request*> send_init(const SendArgs& args) noexcept override {
    Result<Request*> request = below().send_init(args);
    if (!request.ok()) return request;
    Request* mine = counted(request.value(), account_of(args));
    if (mine != nullptr) return mine;
    request.value()->free();
    return Status(Errc::no_memory);
  }

 private:
  // The context of a communicator's collective operations is odd (comm.h).
  Account account_of(const SendArgs& args) const noexcept {
    const auto bytes = static_cast<std::uint64_t>(args.count * args.type->size());
    const auto kind = args.context % 2 != 0 ? traffic::Kind::collective : traffic::Kind::program;
    return {&traffic_, args.peer->id, bytes, kind};
  }

  Traffic& traffic_;
};

class MonitoringComponent final : public Component {
 public:
  Result<Module*> open(const Host&) noexcept override {
    return Status::failure(Errc::refused,
                           "it only stands in front of another one (pml_monitoring_enable)");
  }

  Result<Module*> wrap(const Host& host, Module& below) noexcept override {
    Result<Traffic> traffic = Traffic::make(host.job);
    if (!traffic) return traffic.status();
    traffic_.emplace(std::move(traffic.value()));
    table_ = host.params.text("table");
    picture_ = host.params.text("picture");
    monitor_.emplace(below, *traffic_);
    return &*monitor_;
  }

  // All processes have met by now, so that the counters are final.
  void close() noexcept override {
    monitor_.reset();
    if (!traffic_) return;
    if (traffic_->complete() && traffic_->me() != 0) return;
    try {
      write(table_, table(*traffic_));
      if (!picture_.empty() && traffic_->complete()) write(picture_, picture(*traffic_));
    } catch (const std::bad_alloc&) {
      std::fputs("pml/monitoring: no memory to write down what was counted\n", stderr);
    }
  }

 private:
  // To the file; without a name to the standard error. Where each process tells for itself, its
  // number is added.
  void write(const std::string& name, const std::string& text) const {
    const std::string path =
        traffic_->complete() || name.empty() ? name : name + "." + std::to_string(traffic_->me());
    std::FILE* file = path.empty() ? stderr : std::fopen(path.c_str(), "we");
    const bool written =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file == nullptr || file == stderr || std::fclose(file) == 0;
    if (!written || !closed)
      std::fprintf(stderr, "pml/monitoring: cannot write %s: %s\n", path.c_str(),
                   std::strerror(errno));
  }

  std::optional<Traffic> traffic_;
  std::optional<Monitor> monitor_;
  std::string table_;
  std::string picture_;
};

}  // namespace tessera::pml::monitoring

// clang-format off
TESSERA_COMPONENT(pml, monitoring, "1.0.0", 0, tessera::pml::monitoring::MonitoringComponent,
  "Counts messages and bytes per pair of ranks, in front of the selected pml",
  TESSERA_FACT("interposes", "enable")
  TESSERA_PARAM("enable", boolean, "false", "", "", 2,
    "Enable the counters.")
  TESSERA_PARAM("table", text, "", "", "", 2,
    "File for the table of counters, written at MPI_Finalize. Empty: standard error.")
  TESSERA_PARAM("picture", text, "", "", "", 2,
    "File for an SVG heat map of the bytes per pair of ranks. Empty: none."))
// clang-format on
