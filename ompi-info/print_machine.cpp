// SPDX-License-Identifier: BSD-3-Clause
// The figures of the machine, from which limits between ways of moving data follow.
#include <fmt/format.h>
#include <sched.h>

#include "core/machine/figures.h"
#include "core/machine/names.h"
#include "report.h"

namespace ompi_info {

using namespace tessera;

// Measured here and now, as a job does at its first long collective operation.
Status print_machine(const ParamRegistry& params, Format format) {
  const std::string& replaced = params.text("machine_figures");
  MachineFigures none, figures;
  if (Status s = machine::replace(replaced, none); !s) return s;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  static_cast<void>(sched_getaffinity(0, sizeof usable, &usable));
  machine::read_caches(figures);
  machine::measure(figures, usable);
  static_cast<void>(machine::replace(replaced, figures));
  for (const MachineFigure& figure : kMachineFigures) {
    const std::uint32_t value = figures.*figure.value;
    if (format == Format::parsable)
      fmt::print("machine\t{}\tvalue\t{}\n", figure.name, value);
    else
      fmt::print("{:<15} {:>10} {:<6} {}\n", figure.name, value, figure.unit, figure.meaning);
  }
  return {};
}

}  // namespace ompi_info
