// SPDX-License-Identifier: BSD-3-Clause
// Reading the parameters and checking what the manifest cannot say.
#include "settings.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera::btl::tcp {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

Status bad_range(std::string_view text) {
  return Status::failure(Errc::argument,
                         "btl_tcp_ports: '" + std::string(text) +
                             "' is no port range; write low..high (1 <= low <= high <= 65535), "
                             "one port, or 0 for any");
}

// The eager limit leaves room for the header in a packet; a limit that was asked for is not changed
// silently.
Status fit_eager_limit(Settings& settings, const Params& params) {
  Attributes& a = settings.attributes;
  const std::size_t room = a.max_packet - kMaxHeader;
  if (a.eager_limit > room && params.chosen("eager_limit")) {
    return Status::failure(Errc::argument, "btl_tcp_eager_limit: " + std::to_string(a.eager_limit) +
                                               " bytes do not fit into a packet; at most " +
                                               std::to_string(room) + " (btl_tcp_max_packet less " +
                                               std::to_string(kMaxHeader) + ")");
  }
  a.eager_limit = std::min(a.eager_limit, room);
  return {};
}

// Of several links each one carries its share of a message that would be one packet.
std::size_t packet_of_link(const Params& params, unsigned links) {
  const std::size_t whole = params.size("max_packet");
  if (links == 1 || params.chosen("max_packet")) return whole;
  return std::max(whole / links, std::min(whole, params.size("eager_limit") + kMaxHeader));
}

// A sender that lends a message waits for one more, half a round trip: it pays for messages so many
// times as long as those that need no such answer. Measured: docs/decisions/0148.
constexpr std::size_t kAnswered = 16;

Attributes read_attributes(const Params& params, unsigned links) {
  Attributes a;
  a.latency_ns = static_cast<std::uint32_t>(params.integer("latency"));
  a.bandwidth_mbs = static_cast<std::uint32_t>(params.integer("bandwidth"));
  a.exclusivity = static_cast<std::uint32_t>(params.integer("exclusivity"));
  a.capabilities = can_land;
  a.eager_limit = params.size("eager_limit");
  a.max_packet = packet_of_link(params, links);
  a.lend_threshold = kAnswered * params.size("zero_copy");
  return a;
}

}  // namespace

Result<PortRange> PortRange::parse(std::string_view text) {
  const auto dots = text.find("..");
  const auto low = parse_port(text.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : parse_port(text.substr(dots + 2));
  if (!low || !high || *low > *high || (*low == 0 && *high != 0)) return bad_range(text);
  return PortRange{*low, *high};
}

std::string PortRange::text() const {
  return std::to_string(low) + ".." + std::to_string(high);
}

Result<Settings> read_settings(const Params& params) {
  Settings settings;
  auto ports = PortRange::parse(params.text("ports"));
  if (!ports) return ports.status();
  settings.ports = *ports;
  settings.if_include = params.text("if_include");
  settings.if_exclude = params.text("if_exclude");
  settings.sndbuf = params.size("sndbuf");
  settings.rcvbuf = params.size("rcvbuf");
  settings.queue_limit = params.size("queue_limit");
  settings.zero_copy = params.size("zero_copy");
  settings.connect_timeout_s = static_cast<int>(params.integer("connect_timeout"));
  settings.silence_s = static_cast<int>(params.integer("silence"));
  settings.linger_ms = static_cast<int>(params.integer("linger"));
  settings.links = static_cast<unsigned>(params.integer("links"));
  settings.attributes = read_attributes(params, settings.links);
  if (Status s = fit_eager_limit(settings, params); !s) return s;
  return settings;
}

}  // namespace tessera::btl::tcp
