// SPDX-License-Identifier: BSD-3-Clause
// What one process has read and checked, handed to others as text.
#include <fmt/format.h>

#include <charconv>

#include "framework/core_params.h"
#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/microkernel.h"

namespace tessera {
namespace {

constexpr std::string_view snapshot_header = "tessera-snapshot 2 ";

struct Snapshot {
  std::uint64_t environment = 0;  // of who took it
  std::string_view params;
  std::string_view catalog;
};

Result<Snapshot> split_snapshot(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  if (!text.starts_with(snapshot_header) || line_end == std::string_view::npos)
    return help_failure(Errc::argument, topics::snapshot_foreign,
                        "they are not in this version's format");
  const std::string_view rest = text.substr(line_end + 1);
  const char* const end = text.data() + line_end;
  std::size_t length = 0;
  std::uint64_t environment = 0;
  auto read = std::from_chars(text.data() + snapshot_header.size(), end, length);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == ' ')
    read = std::from_chars(read.ptr + 1, end, environment, 16);
  if (read.ec != std::errc() || read.ptr != end || length > rest.size())
    return help_failure(Errc::argument, topics::snapshot_foreign, "they are cut off");
  return Snapshot{environment, rest.substr(0, length), rest.substr(length)};
}

}  // namespace

Result<std::unique_ptr<Microkernel>> Microkernel::from_snapshot(std::string_view text,
                                                                const MicrokernelOptions& options) {
  auto snapshot = split_snapshot(text);
  if (!snapshot) return snapshot.status();
  std::unique_ptr<Microkernel> kernel(new Microkernel(options));
  Status restored = kernel->params_.restore(snapshot->params);
  if (restored.ok()) restored = kernel->catalog_.restore(snapshot->catalog);
  if (!restored.ok())
    return help_failure(Errc::argument, topics::snapshot_foreign, restored.text());
  if (const Candidate* const unfit = kernel->catalog_.refuse_unfit(kernel->frameworks_))
    kernel->tell_of_mix(*unfit);
  if (ParamRegistry::digest_of(options.environment) == snapshot->environment)
    restored = kernel->promise_everything(options);
  else
    restored = kernel->hear_environment(options);
  if (!restored.ok()) return restored;
  return kernel;
}

std::string Microkernel::snapshot() const {
  const std::string params = params_.serialise();
  return fmt::format("{}{} {:x}\n{}{}", snapshot_header, params.size(), environment_, params,
                     catalog_.serialise());
}

// This process's environment says something else than the one in which the snapshot was taken: so
// everything is done as if there were none, but for reading files.
Status Microkernel::hear_environment(const MicrokernelOptions& options) {
  if (Status declared = declare_built_in(options); !declared.ok()) return declared;
  params_.add_environment(options.environment);
  hear_program(options);
  return complete();
}

Status Microkernel::promise_everything(const MicrokernelOptions& options) {
  if (Status promised = promise_built_in(options); !promised.ok()) return promised;
  promise_components();
  hear_program(options);
  if (Status resolved = params_.resolve(); !resolved.ok()) return resolved;
  for (auto& [name, selection] : selections_)
    if (params_.mentions(name))
      if (Status applied = apply_selection(name, selection); !applied.ok()) return applied;
  return {};
}

Status Microkernel::promise_built_in(const MicrokernelOptions& options) {
  for (const auto& table : {core_params(), options.core_params})
    if (Status declared = declare_table(table); !declared.ok()) return declared;
  for (const FrameworkInfo& framework : frameworks_)
    params_.promise(std::string(framework.name),
                    [this, &framework] { static_cast<void>(declare_framework(framework)); });
  return {};
}

void Microkernel::promise_components() {
  for (const ComponentName& name : catalog_.names())
    params_.promise(fmt::format("{}_{}", name.framework, name.component),
                    [this, name] { declare_components(name); });
}

}  // namespace tessera
