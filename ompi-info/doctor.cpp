// SPDX-License-Identifier: BSD-3-Clause
// The list of findings, and what the installation itself has to say.
#include "doctor.h"

#include <fmt/format.h>

#include <fstream>

#include "framework/text.h"
#include "json.h"

namespace ompi_info {
namespace {

using namespace tessera;

std::string_view health_name(Health health) noexcept {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::note:
      return "note";
    case Health::problem:
      return "problem";
  }
  return "";
}

std::vector<Finding> examine(const Microkernel& kernel) {
  return {check_cpus(),
          check_topology(),
          check_load(),
          check_shared_memory(),
          check_single_copy(),
          check_doorbell(),
          check_memory_lock(),
          check_open_files(),
          check_processes(),
          check_huge_pages(),
          check_overcommit(),
          check_interfaces(),
          check_components(kernel),
          check_settings(kernel)};
}

void print_text(const Finding& finding) {
  constexpr std::size_t width = 100, indent = 27;
  fmt::print("{:8} {:17} {}\n", health_name(finding.health), finding.name, finding.value);
  if (finding.health == Health::ok) return;
  fmt::print("{}\n", text::wrap(finding.why, width, indent));
  if (!finding.next.empty())
    fmt::print("{}\n", text::wrap("What to do: " + finding.next, width, indent));
}

Json finding_json(const Finding& finding) {
  return Json::object({{"name", finding.name},
                       {"verdict", health_name(finding.health)},
                       {"value", finding.value},
                       {"why", finding.why},
                       {"next_step", finding.next}});
}

}  // namespace

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What belongs to another framework or version is refused without harm, but its owner may wonder.
Finding check_components(const Microkernel& kernel) {
  Finding finding{"components", Health::ok, "",
                  "A component that is refused or shadowed is not used.", ""};
  std::size_t usable = 0;
  std::string others;
  for (const Candidate& candidate : kernel.catalog().candidates()) {
    if (candidate.verdict == Verdict::usable || candidate.verdict == Verdict::excluded) {
      ++usable;
      continue;
    }
    others += fmt::format("{}{}/{} is {}", others.empty() ? "" : ", ", candidate.framework,
                          candidate.name, verdict_name(candidate.verdict));
  }
  finding.value = fmt::format("{} found{}{}", usable, others.empty() ? "" : "; ", others);
  if (usable == 0) finding.health = Health::problem;
  if (usable > 0 && !others.empty()) finding.health = Health::note;
  if (finding.health != Health::ok)
    finding.next = "`ompi-info` lists where each was found and why it is not used.";
  return finding;
}

Finding check_settings(const Microkernel& kernel) {
  const auto& problems = kernel.problems();
  Finding finding{"settings", Health::ok, "all can be used",
                  "A job with a setting that cannot be used does not start.", ""};
  if (problems.empty()) return finding;
  finding.health = Health::problem;
  finding.value = fmt::format("{} cannot be used", problems.size());
  finding.next = "`ompi-info --changed` shows each with what is allowed.";
  return finding;
}

bool print_doctor(const Microkernel& kernel, Format format) {
  const std::vector<Finding> findings = examine(kernel);
  bool healthy = true;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    healthy = healthy && finding.health != Health::problem;
    if (format == Format::json)
      list.add(finding_json(finding));
    else
      print_text(finding);
  }
  if (format == Format::json) print(Json::object({{"healthy", healthy}, {"findings", list}}));
  return healthy;
}

}  // namespace ompi_info
