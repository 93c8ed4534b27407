// SPDX-License-Identifier: BSD-3-Clause
// Jobs across hosts, without any: lists of hosts, what the environment says, which engine, and its
// command line.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "launcher/across/environment.h"
#include "launcher/across/names.h"
#include "launcher/across/plan.h"
#include "launcher/across/silence.h"
#include "shares_text.h"

namespace tessera::launcher::across {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

Look look_at(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
}

Find only(const Words& programs) {
  return [programs](const std::string& name) {
    for (const std::string& program : programs)
      if (program == name) return "/bin/" + name;
    return std::string();
  };
}

TEST(Names, RangesAreWrittenOut) {
  EXPECT_EQ(expand_hosts("a,b:2").value(), (Words{"a", "b:2"}));
  EXPECT_EQ(expand_hosts("node[08-10]:4").value(), (Words{"node08:4", "node09:4", "node10:4"}));
  EXPECT_EQ(expand_hosts("n[1,3-4]-ib, x").value(), (Words{"n1-ib", "n3-ib", "n4-ib", "x"}));
  EXPECT_EQ(expand_hosts("r[1-2]n[1-2]").value(), (Words{"r1n1", "r1n2", "r2n1", "r2n2"}));
  EXPECT_EQ(expand_hosts("[fe80::1]").value(), (Words{"[fe80::1]"}));
  EXPECT_EQ(expand_hosts(",,").value(), Words{});
}

TEST(Names, WrongRangesAreNamed) {
  for (const char* list : {"n[1-", "n[4-2]", "n[1--2]", "n[-3]", "n[1,]", "n[1-999999999]"})
    EXPECT_FALSE(expand_hosts(list).ok()) << list;
}

TEST(Names, CountsOfSlurm) {
  EXPECT_EQ(expand_counts("2(x3),1").value(), (std::vector<std::uint32_t>{2, 2, 2, 1}));
  for (const char* list : {"", "2(x", "2(x)", "a", "2(x3", "2(x9999999)"})
    EXPECT_FALSE(expand_counts(list).ok()) << list;
}

TEST(Hosts, ListsAndFilesOfBothDialects) {
  const std::string path = testing::TempDir() + "across_test_hosts";
  std::ofstream(path) << "# all\n\nn1 slots=2 max_slots=3 # two\nn2:4\nn[3-4]\tslots = 2\nn1\n";
  CommandLine line;
  line.host_files = {path};
  const auto list = read_hosts(line).value();
  ASSERT_EQ(list.hosts.size(), 4u);
  EXPECT_EQ(list.hosts[0].slots, 3u);
  EXPECT_EQ(list.hosts[0].most, 3u);
  EXPECT_EQ(list.hosts[1].slots, 4u);
  EXPECT_EQ(list.slots(), 11u);
  EXPECT_TRUE(list.stated);
  for (const char* text : {"n1 slots=none", "n1 user=joe", "n1:x", "n[2-1]"}) {
    std::ofstream(path) << "n0\n" << text << "\n";
    const auto wrong = read_hosts(line);
    ASSERT_FALSE(wrong.ok()) << text;
    EXPECT_NE(std::string(wrong.status().text()).find(":2: "), std::string::npos) << text;
  }
  std::remove(path.c_str());
}

TEST(Hosts, NamedOftenIsManySlots) {
  CommandLine line;
  line.hosts = {"a,b,a", "b:3"};
  const auto list = read_hosts(line).value();
  ASSERT_EQ(list.hosts.size(), 2u);
  EXPECT_EQ(list.hosts[0].slots, 2u);
  EXPECT_EQ(list.hosts[1].slots, 4u);
}

TEST(HandOut, FillsHostsInTheirOrder) {
  HostList list;
  list.hosts = {{"a", 2, 0}, {"b", 1, 0}, {"c", 2, 0}};
  EXPECT_EQ(shares_text(hand_out(list, 3, 0, true).value()), "a:2 b:1 ");
  EXPECT_EQ(shares_text(hand_out(list, 7, 0, false).value()), "a:4 b:1 c:2 ");
  EXPECT_EQ(shares_text(hand_out(list, 3, 1, true).value()), "a:1 b:1 c:1 ");
  EXPECT_EQ(shares_text(hand_out(list, 4, 1, true).value()), "a:2 b:1 c:1 ");
  const auto refused = hand_out(list, 6, 0, true);
  ASSERT_FALSE(refused.ok());
  EXPECT_STREQ(refused.status().text(),
               "6 ranks, but a,b,c have 5 slots: give more (HOST:N, slots=N), fewer ranks (-n), or "
               "--oversubscribe");
}

TEST(HandOut, MaxSlotsIsKeptWhateverIsSaid) {
  HostList list;
  list.hosts = {{"a", 1, 2}, {"b", 1, 1}};
  EXPECT_EQ(shares_text(hand_out(list, 3, 0, false).value()), "a:2 b:1 ");
  EXPECT_FALSE(hand_out(list, 4, 0, false).ok());
}

TEST(Surroundings, AnAllocationHasHostsAndTasks) {
  const Variables variables = {
      {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "2(x2),1"}};
  const auto around = look_around(look_at(variables)).value();
  ASSERT_TRUE(around.allocation);
  EXPECT_EQ(around.allocation->hosts, (Words{"n1", "n2", "n3"}));
  EXPECT_EQ(around.allocation->tasks, 5u);
  Variables bad = variables;
  bad["SLURM_TASKS_PER_NODE"] = "many";
  EXPECT_FALSE(look_around(look_at(bad)).ok());
}

TEST(Surroundings, OneOfSeveralTasksHasNoAllocation) {
  Variables variables = {{"SLURM_JOB_ID", "7"},
                         {"SLURM_JOB_NODELIST", "n[1-3]"},
                         {"SLURM_STEP_NUM_TASKS", "2"},
                         {"SLURM_PROCID", "0"}};
  const auto around = look_around(look_at(variables)).value();
  ASSERT_TRUE(around.nested);
  EXPECT_TRUE(around.nested->first);
  EXPECT_FALSE(around.allocation);
  variables["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_TRUE(look_around(look_at(variables)).value().allocation);
}

TEST(Plan, HostsThatAreThisMachineNeedNoEngine) {
  CommandLine line;
  line.apps.emplace_back();
  line.hosts = {"localhost:3", "127.0.0.1"};
  const auto plan = plan_job(line, look_at({}), only({})).value();
  EXPECT_FALSE(plan.engine);
  EXPECT_EQ(plan.ranks, 4u);
}

TEST(Plan, OtherHostsNeedOne) {
  CommandLine line;
  line.apps.emplace_back();
  line.hosts = {"localhost", "elsewhere:2"};
  const auto none = plan_job(line, look_at({}), only({"srun"}));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Errc::not_found);
  for (const char* word : {"elsewhere", "mpiexec.hydra", "prterun", "mpirun.openmpi", "mpich"})
    EXPECT_NE(std::string(none.status().text()).find(word), std::string::npos) << word;
  const auto plan = plan_job(line, look_at({}), only({"prterun", "mpirun.openmpi"})).value();
  ASSERT_TRUE(plan.engine);
  EXPECT_EQ(plan.engine->kind, Kind::prte);
  EXPECT_EQ(shares_text(plan.shares), "localhost:1 elsewhere:2 ");
  line.launcher = "openmpi";
  EXPECT_EQ(plan_job(line, look_at({}), only({"prterun", "orterun"})).value().engine->path,
            "/bin/orterun");
  line.launcher = "fork";
  EXPECT_FALSE(plan_job(line, look_at({}), only({"prterun"})).ok());
}

TEST(Plan, AnAllocationIsSruns) {
  const Variables variables = {
      {"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "3,1"}};
  CommandLine line;
  line.apps.emplace_back();
  const auto plan = plan_job(line, look_at(variables), only({"srun", "mpiexec.hydra"})).value();
  ASSERT_TRUE(plan.engine);
  EXPECT_EQ(plan.engine->kind, Kind::slurm);
  EXPECT_EQ(plan.ranks, 4u);
  EXPECT_TRUE(plan.carried);
  ASSERT_EQ(plan.shares.size(), 2u);
  EXPECT_EQ(plan.shares[0].ranks, 3u);
  EXPECT_EQ(plan.shares[1].ranks, 1u);
}

TEST(Plan, InTurnAsFarAsSlotsPermit) {
  CommandLine line;
  line.apps.emplace_back().ranks = 3;
  line.hosts = {"far1:2,far2:2"};
  line.placement.mapping = Mapping::slot;
  line.placement.map_level = Level::machine;
  const auto plan = plan_job(line, look_at({}), only({"mpiexec.hydra"})).value();
  ASSERT_EQ(plan.shares.size(), 2u);
  EXPECT_EQ(plan.shares[0].ranks, 2u);
  EXPECT_EQ(plan.shares[1].ranks, 1u);
  line.apps.front().ranks = 4;
  line.hosts = {"far1:3,far2:1"};
  const auto uneven = plan_job(line, look_at({}), only({"mpiexec.hydra"})).value();
  EXPECT_EQ(uneven.shares[0].ranks, 3u);
}

TEST(Plan, CarriersWhereSharesAreKnown) {
  for (const auto& [launcher, program] :
       {std::pair("hydra", "mpiexec.hydra"), std::pair("prte", "prterun"),
        std::pair("openmpi", "mpirun.openmpi")}) {
    CommandLine line;
    line.apps.emplace_back().ranks = 2;
    line.launcher = launcher;
    EXPECT_FALSE(plan_job(line, look_at({}), only({program})).value().carried);
    line.hosts = {"far1,far2"};
    EXPECT_TRUE(plan_job(line, look_at({}), only({program})).value().carried);
  }
}

TEST(Plan, OptionsOfOneMachineAreRefusedByName) {
  CommandLine line;
  line.apps.emplace_back();
  line.launcher = "openmpi";
  const auto text = [](const CommandLine& asked) {
    auto plan = plan_job(asked, look_at({}), only({"mpirun.openmpi"}));
    return std::string(plan.ok() ? "" : plan.status().text());
  };
  const auto text_of_carried = [&](CommandLine asked) {
    asked.hosts = {"elsewhere"};
    return text(asked);
  };
  EXPECT_EQ(text(line), "");
  CommandLine recovers = line, stops = line, files = line, bound = line, mapped = line;
  recovers.recovers = true;
  stops.on_hang = OnHang::stop;
  files.output.directory = "out";
  bound.placement.cpu_set = {0};
  mapped.placement.mapping = Mapping::ppr;
  mapped.placement.map_level = Level::core;
  EXPECT_NE(text(recovers).find("--enable-recovery"), std::string::npos);
  EXPECT_NE(text(stops).find("--on-hang"), std::string::npos);
  EXPECT_NE(text(files).find("--output"), std::string::npos);
  EXPECT_NE(text(bound).find("--cpu-set"), std::string::npos);
  EXPECT_NE(text(mapped).find("--map-by"), std::string::npos);
  EXPECT_NE(text_of_carried(recovers).find("--enable-recovery"), std::string::npos);
  EXPECT_NE(text_of_carried(stops).find("--on-hang"), std::string::npos);
  for (const CommandLine& carried : {files, bound, mapped}) EXPECT_EQ(text_of_carried(carried), "");
}

TEST(Plan, SeveralMpiexecOfAnEngineSaySo) {
  const Variables variables = {{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}};
  CommandLine line;
  line.apps.emplace_back();
  const auto plan = plan_job(line, look_at(variables), only({"mpiexec.hydra"})).value();
  EXPECT_FALSE(plan.engine);
  EXPECT_NE(plan.warning.find("3 times"), std::string::npos);
}

TEST(Wish, EnginesWaysAndSlips) {
  EXPECT_TRUE(wish_of("mpich").value().engine_named);
  EXPECT_EQ(wish_of("rsh").value().way, "rsh");
  EXPECT_TRUE(wish_of("fork").value().here);
  const auto slip = wish_of("hidra");
  ASSERT_FALSE(slip.ok());
  EXPECT_NE(std::string(slip.status().text()).find("'hydra'?"), std::string::npos);
}

Request two_hosts() {
  Request request;
  request.shares = {{"a", 2}, {"b", 2}};
  request.parts = {{4, {"env", "./app", "x y"}}};
  return request;
}

TEST(Command, Hydra) {
  Request request = two_hosts();
  request.agent = "/bin/rsh";
  request.tagged = true;
  const Words words = command_of({Kind::hydra, "/bin/hydra", ""}, request);
  EXPECT_EQ(quoted(words),
            "/bin/hydra -launcher ssh -launcher-exec /bin/rsh -hosts a:2,b:2 -prepend-rank -n 4 "
            "/bin/sh -c '[ \"$PMI_RANK\" = 0 ] || exec </dev/null; exec \"$0\" \"$@\"' env ./app "
            "'x y'");
}

TEST(Command, SeveralProgramsUnderOpenMpi) {
  Request request = two_hosts();
  request.parts = {{1, {"env", "./a"}}, {3, {"env", "./b"}}};
  request.exports = {"PATH"};
  request.root = request.oversubscribes = true;
  EXPECT_EQ(quoted(command_of({Kind::openmpi, "mpirun", "rsh"}, request)),
            "mpirun --allow-run-as-root --mca plm_rsh_agent rsh --map-by slot:OVERSUBSCRIBE "
            "--bind-to none -x PATH --host a:2,b:2 -n 1 env ./a : -x PATH --host a:2,b:2 -n 3 env "
            "./b");
}

TEST(Command, Prterun) {
  Request request = two_hosts();
  request.tagged = true;
  request.agent = "rsh";
  EXPECT_EQ(quoted(command_of({Kind::prte, "prterun", ""}, request)),
            "prterun --prtemca plm_ssh_agent rsh --map-by slot --bind-to none --output tag --host "
            "a:2,b:2 -n 4 env ./app 'x y'");
}

TEST(Silence, IsTheParameterOrItsDefault) {
  const auto said = [](const char* value) { return silence_s({{"btl_tcp_silence", value}}); };
  EXPECT_EQ(silence_s({{"btl", "tcp"}}), 20);
  EXPECT_EQ(silence_s({{"btl_tcp_silence", "5"}, {"btl_tcp_silence", "7"}}), 7);
  EXPECT_EQ(said("0"), 0);
  for (const char* value : {"", "x", "5s", "-1", "86401"}) EXPECT_EQ(said(value), 20) << value;
}

TEST(Command, EnginesThatWaitForEverLookForSilentHosts) {
  const auto settings = [](int silence_s) {
    Request request = two_hosts();
    request.silence_s = silence_s;
    const std::string words = quoted(command_of({Kind::openmpi, "mpirun", ""}, request));
    return words.substr(0, words.find(" --map-by"));
  };
  const std::string name = " --mca oob_tcp_keepalive_";
  EXPECT_EQ(settings(20), "mpirun" + name + "time 12" + name + "intvl 2" + name + "probes 3");
  EXPECT_EQ(settings(5), "mpirun" + name + "time 1" + name + "intvl 1" + name + "probes 3");
  EXPECT_EQ(settings(1), "mpirun" + name + "time 1" + name + "intvl 1" + name + "probes 3");
  EXPECT_EQ(settings(0), "mpirun");
}

TEST(Command, SrunPlacesEqualAndUnequalShares) {
  Request request = two_hosts();
  const std::string head =
      "srun -n 4 --mpi=pmi2 --overlap --kill-on-bad-exit=1 --quit-on-interrupt --export=ALL "
      "--input=0 ";
  const Engine engine{Kind::slurm, "srun", ""};
  EXPECT_EQ(quoted(command_of(engine, request)),
            head + "-N 2 --nodelist a,b --distribution plane=2 --overcommit env ./app 'x y'");
  request.shares = {{"a", 3}, {"b", 1}};
  EXPECT_EQ(quoted(command_of(engine, request)),
            head + "-N 2 --nodelist a,a,a,b --distribution arbitrary --overcommit env ./app 'x y'");
  request.shares.clear();
  EXPECT_EQ(quoted(command_of(engine, request)), head + "env ./app 'x y'");
}

TEST(Command, RanksGoInTurnAndAreBound) {
  Request request = two_hosts();
  request.in_turn = true;
  request.bind = "package";
  const std::string of_hydra = quoted(command_of({Kind::hydra, "hydra", ""}, request));
  EXPECT_EQ(of_hydra.substr(0, 49), "hydra -hosts a:1,b:1 -bind-to socket -n 4 /bin/sh");
  const std::string of_open_mpi = quoted(command_of({Kind::openmpi, "mpirun", ""}, request));
  EXPECT_EQ(of_open_mpi.substr(0, 37), "mpirun --map-by node --bind-to socket");
  const std::string of_srun = quoted(command_of({Kind::slurm, "srun", ""}, request));
  EXPECT_NE(of_srun.find("--cpu-bind=sockets -N 2 --nodelist a,b --distribution cyclic"),
            std::string::npos);
}

TEST(Command, SrunLeavesProgramsToAShell) {
  Request request = two_hosts();
  request.shares.clear();
  request.parts = {{1, {"env", "it's"}}, {3, {"env", "./b"}}};
  const Words words = command_of({Kind::slurm, "srun", ""}, request);
  EXPECT_EQ(words.back(),
            "if [ \"$SLURM_PROCID\" -lt 1 ]; then exec env 'it'\\''s'; elif [ \"$SLURM_PROCID\" "
            "-lt 4 ]; then exec env ./b; fi");
}

TEST(Environment, EnvMakesTheDifferenceTrue) {
  const char* const own[] = {"PATH=/bin",     "GONE=1",    "PMI_RANK=0",
                             "TESSERA_JOB=x", "SLURM_A=1", nullptr};
  const Words engine = for_engine(own);
  EXPECT_EQ(engine, (Words{"PATH=/bin", "GONE=1", "SLURM_A=1"}));
  const char* const wanted[] = {"PATH=/bin", "NEW=a b", "PMI_RANK=0", nullptr};
  EXPECT_EQ(words_of_env("/d", engine, wanted, {"TESSERA_MCA_btl=tcp"}),
            (Words{"/usr/bin/env", "-C", "/d", "-u", "GONE", "NEW=a b", "TESSERA_MCA_btl=tcp"}));
  EXPECT_EQ(names_to_export(engine, wanted), Words{"PATH"});
}

}  // namespace
}  // namespace tessera::launcher::across
