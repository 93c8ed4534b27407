// SPDX-License-Identifier: BSD-3-Clause
// PMI-2 against a server that answers rightly, wrongly, or not at all.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "components/boot/pmi/message.h"
#include "components/boot/pmi/session.h"

namespace tessera::boot::pmi {
namespace {

using Answers = std::map<std::string, std::string>;  // by command, bytes as they are sent

std::string framed(const std::string& body) {
  const std::string length = std::to_string(body.size());
  return length + std::string(6 - length.size(), ' ') + body;
}

Answers usual() {
  return {{"init 1", "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=-1\n"},
          {"init 2", "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n"},
          {"fullinit", framed("cmd=fullinit-response;rc=0;rank=1;size=2;appnum=3;")},
          {"job-getid", framed("cmd=job-getid-response;rc=0;jobid=job_7;")},
          {"universeSize", framed("cmd=info-getjobattr-response;rc=0;found=TRUE;value=8;")},
          {"PMI_process_mapping",
           framed("cmd=info-getjobattr-response;found=TRUE;value=(vector,(0,2,1));rc=0;")},
          {"kvs-fence", framed("cmd=kvs-fence-response;rc=0;")},
          {"spawn", framed("cmd=spawn-response;rc=0;")},
          {"finalize", framed("cmd=finalize-response;rc=0;")}};
}

// Refuses PMI-1. Answers from a table and keeps what is put; an empty answer closes the connection.
class Server {
 public:
  explicit Server(Answers answers) : answers_(std::move(answers)) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client = ends[0];
    thread_ = std::thread([this, socket = ends[1]] {
      Wire wire(socket);
      if (greets(wire)) serve(wire);
    });
  }
  ~Server() { thread_.join(); }
  int client;
  std::vector<std::string> heard;

 private:
  bool send(Wire& wire, const std::string& command) {
    return !answers_[command].empty() && wire.write(answers_[command]).ok();
  }
  // True: PMI-2 follows.
  bool greets(Wire& wire) {
    while (true) {
      auto line = wire.receive();
      const bool second = line.ok() && line->number("pmi_version") == 2;
      if (!line.ok() || !send(wire, second ? "init 2" : "init 1")) return false;
      if (second) return true;
    }
  }
  void serve(Wire& wire) {
    while (serves(wire)) continue;
  }
  bool serves(Wire& wire) {
    auto request = Answer::receive(wire);
    if (!request.ok()) return false;
    heard.push_back(request->body());
    const std::string command(request->value("cmd").value_or(""));
    const std::string key(request->value("key").value_or(""));
    if (answers_.contains(command)) return send(wire, command);
    if (answers_.contains(key)) return send(wire, key);
    if (command == "kvs-put") {
      store_[key] = request->value("value").value_or("");
      return wire.write(framed("cmd=kvs-put-response;rc=0;")).ok();
    }
    const auto found = store_.find(key);
    const std::string told =
        found == store_.end() ? "found=FALSE;" : "found=TRUE;value=" + found->second + ";";
    return command == "kvs-get" && wire.write(framed("cmd=kvs-get-response;rc=0;" + told)).ok();
  }

  Answers answers_;
  std::map<std::string, std::string> store_;
  std::thread thread_;
};

Result<std::unique_ptr<Session>> open(Server& server,
                                      PmiSession::Versions versions = PmiSession::Versions::any) {
  return PmiSession::open(std::make_unique<Wire>(server.client), 1, 2, versions);
}

TEST(Pmi2, IsSpokenWherePmi1IsRefused) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok()) << session.status().text();
  const Place& place = (*session)->place();
  EXPECT_EQ(place.nodes, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(place.job, "job_7");
  EXPECT_EQ((*session)->app_number(), 3u);
  EXPECT_EQ((*session)->universe(), 8u);
  EXPECT_NE(place.engine.find("PMI-2"), std::string::npos);
  EXPECT_TRUE((*session)->finalize().ok());
  EXPECT_TRUE((*session)->finalize().ok());
}

TEST(Pmi2, OrIsAskedFor) {
  Answers answers = usual();
  answers["init 1"] = "";
  Server server(answers);
  EXPECT_TRUE(open(server, PmiSession::Versions::only_2).ok());
}

TEST(Pmi2, OrNot) {
  Server server(usual());
  const auto session = open(server, PmiSession::Versions::only_1);
  ASSERT_FALSE(session.ok());
  EXPECT_NE(std::string(session.status().text()).find("does not speak PMI-1"), std::string::npos);
}

TEST(Pmi2, LongValuesTravelInPieces) {
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
  for (const std::string& request : server.heard) EXPECT_LE(request.size(), Wire::kLineBytes);
}

// One answer at a time goes wrong.
struct Wrong {
  const char* command;
  std::string answer;
  const char* told;
};
class Pmi2ServerErrors : public testing::TestWithParam<Wrong> {};

TEST_P(Pmi2ServerErrors, AreToldAndDoNotHang) {
  Answers answers = usual();
  answers[GetParam().command] = GetParam().answer;
  Server server(answers);
  const auto session = open(server);
  ASSERT_FALSE(session.ok());
  EXPECT_NE(std::string(session.status().text()).find(GetParam().told), std::string::npos)
      << session.status().text();
}

INSTANTIATE_TEST_SUITE_P(
    All, Pmi2ServerErrors,
    testing::Values(
        Wrong{"init 2", "", "is gone"},
        Wrong{"init 2", "cmd=response_to_init rc=-1\n", "does not speak PMI-2, nor PMI-1"},
        Wrong{"fullinit", "", "is gone"}, Wrong{"fullinit", "cmd=oh no;", "no messages of PMI-2"},
        Wrong{"fullinit", "-00005", "no messages of PMI-2"},
        Wrong{"fullinit", "     0", "no messages of PMI-2"},
        Wrong{"fullinit", framed("cmd=other;rc=0;"), "answered 'cmd=other;rc=0;' to 'fullinit'"},
        Wrong{"fullinit", framed("rc=0"), "to 'fullinit'"},
        Wrong{"fullinit", framed("cmd=fullinit-response;rc=14;errmsg=no such job;"),
              "refuses 'fullinit': 'no such job'"},
        Wrong{"fullinit", framed("cmd=fullinit-response;rc=0;rank=0;"), "for another one"},
        Wrong{"job-getid", framed("cmd=job-getid-response;rc=0;"), "no name of the job"},
        Wrong{"PMI_process_mapping", framed("cmd=info-getjobattr-response;rc=0;found=FALSE;"),
              "has no 'PMI_process_mapping'"},
        Wrong{"PMI_process_mapping",
              framed("cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,0,0));"),
              "no nodes"}));

// The announced length never comes.
TEST(Pmi2, AServerThatDiesWithinAMessageIsAnError) {
  Answers answers = usual();
  answers["kvs-fence"] = "999999cmd=kvs-fence-response;";
  answers["finalize"] = "";
  Server server(answers);
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  Wire(dup(server.client)).write(Message("kvs-fence").text()).ok();
  Wire(dup(server.client)).write(Message("finalize").text()).ok();
  EXPECT_EQ((*session)->fence().code(), Errc::system);
}

Program program(const char* argument) {
  Program one;
  one.path = "/bin/a";
  one.arguments = {argument};
  one.directory = "/tmp";
  one.host = "near";
  one.processes = 3;
  return one;
}

TEST(Pmi2, OneOrderStartsAllPrograms) {
  Server server(usual());
  auto session = open(server);
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE((*session)->spawn(std::vector<Program>{program("x"), program("y")}).ok());
  EXPECT_EQ(server.heard.back(),
            "cmd=spawn;ncmds=2;preputcount=0;subcmd=/usr/bin/env;maxprocs=3;argc=1;argv0=-S-C "
            "\"/tmp\" \"/bin/a\" \"x\";infokeycount=1;infokey0=host;infoval0=near;subcmd=/usr/bin/"
            "env;maxprocs=3;argc=1;argv0=-S-C \"/tmp\" \"/bin/a\" \"y\";infokeycount=1;infokey0="
            "host;infoval0=near;");
  EXPECT_EQ((*session)->spawn(std::vector<Program>{program("a;b")}).code(), Errc::refused);
}

TEST(Pmi2Message, ASemicolonInAValueIsWrittenTwice) {
  const std::string text = Message("abort").add("msg", "a;b;;").add("k", "").text();
  EXPECT_EQ(text, "    26cmd=abort;msg=a;;b;;;;;k=;");
  const Answer back(text.substr(6));
  EXPECT_EQ(back.value("cmd"), "abort");
  EXPECT_EQ(back.value("msg"), "a;b;;");
  EXPECT_EQ(back.value("k"), "");
  EXPECT_FALSE(back.value("K"));
}

TEST(Pmi2Message, OddFieldsAreNoKeys) {
  const Answer answer(";;;=;rc=-7;rc=0;found");
  EXPECT_EQ(answer.number("rc"), -7);
  EXPECT_FALSE(answer.succeeded());
  EXPECT_FALSE(answer.value("found"));
  EXPECT_TRUE(Answer("").body().empty());
}

}  // namespace
}  // namespace tessera::boot::pmi
