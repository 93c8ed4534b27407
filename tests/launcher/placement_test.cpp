// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which CPUs: on machines that hwloc makes up, so that it holds on any.
#include <gtest/gtest.h>

#include "launcher/placement/picture.h"
#include "launcher/placement/plan.h"
#include "launcher/placement/slot_list.h"

namespace tessera::launcher {
namespace {

// 2 packages of 2 L3 caches of 2 cores of 2 hwthreads; a memory node for each package.
constexpr const char* kLarge = "pack:2 [numa] l3:2 core:2 pu:2";
constexpr const char* kSmall = "core:2 pu:1";

CpuMap machine(const char* description) {
  auto map = read_cpu_map(description);
  EXPECT_TRUE(map.ok()) << map.status().text();
  return map.ok() ? std::move(map).value() : CpuMap{};
}

struct Options {
  std::string map{}, bind{}, rank{}, set{};
  Dialect dialect = Dialect::open_mpi;
  bool hwthreads = false;
};

PlacementRequest request_of(const Options& options) {
  PlacementRequest request;
  request.hwthreads = options.hwthreads;
  if (!options.map.empty()) {
    const Status status = read_map_by(request, options.map, options.dialect);
    EXPECT_TRUE(status.ok()) << status.text();
  }
  if (!options.bind.empty()) {
    const Status status = read_bind_to(request, options.bind);
    EXPECT_TRUE(status.ok()) << status.text();
  }
  if (!options.rank.empty()) {
    EXPECT_TRUE(read_rank_by(request, options.rank).ok());
  }
  if (!options.set.empty()) {
    EXPECT_TRUE(read_cpu_set(request, options.set).ok());
  }
  return request;
}

// The pictures of all ranks, one line each; or the error; and then the notes.
std::string plan(const char* description, const Options& options, std::uint32_t ranks) {
  const CpuMap map = machine(description);
  auto plan = plan_placement(map, request_of(options), ranks);
  if (!plan.ok()) return std::string("error: ") + plan.status().text();
  std::string text;
  for (const RankPlace& place : plan.value().places)
    text += (place.cpus.empty() ? "unbound" : draw(map, place)) + "\n";
  for (const std::string& note : plan.value().notes) text += "note: " + note + "\n";
  return text;
}

std::string error_of(Status (*read)(PlacementRequest&, std::string_view), const char* text) {
  PlacementRequest request;
  const Status status = read(request, text);
  return status.ok() ? "fine" : status.text();
}

TEST(PlacementMap, KnowsWhereEachCpuLies) {
  const CpuMap map = machine(kLarge);
  ASSERT_EQ(map.cpus.size(), 16u);
  EXPECT_FALSE(map.this_machine);
  EXPECT_EQ(map.cpus[13].object(Level::package), 1);
  EXPECT_EQ(map.cpus[13].object(Level::numa), 1);
  EXPECT_EQ(map.cpus[13].object(Level::l3), 3);
  EXPECT_EQ(map.cpus[13].object(Level::core), 6);
  EXPECT_EQ(map.cpus[13].object(Level::hwthread), 13);
  EXPECT_FALSE(map.has(Level::l2));
  EXPECT_FALSE(read_cpu_map("nonsense:x").ok());
}

TEST(PlacementMap, OfThisMachine) {
  const auto map = read_cpu_map();
  ASSERT_TRUE(map.ok()) << map.status().text();
  ASSERT_FALSE(map.value().cpus.empty());
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  for (const Cpu& cpu : map.value().cpus) EXPECT_TRUE(CPU_ISSET(cpu.number, &mask));
}

TEST(Placement, BindsToCoresOneAfterTheOther) {
  EXPECT_EQ(plan(kLarge, {.bind = "core"}, 3),
            "[BB/..|../..][../..|../..]\n[../BB|../..][../..|../..]\n[../..|BB/..][../..|../..]\n");
}

TEST(Placement, BindsToHwthreads) {
  EXPECT_EQ(plan(kLarge, {.bind = "hwthread"}, 2),
            "[B./..|../..][../..|../..]\n[.B/..|../..][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.map = "core", .bind = "hwthread"}, 2),
            "[B./..|../..][../..|../..]\n[../B.|../..][../..|../..]\n");
}

TEST(Placement, BindsToPackagesAndCachesInTurn) {
  const std::string packages = "[BB/BB|BB/BB][../..|../..]\n[../..|../..][BB/BB|BB/BB]\n";
  EXPECT_EQ(plan(kLarge, {.bind = "package"}, 2), packages);
  EXPECT_EQ(plan(kLarge, {.bind = "socket"}, 2), packages);
  EXPECT_EQ(plan(kLarge, {.bind = "numa"}, 2), packages);
  EXPECT_EQ(plan(kLarge, {.map = "package"}, 2), packages);
  EXPECT_EQ(plan(kLarge, {.bind = "l3cache"}, 2),
            "[BB/BB|../..][../..|../..]\n[../..|BB/BB][../..|../..]\n");
}

TEST(Placement, MapsToPackagesAndBindsToCores) {
  EXPECT_EQ(plan(kLarge, {.map = "package", .bind = "core"}, 4),
            "[BB/..|../..][../..|../..]\n[../..|../..][BB/..|../..]\n"
            "[../BB|../..][../..|../..]\n[../..|../..][../BB|../..]\n");
  EXPECT_EQ(plan(kLarge, {.map = "package:span", .bind = "core", .rank = "fill"}, 4),
            "[BB/..|../..][../..|../..]\n[../BB|../..][../..|../..]\n"
            "[../..|../..][BB/..|../..]\n[../..|../..][../BB|../..]\n");
}

TEST(Placement, RanksByObjects) {
  EXPECT_EQ(plan(kLarge, {.map = "core", .rank = "l3cache"}, 4),
            "[BB/..|../..][../..|../..]\n[../..|BB/..][../..|../..]\n"
            "[../BB|../..][../..|../..]\n[../..|../BB][../..|../..]\n");
}

TEST(Placement, GivesSeveralCoresToARank) {
  const std::string pairs = "[BB/BB|../..][../..|../..]\n[../..|BB/BB][../..|../..]\n";
  EXPECT_EQ(plan(kLarge, {.map = "slot:pe=2"}, 2), pairs);
  EXPECT_EQ(plan(kLarge, {.map = ":PE=2"}, 2), pairs);
  EXPECT_EQ(plan(kLarge, {.bind = "core:2"}, 2), pairs);
  EXPECT_EQ(plan(kLarge, {.map = "package:pe=2", .bind = "core"}, 2),
            "[BB/BB|../..][../..|../..]\n[../..|../..][BB/BB|../..]\n");
  EXPECT_EQ(plan(kLarge, {.map = "slot:pe=2", .hwthreads = true}, 2),
            "[BB/..|../..][../..|../..]\n[../BB|../..][../..|../..]\n");
}

TEST(Placement, PutsSoManyOnEachResource) {
  EXPECT_EQ(plan(kLarge, {.map = "ppr:2:package", .bind = "core"}, 3),
            "[BB/..|../..][../..|../..]\n[../BB|../..][../..|../..]\n[../..|../..][BB/..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.map = "ppr:1:l3cache:pe=2"}, 2),
            "[BB/BB|../..][../..|../..]\n[../..|BB/BB][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.map = "ppr:2:node"}, 2), "unbound\nunbound\n");
  EXPECT_EQ(plan(kLarge, {.map = "ppr:1:node"}, 2),
            "error: ppr:1:node makes room for 1 rank on this machine, and 2 are to be started");
}

TEST(Placement, SaysHowManyRanksThereAre) {
  const CpuMap map = machine(kLarge);
  EXPECT_EQ(ranks_of_placement(map, request_of({.map = "ppr:2:package"})), 4u);
  EXPECT_EQ(ranks_of_placement(map, request_of({.map = "ppr:3:node"})), 3u);
  EXPECT_EQ(ranks_of_placement(map, request_of({.map = "ppr:1:core"})), 8u);
  EXPECT_EQ(ranks_of_placement(map, request_of({.map = "slot:pe=4"})), 2u);
  EXPECT_EQ(ranks_of_placement(map, request_of({.set = "0-2"})), 3u);
  EXPECT_EQ(ranks_of_placement(map, request_of({.map = "core"})), 0u);
}

TEST(Placement, WrapsAndSaysSo) {
  EXPECT_EQ(plan(kSmall, {.bind = "core"}, 3),
            "[B/.]\n[./B]\n[B/.]\n"
            "note: 3 ranks share 2 cores: some are bound to the same one "
            "(--bind-to :overload-allowed: that is meant)\n");
  EXPECT_EQ(plan(kSmall, {.bind = "core:overload-allowed"}, 3), "[B/.]\n[./B]\n[B/.]\n");
  EXPECT_EQ(plan(kSmall, {.map = "slot:pe=4"}, 1),
            "[B/B]\nnote: a rank is to have 4 cores, and where ranks are mapped there are fewer: "
            "it gets all of them\n");
}

TEST(Placement, ObjectsThatHaveRoomAreNotShared) {
  EXPECT_EQ(plan(kLarge, {.bind = "package"}, 3),
            "[BB/BB|BB/BB][../..|../..]\n[../..|../..][BB/BB|BB/BB]\n"
            "[BB/BB|BB/BB][../..|../..]\n");
}

TEST(Placement, BindsNobodyUnaskedWhereThereAreTooFewCpus) {
  const std::string note = std::string("note: ") + kNotBound + "\n";
  EXPECT_EQ(plan(kSmall, {.map = "core"}, 3), "unbound\nunbound\nunbound\n" + note);
  EXPECT_EQ(plan(kSmall, {.rank = "core"}, 2), "unbound\nunbound\n" + note);
  EXPECT_EQ(plan(kSmall, {.map = "core", .bind = "none"}, 2), "unbound\nunbound\n");
  EXPECT_EQ(plan(kSmall, {.map = "core"}, 2), "[B/.]\n[./B]\n");
}

TEST(Placement, RefusesToShareWhenAsked) {
  EXPECT_EQ(plan(kSmall, {.map = "core:nooversubscribe"}, 3),
            "error: 3 ranks of 1 core each do not fit on 2 cores, and nooversubscribe forbids to "
            "share them");
  EXPECT_EQ(plan(kSmall, {.map = ":nooversubscribe"}, 2), "unbound\nunbound\n");
}

TEST(Placement, StaysInsideACpuSet) {
  EXPECT_EQ(plan(kLarge, {.set = "6,1"}, 1), "[../BB|../..][../..|BB/..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "core", .set = "6,1"}, 2),
            "[../..|../..][../..|BB/..]\n[../BB|../..][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "cpu-list:ordered", .set = "6,1"}, 2),
            "[../..|../..][../..|BB/..]\n[../BB|../..][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "package", .set = "1,6"}, 2),
            "[../BB|../..][../..|../..]\n[../..|../..][../..|BB/..]\n");
  EXPECT_EQ(plan(kSmall, {.set = "2"}, 1),
            "error: there is no core 2 for this job: it may use 2 cores (their logical numbers, "
            "from 0 to 1)");
}

TEST(Placement, UnderstandsHydra) {
  const Dialect hydra = Dialect::hydra;
  EXPECT_EQ(plan(kLarge, {.map = "socket", .dialect = hydra}, 2),
            std::string("unbound\nunbound\nnote: ") + kNotBound + "\n");
  EXPECT_EQ(plan(kLarge, {.map = "socket", .bind = "core", .dialect = hydra}, 2),
            "[BB/..|../..][../..|../..]\n[../..|../..][BB/..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "rr", .dialect = hydra}, 2),
            "[BB/..|../..][../..|../..]\n[../BB|../..][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "user:0+2,15", .dialect = hydra}, 3),
            "[B./B.|../..][../..|../..]\n[../..|../..][../..|../.B]\n"
            "[B./B.|../..][../..|../..]\n");
  EXPECT_EQ(plan(kLarge, {.bind = "l3cache:2", .dialect = hydra}, 2),
            "[BB/BB|BB/BB][../..|../..]\n[../..|../..][BB/BB|BB/BB]\n");
  EXPECT_EQ(plan(kSmall, {.bind = "user:1"}, 3), "[./B]\n[./B]\n[./B]\n");
  EXPECT_EQ(plan(kSmall, {.bind = "user:7"}, 1), "error: CPU 7 is none that this job may use");
}

TEST(Placement, NamesWhatTheMachineLacks) {
  EXPECT_EQ(plan(kSmall, {.bind = "l3cache"}, 2),
            "error: this machine shows no l3cache; it has numa, core, hwthread");
  EXPECT_EQ(plan(kSmall, {.bind = "l3cache:if-supported"}, 2), "unbound\nunbound\n");
  EXPECT_EQ(plan(kSmall, {.map = "package"}, 2),
            "error: this machine shows no package; it has numa, core, hwthread");
}

TEST(Placement, CountsCpusThatRanksShare) {
  const CpuMap map = machine(kLarge);
  const auto cpus = [&](const char* bind, std::uint32_t ranks) {
    return plan_placement(map, request_of({.bind = bind}), ranks).value().cpus_in_use();
  };
  EXPECT_EQ(cpus("core", 3), 6u);
  EXPECT_EQ(cpus("package", 2), 16u);
  EXPECT_EQ(cpus("user:0,0,4+6+8", 3), 2u);  // two on one CPU: as if there were two for three
}

// The pictures of ranks with these slots, one line each; or the error.
std::string slots(const std::vector<std::string>& texts, bool hwthreads = false,
                  bool kernel = false) {
  const CpuMap map = machine(kLarge);
  PlacementRequest request;
  request.rank_file = "f";
  request.hwthreads = hwthreads;
  request.kernel_numbers = kernel;
  for (const std::string& text : texts) request.slots_by_rank.push_back({text, 7});
  auto plan = plan_placement(map, request, static_cast<std::uint32_t>(texts.size()));
  if (!plan.ok()) return std::string("error: ") + plan.status().text();
  std::string text;
  for (const RankPlace& place : plan->places)
    text += (place.cpus.empty() ? "unbound" : draw(map, place)) + "\n";
  return text;
}

TEST(Slots, AreCoresOfTheMachineOrOfAPackage) {
  EXPECT_EQ(slots({"1", "", "0,2-3"}),
            "[../BB|../..][../..|../..]\nunbound\n[BB/..|BB/BB][../..|../..]\n");
  EXPECT_EQ(slots({"1:0-1", "1:*", "0-1:3"}),
            "[../..|../..][BB/BB|../..]\n[../..|../..][BB/BB|BB/BB]\n"
            "[../..|../BB][../..|../BB]\n");
  EXPECT_EQ(slots({"0:1;1:0", "*"}), "[../BB|../..][BB/..|../..]\n[BB/BB|BB/BB][BB/BB|BB/BB]\n");
}

TEST(Slots, AreHwthreadsOrNumbersOfTheKernel) {
  EXPECT_EQ(slots({"1", "1:0"}, true), "[.B/..|../..][../..|../..]\n[../..|../..][B./..|../..]\n");
  EXPECT_EQ(slots({"3"}, false, true), "[../BB|../..][../..|../..]\n");
}

TEST(Slots, ThatAreNotThereAreNamedWithTheirLine) {
  EXPECT_EQ(slots({"8"}), "error: f:7: there is no core 8: this job may use 8 of them");
  EXPECT_EQ(slots({"2:0"}), "error: f:7: there is no package 2: this job may use 2 of them");
  EXPECT_EQ(slots({"1:2,4"}),
            "error: f:7: there is no package 1 core 4: this job may use 4 of them");
  EXPECT_EQ(slots({"16"}, false, true),
            "error: f:7: there is no CPU 16: this job may use 16 of them");
  for (const char* text : {"", "a", "1:", ":1", "1-", "3-1", "0:1,1:2", "1;;2", "99999999"})
    EXPECT_FALSE(check_slots(text)) << text;
}

TEST(PlacementWords, NameWhatIsAllowed) {
  EXPECT_EQ(error_of(read_bind_to, "bogus"),
            "'bogus' is none of none, hwthread, core, l1cache, l2cache, l3cache, numa, package "
            "(socket), user:CPUS, cpu-list:ordered, rr");
  EXPECT_NE(error_of(read_bind_to, "sockte").find("(did you mean 'socket'?)"), std::string::npos);
  EXPECT_NE(error_of(read_bind_to, "core:overload").find("'overload' is none of overload-allowed"),
            std::string::npos);
  EXPECT_NE(error_of(read_bind_to, "user:1-").find("'1-' is no CPU"), std::string::npos);
  EXPECT_NE(error_of(read_rank_by, "bogus").find("'bogus' is none of slot, node, fill"),
            std::string::npos);
  EXPECT_NE(error_of(read_cpu_set, "3-1").find("'3-1' is no CPU"), std::string::npos);
  const auto map_by = [](PlacementRequest& request, std::string_view text) {
    return read_map_by(request, text, Dialect::open_mpi);
  };
  EXPECT_NE(error_of(map_by, "bogus").find("'bogus' is none of slot, node"), std::string::npos);
  EXPECT_NE(error_of(map_by, "core:bogus").find("'bogus' is none of pe=N"), std::string::npos);
  EXPECT_NE(error_of(map_by, "core:pe=0").find("pe='0' is not a whole number"), std::string::npos);
  EXPECT_NE(error_of(map_by, "ppr:x:node").find("ppr:N:RESOURCE begins"), std::string::npos);
  EXPECT_NE(error_of(map_by, "ppr:1:shelf").find("'shelf' is none of the resources of ppr"),
            std::string::npos);
  EXPECT_NE(error_of(map_by, "rankfile").find("'rankfile' is not rankfile:file=FILE"),
            std::string::npos);
}

TEST(PlacementWords, ARefusedValueChangesNothing) {
  PlacementRequest request;
  EXPECT_FALSE(read_bind_to(request, "core:bogus").ok());
  EXPECT_FALSE(read_map_by(request, "core:pe=2:bogus", Dialect::open_mpi).ok());
  EXPECT_FALSE(request.asked());
}

TEST(PlacementPicture, DescribesInWords) {
  const CpuMap map = machine(kLarge);
  EXPECT_EQ(describe(map, {{0, 1}}), "package 0 core 0 (cpus 0-1)");
  EXPECT_EQ(describe(map, {{2, 8, 9, 10}}), "packages 0-1 cores 1,4-5 (cpus 2,8-10)");
  EXPECT_EQ(describe(map, {}), "not bound");
}

}  // namespace
}  // namespace tessera::launcher
