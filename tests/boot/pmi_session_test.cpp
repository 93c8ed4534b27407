// SPDX-License-Identifier: BSD-3-Clause
// A PMI-1 session against a server that answers rightly, wrongly, or not at all.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>

#include "components/boot/pmi/session.h"

namespace tessera::boot::pmi {
namespace {

using Answers = std::map<std::string, std::string>;  // by command

// Answers each command from a table, and keeps what is put; an empty answer closes the connection.
class Server {
 public:
  explicit Server(Answers answers) : answers_(std::move(answers)) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client = ends[0];
    thread_ = std::thread([this, socket = ends[1]] { serve(socket); });
  }
  ~Server() { thread_.join(); }
  int client;
  std::vector<std::string> heard;

 private:
  void serve(int socket) {
    {
      Wire wire(socket);
      while (true) {
        auto line = wire.receive();
        if (!line.ok()) return;
        heard.push_back(line->text());
        if (line->command().empty() && line->text() != "endcmd") continue;  // of several lines
        const std::string answer = answer_to(*line);
        if (answer.empty() || !wire.send(answer)) return;
      }
    }
  }
  std::string answer_to(const Line& line) {
    const std::string command(line.command().empty() ? line.text() : line.command());
    if (const auto own = answers_.find(command); own != answers_.end()) return own->second;
    if (command == "put") {
      store_[std::string(line.value("key").value_or(""))] = line.value("value").value_or("");
      return "cmd=put_result rc=0 msg=success";
    }
    if (command != "get") return {};
    const auto found = store_.find(std::string(line.value("key").value_or("")));
    return found == store_.end() ? "cmd=get_result rc=-1 msg=no value=unknown"
                                 : "cmd=get_result rc=0 msg=success value=" + found->second;
  }
  Answers answers_;
  std::map<std::string, std::string> store_{{"PMI_process_mapping", "(vector,(0,2,1))"}};
  std::thread thread_;
};

Answers usual() {
  return {{"init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"},
          {"get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"},
          {"get_my_kvsname", "cmd=my_kvsname kvsname=kvs_7"},
          {"get_appnum", "cmd=appnum appnum=1"},
          {"get_universe_size", "cmd=universe_size size=-1"},
          {"barrier_in", "cmd=barrier_out"},
          {"finalize", "cmd=finalize_ack"}};
}

Result<std::unique_ptr<Session>> open(Server& server) {
  return PmiSession::open(std::make_unique<Wire>(server.client), 1, 2);
}

TEST(PmiSession, TellsThePlace) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok()) << session.status().text();
  const Place& place = (*session)->place();
  EXPECT_EQ(place.rank, 1u);
  EXPECT_EQ(place.nodes, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(place.job, "kvs_7");
  EXPECT_TRUE((*session)->finalize().ok());
  EXPECT_TRUE((*session)->finalize().ok());
}

std::vector<std::string> commands(const Server& server) {
  std::vector<std::string> list;
  for (const std::string& line : server.heard) list.emplace_back(Line(line).command());
  return list;
}

// Each command is a round trip: most processes need few.
TEST(PmiSession, AsksForNothingBeforeItIsNeeded) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(commands(server), (std::vector<std::string>{"init", "get_my_kvsname", "get"}));
  server.heard.clear();
  ASSERT_TRUE((*session)->put("node", std::vector<std::byte>(10)).ok());
  ASSERT_TRUE((*session)->get(1, "node").ok());
  EXPECT_EQ(commands(server), (std::vector<std::string>{"get_maxes", "put", "get"}));
  EXPECT_EQ((*session)->app_number(), 1u);
  EXPECT_EQ((*session)->universe(), std::nullopt);
  ASSERT_TRUE((*session)->finalize().ok());
  EXPECT_EQ((*session)->app_number(), 0u);
}

TEST(PmiSession, UselessLimitsAreToldWithTheFirstValue) {
  for (const char* const limits : {"cmd=maxes keylen_max=5 vallen_max=5", "cmd=maxes"}) {
    Answers answers = usual();
    answers["get_maxes"] = limits;
    Server server(answers);
    auto session = open(server);
    ASSERT_TRUE(session.ok());
    const std::string put = (*session)->put("node", {}).text();
    EXPECT_NE(put.find("usable limits"), std::string::npos) << put;
    const std::string got = (*session)->get(0, "node").status().text();
    EXPECT_NE(got.find("usable limits"), std::string::npos) << got;
  }
}

TEST(PmiSession, LongValuesTravelInPieces) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  std::vector<std::byte> value(5000);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::byte>(i * 7);
  ASSERT_TRUE((*session)->put("node", value).ok());
  ASSERT_TRUE((*session)->fence().ok());
  auto back = (*session)->get(1, "node");
  ASSERT_TRUE(back.ok()) << back.status().text();
  EXPECT_EQ(*back, value);
  EXPECT_EQ((*session)->get(0, "node").status().code(), Errc::not_found);
  ASSERT_TRUE((*session)->finalize().ok());
  for (const std::string& line : server.heard) EXPECT_LE(line.size(), Wire::kLineBytes);
}

// One answer at a time goes wrong.
struct Wrong {
  const char* command;
  const char* answer;
  const char* told;
};
class PmiServerErrors : public testing::TestWithParam<Wrong> {};

TEST_P(PmiServerErrors, AreToldAndDoNotHang) {
  Answers answers = usual();
  answers[GetParam().command] = GetParam().answer;
  Server server(answers);
  const auto session = open(server);
  ASSERT_FALSE(session.ok());
  EXPECT_NE(std::string(session.status().text()).find(GetParam().told), std::string::npos)
      << session.status().text();
}

INSTANTIATE_TEST_SUITE_P(
    All, PmiServerErrors,
    testing::Values(Wrong{"init", "", "is gone"},
                    Wrong{"init", "cmd=response_to_init rc=-1", "does not speak PMI-2, nor PMI-1"},
                    Wrong{"init", "HTTP/1.1 400 Bad Request", "answered 'HTTP"},
                    Wrong{"get_my_kvsname", "cmd=my_kvsname kvsname=", "name of its store"},
                    Wrong{"get", "cmd=get_result rc=0 value=(vector,(0,0,0))", "no nodes"},
                    Wrong{"get", "cmd=get_result rc=-1 value=unknown", "has no"}));

TEST(PmiSession, AServerThatDiesLaterIsAnError) {
  Answers answers = usual();
  answers["barrier_in"] = "";
  Server server(answers);
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ((*session)->fence().code(), Errc::system);
}

TEST(PmiSession, AnAnswerOutOfStepIsAnError) {
  Answers answers = usual();
  Server server(answers);
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->put("node", std::vector<std::byte>(10)).ok());
  Wire(dup(server.client)).send("cmd=put kvsname=kvs_7 key=1.node.0 value=0000000adead").ok();
  // The answer to that line comes first.
  EXPECT_FALSE((*session)->get(1, "node").ok());
}

Program program() {
  Program one;
  one.path = "/bin/a b";
  one.arguments = {"", "two\nlines", "$HOME \"quoted\" back\\slash"};
  one.environment = {"TESSERA_PARENT=somewhere"};
  one.directory = "/tmp";
  one.host = "near";
  one.processes = 3;
  return one;
}

// Bytes that lines do not carry travel as env -S reads them.
TEST(PmiSession, AnOrderIsOneCommandForEachProgram) {
  Answers answers = usual();
  answers["endcmd"] = "cmd=spawn_result rc=0";
  Server server(answers);
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE((*session)->spawn(std::vector<Program>{program()}).ok());
  ASSERT_TRUE((*session)->finalize().ok());
  const std::vector<std::string> order = {
      "mcmd=spawn",
      "nprocs=3",
      "execname=/usr/bin/env",
      "totspawns=1",
      "spawnssofar=1",
      R"(arg1=-S-C "/tmp" "TESSERA_PARENT=somewhere" "/bin/a b" "" "two\nlines" "\$HOME \"quoted\" back\\slash")",
      "argcnt=1",
      "preput_num=0",
      "info_num=1",
      "info_key_0=host",
      "info_val_0=near",
      "endcmd"};
  const auto begin = std::find(server.heard.begin(), server.heard.end(), "mcmd=spawn");
  ASSERT_GE(server.heard.end() - begin, static_cast<std::ptrdiff_t>(order.size()));
  EXPECT_EQ(std::vector<std::string>(begin, begin + static_cast<std::ptrdiff_t>(order.size())),
            order);
}

TEST(PmiSession, ARefusedOrderIsAnError) {
  Answers answers = usual();
  answers["endcmd"] = "cmd=spawn_result rc=-1";
  Server server(answers);
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  EXPECT_FALSE((*session)->spawn(std::vector<Program>{program()}).ok());
}

TEST(PmiSession, AnOrderThatIsTooLongIsNotSent) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  Program wordy = program();
  wordy.arguments.emplace_back(70'000, 'x');
  EXPECT_EQ((*session)->spawn(std::vector<Program>{program(), wordy}).code(), Errc::refused);
  ASSERT_TRUE((*session)->finalize().ok());
  EXPECT_EQ(std::count(server.heard.begin(), server.heard.end(), "mcmd=spawn"), 0);
}

}  // namespace
}  // namespace tessera::boot::pmi
