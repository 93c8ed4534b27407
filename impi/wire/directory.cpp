// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/directory.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tessera::impi {
namespace {

constexpr std::uint32_t kMostElements = 1U << 20;  // hosts or processes of a job

std::uint32_t mask_of_all(std::uint32_t clients) noexcept {
  return clients >= 32 ? 0xFFFFFFFFU : (1U << clients) - 1;
}

std::vector<std::int32_t> as_signed(const std::vector<std::uint32_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// The least of the values that were sent; `standard` where none was.
std::uint32_t least_of(const std::vector<std::uint32_t>& values, std::uint32_t standard) {
  return values.empty() ? standard : *std::min_element(values.begin(), values.end());
}

Fault out_of_range(Label label, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return Fault{name_of(label) + " is " + std::to_string(value) + ", allowed are " +
               std::to_string(least) + " to " + std::to_string(most)};
}

Checked check_range(Label label, const std::vector<std::uint32_t>& values, std::uint32_t least,
                    std::uint32_t most) {
  for (const std::uint32_t value : values) {
    if (value < least || value > most) return out_of_range(label, value, least, most);
  }
  return Nothing{};
}

}  // namespace

std::string DirectoryBuilder::who_is_missing(std::uint32_t clients) const {
  std::string text;
  for (std::uint32_t c = 0; c < clients_; ++c) {
    if ((clients >> c & 1) == 0) text += (text.empty() ? "client " : ", ") + std::to_string(c);
  }
  return text;
}

Outcome<std::vector<std::uint32_t>> DirectoryBuilder::counts(Scope scope) const {
  if (scope == Scope::client) return std::vector<std::uint32_t>(clients_, 1);
  const Label label = scope == Scope::host ? Label::c_nhosts : Label::c_nprocs;
  auto counts = numbers(label, true);
  if (!counts.ok()) return counts;
  if (auto good = check_range(label, counts.value(), 1, kMostElements); !good.ok())
    return good.fault();
  return counts;
}

Outcome<std::uint64_t> DirectoryBuilder::expected_bytes(const LabelRule& rule,
                                                        std::uint32_t clients) const {
  const auto elements = counts(rule.scope);
  if (!elements.ok()) return elements.fault();
  std::uint64_t sum = 0;
  for (std::uint32_t c = 0; c < clients_; ++c) {
    if ((clients >> c & 1) != 0) sum += elements.value()[c];
  }
  return sum * bytes_of(rule.element);
}

Checked DirectoryBuilder::take(const CollReply& reply) {
  const auto label = static_cast<Label>(reply.label);
  if (reply.label <= last_label_)
    return Fault{"the server sent " + name_of(label) + " after " +
                 name_of(static_cast<Label>(last_label_)) + ", labels ascend"};
  if ((reply.clients & ~mask_of_all(clients_)) != 0)
    return Fault{name_of(label) + " has values of clients beyond " + std::to_string(clients_ - 1)};
  last_label_ = reply.label;
  const LabelRule* const rule = find_label(reply.label);
  if (rule == nullptr) return Nothing{};
  if (rule->element != Element::version) {
    const auto expected = expected_bytes(*rule, reply.clients);
    if (!expected.ok()) return expected.fault();
    if (expected.value() != reply.values.size())
      return Fault{name_of(label) + " has " + std::to_string(reply.values.size()) +
                   " bytes of values, expected are " + std::to_string(expected.value())};
  }
  gathered_[label] = {reply.clients, Bytes(reply.values.begin(), reply.values.end())};
  return Nothing{};
}

Outcome<std::vector<std::uint32_t>> DirectoryBuilder::numbers(Label label, bool all_clients) const {
  const auto found = gathered_.find(label);
  const std::uint32_t clients = found == gathered_.end() ? 0 : found->second.clients;
  if (all_clients && clients != mask_of_all(clients_))
    return Fault{name_of(label) + " is missing of " + who_is_missing(clients)};
  std::vector<std::uint32_t> values;
  if (clients == 0) return values;
  Reader reader(found->second.values);
  while (reader.left() >= 4) values.push_back(reader.u32());
  return values;
}

Outcome<std::vector<HostId>> DirectoryBuilder::addresses(Label label) const {
  const auto found = gathered_.find(label);
  const std::uint32_t clients = found == gathered_.end() ? 0 : found->second.clients;
  if (clients != mask_of_all(clients_))
    return Fault{name_of(label) + " is missing of " + who_is_missing(clients)};
  std::vector<HostId> ids;
  Reader reader(found->second.values);
  while (reader.left() >= kHostIdBytes) {
    const ByteView bytes = reader.take(kHostIdBytes);
    std::copy(bytes.begin(), bytes.end(), ids.emplace_back().begin());
  }
  return ids;
}

Checked DirectoryBuilder::fill_hosts(Directory& job) const {
  const auto hosts = counts(Scope::host);
  const auto of_clients = counts(Scope::process);
  const auto ids = addresses(Label::h_ipv6);
  const auto ports = numbers(Label::h_port, true);
  const auto sizes = numbers(Label::h_nprocs, true);
  if (!hosts.ok()) return hosts.fault();
  if (!of_clients.ok()) return of_clients.fault();
  if (!ids.ok()) return ids.fault();
  if (!ports.ok()) return ports.fault();
  if (!sizes.ok()) return sizes.fault();
  if (auto good = check_range(Label::h_port, ports.value(), 1, 65535); !good.ok()) return good;
  std::uint32_t first = 0;
  for (std::uint32_t c = 0; c < clients_; ++c) {
    std::uint64_t sum = 0;
    for (std::uint32_t h = 0; h < hosts.value()[c]; ++h) {
      const std::size_t at = job.hosts.size();
      const std::uint32_t size = sizes.value()[at];
      sum += size;
      if (size == 0 || sum > of_clients.value()[c]) break;
      job.hosts.push_back(
          {c, ids.value()[at], static_cast<std::uint16_t>(ports.value()[at]), first, size});
      first += size;
    }
    if (sum != of_clients.value()[c])
      return Fault{"the H_NPROCS of client " + std::to_string(c) +
                   " are not at least 1 each with its C_NPROCS " +
                   std::to_string(of_clients.value()[c]) + " as sum"};
  }
  return Nothing{};
}

Checked DirectoryBuilder::fill_processes(Directory& job) const {
  const auto ids = addresses(Label::p_ipv6);
  if (!ids.ok()) return ids.fault();
  const auto pids = gathered_.find(Label::p_pid);
  const std::uint32_t clients = pids == gathered_.end() ? 0 : pids->second.clients;
  if (clients != mask_of_all(clients_))
    return Fault{"P_PID is missing of " + who_is_missing(clients)};
  Reader reader(pids->second.values);
  std::set<ProcId> seen;
  for (std::uint32_t h = 0; h < job.hosts.size(); ++h) {
    for (std::uint32_t p = 0; p < job.hosts[h].processes; ++p) {
      const ProcId id{ids.value()[job.processes.size()], reader.i64()};
      if (!seen.insert(id).second)
        return Fault{"two processes of the job have the pid " + std::to_string(id.pid) +
                     " and the same address, one of client " + std::to_string(job.hosts[h].client)};
      job.processes.push_back({id, h});
    }
  }
  return Nothing{};
}

Checked DirectoryBuilder::fill_thresholds(Limits& limits) const {
  for (const Label label : {Label::c_coll_xsize, Label::c_coll_maxlinear}) {
    const auto values = numbers(label, false);
    if (!values.ok()) return values.fault();
    const auto agreed = agreed_threshold(label, as_signed(values.value()));
    if (!agreed.ok()) return agreed.fault();
    (label == Label::c_coll_xsize ? limits.xsize : limits.maxlinear) = agreed.value();
  }
  return Nothing{};
}

Checked DirectoryBuilder::fill_limits(Limits& limits) const {
  constexpr std::uint32_t kMost = 0xFFFFFFFFU;
  struct Row {
    Label label;
    std::uint32_t least, most, standard;
    std::uint32_t Limits::*field;
  };
  const Row rows[] = {
      {Label::c_datalen, 1, kMost, 1024, &Limits::datalen},
      {Label::c_tagub, kLeastTagUb, kMostTagUb, kLeastTagUb, &Limits::tag_ub},
      {Label::h_ackmark, 1, kMost, 1, &Limits::ackmark},
      {Label::h_hiwater, 1, kMost, 1, &Limits::hiwater},
  };
  for (const Row& row : rows) {
    const auto values = numbers(row.label, false);
    if (!values.ok()) return values.fault();
    if (auto good = check_range(row.label, values.value(), row.least, row.most); !good.ok())
      return good;
    limits.*row.field = least_of(values.value(), row.standard);
  }
  const auto silent = gathered_.find(Label::c_tagub);
  if (silent == gathered_.end() || silent->second.clients != mask_of_all(clients_))
    limits.tag_ub = kLeastTagUb;
  if (limits.ackmark > limits.hiwater)
    return out_of_range(Label::h_ackmark, limits.ackmark, 1, limits.hiwater);
  return fill_thresholds(limits);
}

Outcome<Directory> DirectoryBuilder::finish() const {
  Directory job;
  job.clients = clients_;
  if (auto filled = fill_hosts(job); !filled.ok()) return filled.fault();
  if (auto filled = fill_processes(job); !filled.ok()) return filled.fault();
  if (auto filled = fill_limits(job.limits); !filled.ok()) return filled.fault();
  const auto versions = gathered_.find(Label::c_version);
  if (versions == gathered_.end()) return job;
  const std::size_t speakers =
      static_cast<std::size_t>(__builtin_popcount(versions->second.clients));
  const auto lists = split_versions(versions->second.values, speakers);
  if (!lists.ok()) return lists.fault();
  if (speakers == clients_) job.limits.version = common_version(lists.value());
  return job;
}

}  // namespace tessera::impi
