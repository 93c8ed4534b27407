// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/labels.h"

#include <algorithm>
#include <cstdio>

namespace tessera::impi {
namespace {

constexpr LabelRule kRules[] = {
    {Label::c_version, "C_VERSION", Scope::client, Element::version},
    {Label::c_nhosts, "C_NHOSTS", Scope::client, Element::u32},
    {Label::c_nprocs, "C_NPROCS", Scope::client, Element::u32},
    {Label::c_datalen, "C_DATALEN", Scope::client, Element::u32},
    {Label::c_tagub, "C_TAGUB", Scope::client, Element::i32},
    {Label::c_coll_xsize, "C_COLL_XSIZE", Scope::client, Element::i32},
    {Label::c_coll_maxlinear, "C_COLL_MAXLINEAR", Scope::client, Element::i32},
    {Label::h_ipv6, "H_IPV6", Scope::host, Element::address},
    {Label::h_port, "H_PORT", Scope::host, Element::u32},
    {Label::h_nprocs, "H_NPROCS", Scope::host, Element::u32},
    {Label::h_ackmark, "H_ACKMARK", Scope::host, Element::u32},
    {Label::h_hiwater, "H_HIWATER", Scope::host, Element::u32},
    {Label::p_ipv6, "P_IPV6", Scope::process, Element::address},
    {Label::p_pid, "P_PID", Scope::process, Element::i64},
};

std::string text_of(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace

std::span<const LabelRule> label_rules() noexcept {
  return kRules;
}

const LabelRule* find_label(std::uint32_t label) noexcept {
  const auto* const found = std::find_if(std::begin(kRules), std::end(kRules), [&](const auto& r) {
    return static_cast<std::uint32_t>(r.label) == label;
  });
  return found == std::end(kRules) ? nullptr : found;
}

std::string name_of(Label label) {
  const auto code = static_cast<std::uint32_t>(label);
  if (const LabelRule* rule = find_label(code)) return rule->name;
  char number[16];
  std::snprintf(number, sizeof number, "0x%X", code);
  return number;
}

std::size_t bytes_of(Element element) noexcept {
  switch (element) {
    case Element::version:
    case Element::i64:
      return 8;
    case Element::address:
      return kHostIdBytes;
    case Element::u32:
    case Element::i32:
      break;
  }
  return 4;
}

Outcome<std::vector<std::vector<Version>>> split_versions(ByteView values, std::size_t clients) {
  std::vector<std::vector<Version>> lists;
  Reader reader(values);
  while (reader.left() > 0) {
    const Version version{reader.u32(), reader.u32()};
    if (!reader.ok()) return Fault{"the list of versions ends within a version"};
    if (version == Version{}) lists.emplace_back();
    if (lists.empty()) return Fault{"the list of versions begins with " + text_of(version)};
    if (!lists.back().empty() && version <= lists.back().back())
      return Fault{"the versions of a client do not ascend: " + text_of(version) + " after " +
                   text_of(lists.back().back())};
    lists.back().push_back(version);
  }
  if (lists.size() != clients)
    return Fault{"version 0.0 is named by " + std::to_string(lists.size()) + " of " +
                 std::to_string(clients) + " clients"};
  return lists;
}

Version common_version(std::span<const std::vector<Version>> lists) noexcept {
  if (lists.empty()) return {};
  for (auto version = lists[0].rbegin(); version != lists[0].rend(); ++version) {
    const bool everywhere = std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
      return std::find(list.begin(), list.end(), *version) != list.end();
    });
    if (everywhere) return *version;
  }
  return {};
}

Outcome<std::int32_t> agreed_threshold(Label label, std::span<const std::int32_t> values) {
  const std::int32_t standard = label == Label::c_coll_xsize ? kDefaultXsize : kDefaultMaxlinear;
  std::optional<std::int32_t> agreed;
  for (const std::int32_t value : values) {
    if (value < -1)
      return Fault{name_of(label) + " is " + std::to_string(value) + ", the least is -1 (default)"};
    const std::int32_t meant = value == -1 ? standard : value;
    if (agreed && *agreed != meant)
      return Fault{"the clients differ in " + name_of(label) + ": " + std::to_string(*agreed) +
                   " and " + std::to_string(meant)};
    agreed = meant;
  }
  return agreed.value_or(standard);
}

Bytes encode_values(std::span<const Version> versions) {
  Bytes bytes;
  for (const Version& version : versions) {
    append_number(bytes, version.major);
    append_number(bytes, version.minor);
  }
  return bytes;
}

Bytes encode_values(std::span<const std::uint32_t> numbers) {
  Bytes bytes;
  for (const std::uint32_t number : numbers) append_number(bytes, number);
  return bytes;
}

Bytes encode_values(std::span<const std::int64_t> numbers) {
  Bytes bytes;
  for (const std::int64_t number : numbers) append_number(bytes, number);
  return bytes;
}

Bytes encode_values(std::span<const HostId> addresses) {
  Bytes bytes;
  for (const HostId& address : addresses) append(bytes, address);
  return bytes;
}

}  // namespace tessera::impi
