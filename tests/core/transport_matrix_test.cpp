// SPDX-License-Identifier: BSD-3-Clause
// The compressed matrix of transports.
#include "core/transport/transport_matrix.h"

#include <gtest/gtest.h>

#include <functional>

namespace tessera {
namespace {

TransportMatrix make(std::uint32_t ranks,
                     const std::function<std::string(std::uint32_t, std::uint32_t)>& way) {
  std::vector<std::string> names;
  for (std::uint32_t from = 0; from < ranks; ++from) {
    for (std::uint32_t to = 0; to < ranks; ++to)
      names.push_back(from == to ? "self" : way(from, to));
  }
  return {ranks, names};
}

TEST(Ranges, ContractRunsOfRanks) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({3}), "3");
  EXPECT_EQ(ranges({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(TransportMatrix, OneMachineIsOneClass) {
  const TransportMatrix matrix = make(4, [](auto, auto) { return "sm"; });
  ASSERT_EQ(matrix.classes().size(), 1u);
  EXPECT_EQ(matrix.use_of("sm"), "among 0-3");
  EXPECT_EQ(matrix.use_of("self"), "each of 0-3 to itself");
  EXPECT_EQ(matrix.use_of("tcp"), "");
}

TEST(TransportMatrix, TwoMachinesWithRanksByTurns) {
  const TransportMatrix matrix =
      make(6, [](auto from, auto to) { return from % 2 == to % 2 ? "sm" : "tcp"; });
  ASSERT_EQ(matrix.classes().size(), 2u);
  EXPECT_EQ(matrix.use_of("sm"), "among 0,2,4; among 1,3,5");
  EXPECT_EQ(matrix.use_of("tcp"), "from 0,2,4 to 1,3,5; from 1,3,5 to 0,2,4");
  EXPECT_EQ(matrix.text(),
            "  from\\to    0,2,4 1,3,5\n"
            "  0,2,4      sm    tcp  \n"
            "  1,3,5      tcp   sm   \n");
}

TEST(TransportMatrix, DirectionsMayDiffer) {
  const TransportMatrix matrix =
      make(3, [](auto from, auto to) { return from == 0 && to == 2 ? "tcp" : "sm"; });
  EXPECT_EQ(matrix.classes().size(), 3u);
  EXPECT_EQ(matrix.use_of("tcp"), "from 0 to 2");
}

TEST(TransportMatrix, NoWayIsShown) {
  const TransportMatrix matrix = make(2, [](auto, auto) { return ""; });
  EXPECT_NE(matrix.text().find(" - "), std::string::npos);
}

TEST(TransportMatrix, AProcessAlone) {
  const TransportMatrix matrix = make(1, [](auto, auto) { return ""; });
  EXPECT_EQ(matrix.text(),
            "  from\\to   0   \n"
            "  0         self\n");
}

}  // namespace
}  // namespace tessera
