// SPDX-License-Identifier: BSD-3-Clause
// The kinds of transport that every protocol test is run over.
#pragma once
#include <gtest/gtest.h>

#include <ostream>

#include "fake_network.h"

namespace tessera::test {

inline std::vector<Traits> transports() {
  std::vector<Traits> all(10);
  all[0].name = "stream";
  all[1].name = "tiny_packets";
  all[1].max_packet = 100;
  all[1].eager_limit = 40;
  all[2].name = "get";
  all[2].get = true;
  all[2].get_threshold = 600;
  all[3].name = "split";
  all[3].get = all[3].put = true;
  all[3].settings.split = ob1::Split::always;
  all[3].settings.copy_piece = 1000;
  all[4].name = "landing";
  all[4].land = true;
  all[5].name = "three_routes";
  all[5].routes = 3;
  all[5].max_packet = 600;
  all[5].longest_delay = 3;
  all[6].name = "refusing";
  all[6].capacity = 2;
  all[6].refuse_percent = 50;
  all[6].longest_delay = 4;
  all[7].name = "failing_copies";
  all[7].get = all[7].put = true;
  all[7].settings.split = ob1::Split::always;
  all[7].settings.copy_piece = 500;
  all[7].gets_before_failure = 3;
  all[7].puts_before_failure = 2;
  all[8].name = "narrow_window";
  all[8].settings.unexpected_limit = 4096;
  all[8].refuse_percent = 20;
  all[9].name = "either_way";
  all[9].get = true;
  all[9].get_tried = 100;
  all[9].get_threshold = 400;
  all[9].refuse_percent = 20;
  all[9].context = 43;
  all[9].settings.trial_interval = 1;
  return all;
}

// A fixture named Suite needs: INSTANTIATE_TEST_SUITE_P(Transport, Suite,
// testing::ValuesIn(transports()), transport_name)
inline std::string transport_name(const testing::TestParamInfo<Traits>& info) {
  return info.param.name;
}

inline void PrintTo(const Traits& traits, std::ostream* out) {
  *out << traits.name;
}

inline const std::size_t kSizes[] = {0, 1, 8, 39, 40, 41, 511, 512, 513, 4096, 20'000, 100'001};

}  // namespace tessera::test
