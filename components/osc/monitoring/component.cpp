// SPDX-License-Identifier: BSD-3-Clause
// osc/monitoring: counts and times what each process does to each window.
#include <cstdio>
#include <new>
#include <optional>
#include <string>

#include "monitor.h"

namespace tessera::osc::monitoring {
namespace {

class MonitoringComponent final : public Component {
 public:
  Status open(const Host& host, pml::Router&) noexcept override try {
    Result<traffic::Traffic> traffic = traffic::Traffic::make(host.job);
    if (!traffic.ok()) return traffic.status();
    book_.emplace(Book{std::move(traffic.value()), std::string(host.params.text("table")), {}});
    book_->traffic.begin_windows();
    return {};
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }
  Status judge(const Question&) noexcept override {
    return Status::failure(Errc::refused,
                           "it only stands in front of another one (osc_monitoring_enable)");
  }
  Result<std::unique_ptr<Module>> make(Window&) noexcept override { return Errc::unsupported; }
  Result<std::unique_ptr<Module>> wrap(Window& window,
                                       std::unique_ptr<Module>& below) noexcept override {
    return Monitor::make(window, below, *book_);
  }
  // Windows that the program has not freed are told of here.
  void close() noexcept override try {
    if (!book_) return;
    for (const Monitor* monitor : book_->open) monitor->tell();
  } catch (const std::bad_alloc&) {
    std::fputs("osc/monitoring: no memory to write down what was counted\n", stderr);
  }

 private:
  std::optional<Book> book_;
};

}  // namespace
}  // namespace tessera::osc::monitoring

// clang-format off
TESSERA_COMPONENT(osc, monitoring, "1.0.0", 0, tessera::osc::monitoring::MonitoringComponent,
  "Counts and times what each process does to each window, in front of the component that serves it",
  TESSERA_FACT("interposes", "enable")
  TESSERA_PARAM("enable", boolean, "false", "", "", 2,
    "Count and time the operations on windows.")
  TESSERA_PARAM("table", text, "", "", "", 2,
    "File to which each process appends its rows when it frees a window; empty: standard error."))
// clang-format on
