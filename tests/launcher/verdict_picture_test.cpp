// SPDX-License-Identifier: BSD-3-Clause
// The picture of a verdict: that of docs/hangs.md, byte for byte, and those of strange jobs. With
// TESSERA_UPDATE_GOLDEN in the environment the picture is written instead of compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "launcher/hang/verdict.h"
#include "tessera/comm.h"

namespace tessera::launcher {
namespace {

using Kind = ReportedWait::Kind;

RankWait waiting(const char* function, std::vector<ReportedWait> waits, const char* place) {
  RankWait rank;
  rank.state = RankWait::State::waits;
  rank.function = function;
  rank.waits = std::move(waits);
  rank.comms = {{2, "MPI_COMM_WORLD", 1, 5, true, {0, 1, 2, 3, 4}}};
  rank.places = {place};
  return rank;
}

ReportedWait message(Kind kind, std::int32_t rank, std::int32_t tag) {
  ReportedWait wait{};
  wait.kind = kind;
  wait.peer = wait.rank = rank;
  wait.tag = tag;
  return wait;
}

std::string picture(const std::vector<RankWait>& ranks) {
  const WaitGraph graph(ranks);
  const auto verdict = judge(graph);
  return verdict ? as_svg(*verdict, graph) : "";
}

std::size_t count(const std::string& text, const char* part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// A circle of three, a rank that waits for any of two of them, and one that works.
std::vector<RankWait> example() {
  std::vector<RankWait> ranks{
      waiting("MPI_Recv", {message(Kind::receive, 2, 8)}, "heat.c:95 (exchange)"),
      waiting("MPI_Send", {message(Kind::send, 0, 7)}, "heat.c:81 (exchange)"),
      waiting("MPI_Sendrecv", {message(Kind::receive, 1, 7), message(Kind::send, 1, 3)},
              "heat.c:102 (exchange)"),
      waiting("MPI_Waitany", {message(Kind::receive, 0, 1), message(Kind::receive, 2, kAnyTag)},
              "heat.c:140 (main)"),
      RankWait{}};
  ranks[3].any = true;
  return ranks;
}

TEST(VerdictPicture, IsTheOneOfTheDocument) {
  const std::string svg = picture(example()), name = TESSERA_SOURCE_DIR "/docs/pictures/hang.svg";
  if (std::getenv("TESSERA_UPDATE_GOLDEN") != nullptr) std::ofstream(name) << svg;
  std::ifstream file(name);
  EXPECT_EQ(svg, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(VerdictPicture, ArrowsSayWhatIsMissing) {
  const std::string svg = picture(example());
  EXPECT_EQ(count(svg, "marker-end=\"url(#red)\""), 3u) << "the circle";
  EXPECT_EQ(count(svg, "marker-end=\"url(#grey)\""), 2u) << "what waits behind it";
  EXPECT_EQ(count(svg, "stroke-dasharray=\"6 4\""), 2u) << "for one of two";
  EXPECT_NE(svg.find("message, tag 7 and 1 more<"), std::string::npos);
  EXPECT_NE(svg.find("message, any tag<"), std::string::npos);
  EXPECT_EQ(svg.find("rank 4<"), std::string::npos) << "it works";
}

TEST(VerdictPicture, ARankThatWaitsForItselfAndOneThatHasEnded) {
  std::vector<RankWait> ranks{waiting("MPI_Ssend", {message(Kind::send, 0, 1)}, ""),
                              waiting("MPI_Recv", {message(Kind::receive, 2, 1)}, ""), RankWait{}};
  ranks[2].state = RankWait::State::gone;
  ranks[2].standing = "has ended";
  const std::string svg = picture(ranks);
  EXPECT_EQ(count(svg, "marker-end=\"url(#red)\""), 2u);
  EXPECT_NE(svg.find(">has ended<"), std::string::npos);
}

// Names come from the program.
TEST(VerdictPicture, TextIsEscaped) {
  auto ranks = example();
  ranks[0].places = {"<a&b>\x01\xff.c:1"};
  EXPECT_NE(picture(ranks).find("&lt;a&amp;b&gt;??.c:1"), std::string::npos);
}

TEST(VerdictPicture, ALargeJobIsShownInPart) {
  std::vector<RankWait> ranks;
  for (std::int32_t i = 0; i < 1000; ++i)
    ranks.push_back(waiting("MPI_Recv", {message(Kind::receive, i == 0 ? 1 : i - 1, 0)}, ""));
  const std::string svg = picture(ranks);
  EXPECT_EQ(count(svg, " rx=\"6\""), 40u);
  EXPECT_NE(svg.find("960 further ranks cannot go on either"), std::string::npos);
}

}  // namespace
}  // namespace tessera::launcher
