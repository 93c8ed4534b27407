// SPDX-License-Identifier: BSD-3-Clause
// Source numbers of partitioned messages on the collective context of a communicator.
#pragma once

namespace tessera {

// Far below those of exchanges that make communicators (agreement.h); ranks are below 2^28.
constexpr int announcement_number(int rank) noexcept {
  return -(1 << 30) - rank;
}
constexpr int unit_number(int rank) noexcept {
  return -(1 << 30) - (1 << 28) - rank;
}
constexpr int notice_number(int rank) noexcept {
  return -(1 << 30) - 2 * (1 << 28) - rank;
}
// Whether a message with this source number is one of these.
constexpr bool is_partitioned(int number) noexcept {
  return number <= announcement_number(0);
}

}  // namespace tessera
