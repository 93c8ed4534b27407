// SPDX-License-Identifier: BSD-3-Clause
// The first lines of --explain.
#include "core/engine/explain_summary.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

Decision call(const std::string& what, const std::string& component, const std::string& algorithm) {
  Decision decision{"coll", "which algorithm runs " + what, Shape::stacked, {}};
  decision.replies.push_back({"other", false, 0, "not used for this call", false});
  decision.replies.push_back({component, true, 10, algorithm, true});
  return decision;
}

TEST(ExplainSummary, TransportsWithWhatTheySaid) {
  const Decision opened{"btl",
                        "which",
                        Shape::ranked,
                        {{"sm", true, 50, "rings of 126 packets", true},
                         {"tcp", false, 0, "excluded", false},
                         {"self", true, 100, "", true}}};
  const Decision use{"btl",
                     "where",
                     Shape::ranked,
                     {{"self", true, 0, "each of 0-3 to itself", true},
                      {"sm", true, 0, "among 0-3", true},
                      {"tcp", true, 0, "nothing", false}}};
  EXPECT_EQ(transports_in_short(use, &opened),
            "tessera: messages between the ranks\n"
            "  self         each of 0-3 to itself\n"
            "  sm           among 0-3 (rings of 126 packets)\n");
  EXPECT_NE(transports_in_short(use, nullptr).find("  sm           among 0-3\n"),
            std::string::npos);
}

TEST(ExplainSummary, OperationsByWay) {
  const Decision decisions[] = {
      call("bcast of 4..7 bytes on MPI_COMM_WORLD", "sm", "shared segment"),
      call("barrier on MPI_COMM_WORLD", "sm", "shared segment"),
      call("allreduce of 8..15 bytes on row on top", "basic", "ring"),
      call("allreduce of 8..15 bytes on MPI_COMM_WORLD", "sm", "shared segment"),
      call("allreduce of 16..31 bytes on MPI_COMM_WORLD", "sm", "shared segment"),
      call("allreduce of 1024..2047 bytes on MPI_COMM_WORLD", "basic", "ring (rules.yaml:3)"),
      Decision{"btl", "which", Shape::ranked, {{"sm", true, 0, "", true}}},
  };
  EXPECT_EQ(
      collectives_in_short(decisions),
      "tessera: collective operations on MPI_COMM_WORLD\n"
      "  sm           shared segment: bcast, barrier, allreduce of 8..15 bytes or 16..31 bytes\n"
      "  basic        ring (rules.yaml:3): allreduce of 1024..2047 bytes\n"
      "tessera: collective operations on row on top\n"
      "  basic        ring: allreduce\n");
}

TEST(ExplainSummary, NothingWithoutCalls) {
  EXPECT_EQ(collectives_in_short({}), "");
}

TEST(ExplainSummary, LongLinesAreWrapped) {
  std::vector<Decision> decisions;
  for (int i = 0; i < 40; ++i)
    decisions.push_back(call("operation" + std::to_string(i) + " on c", "basic", "ring"));
  std::string text = collectives_in_short(decisions);
  for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
    EXPECT_LE(end, 100u);
}

}  // namespace
}  // namespace tessera
