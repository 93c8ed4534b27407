// SPDX-License-Identifier: BSD-3-Clause
// The table collective operation x algorithm x component, from manifests alone.
//
// A component offers a choice of algorithms for an operation by a parameter <operation>_algorithm
// with allowed words, and says by the fact "serves" (a comma list of operations, or all) what it
// carries out in one way only.
#include <fmt/format.h>

#include "framework/text.h"
#include "json.h"
#include "report.h"
#include "tessera/coll.h"

namespace ompi_info {
namespace {

using namespace tessera;

struct Offer {
  std::string_view operation;
  const Candidate* component;
  std::vector<std::string> algorithms;  // none: one way, without a name
  const Parameter* parameter = nullptr;
};

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> result;
  if (list.empty()) return result;
  for (std::string_view word : text::split(list, ',')) result.emplace_back(text::trim(word));
  return result;
}

bool serves(const Manifest& manifest, std::string_view operation) {
  for (std::string_view list : manifest.facts_of("serves"))
    for (const std::string& word : words(list))
      if (word == operation || word == "all") return true;
  return false;
}

std::vector<Offer> offers_for(const Microkernel& kernel, std::string_view operation) {
  std::vector<Offer> offers;
  for (const Candidate& candidate : kernel.catalog().candidates()) {
    if (candidate.framework != "coll" || !candidate.usable()) continue;
    Offer offer{operation, &candidate, {}};
    offer.parameter =
        kernel.params().find(fmt::format("coll_{}_{}_algorithm", candidate.name, operation));
    if (offer.parameter != nullptr) offer.algorithms = words(offer.parameter->spec.allowed);
    if (offer.parameter != nullptr || serves(candidate.manifest, operation))
      offers.push_back(std::move(offer));
  }
  std::sort(offers.begin(), offers.end(), [&kernel](const Offer& a, const Offer& b) {
    return kernel.priority(*a.component) > kernel.priority(*b.component);
  });
  return offers;
}

// With a mark at the one in force.
std::string shown(const Offer& offer, std::string_view mark) {
  if (offer.algorithms.empty()) return "(fixed)";
  std::string list;
  for (const std::string& word : offer.algorithms)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", word,
                        offer.parameter->text == word ? mark : std::string_view());
  return list;
}

Json offer_json(const Offer& offer) {
  return Json::object({{"operation", offer.operation},
                       {"component", offer.component->name},
                       {"algorithms", offer.algorithms},
                       {"parameter", offer.parameter != nullptr ? offer.parameter->spec.name : ""},
                       {"value", offer.parameter != nullptr ? offer.parameter->text : ""}});
}

void print_offer(const Offer& offer, Format format) {
  const std::string& component = offer.component->name;
  if (format == Format::markdown)
    fmt::print("| {} | {} | {} |\n", offer.operation, component, shown(offer, ""));
  else if (format == Format::parsable)
    fmt::print("collective\t{}\t{}\t{}\n", offer.operation, component,
               text::join(offer.algorithms, ","));
  else
    fmt::print("{:22} {:12} {}\n", offer.operation, component, shown(offer, "*"));
}

}  // namespace

void print_collectives(const Microkernel& kernel, Format format) {
  Json list = Json::array();
  if (format == Format::markdown)
    fmt::print("| operation | component | algorithms |\n|---|---|---|\n");
  if (format == Format::text)
    fmt::print("{:22} {:12} algorithms, * in force\n", "operation", "component");
  for (const char* operation : coll::kOperationNames) {
    for (const Offer& offer : offers_for(kernel, operation)) {
      if (format == Format::json)
        list.add(offer_json(offer));
      else
        print_offer(offer, format);
    }
  }
  if (format == Format::json) print(Json::object({{"collectives", list}}));
}

}  // namespace ompi_info
