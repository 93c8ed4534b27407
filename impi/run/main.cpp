// SPDX-License-Identifier: BSD-3-Clause
// impirun: the server of a job of several MPI systems, or the start of one system of it.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "impi/auth/credentials.h"
#include "impi/run/command_line.h"
#include "impi/server/server.h"
#include "impi/wire/environment.h"

namespace tessera::impi {
namespace {

constexpr int kWrongUse = 2;

int complain(const std::string& text, int status) {
  std::fprintf(stderr, "impirun: %s\n", text.c_str());
  return status;
}

// The one object that a signal handler can reach.
Server* signalled_server = nullptr;
volatile sig_atomic_t signal_seen = 0;

void on_signal(int number) {
  signal_seen = number;
  signalled_server->stop();
}

void catch_signals(Server& server) {
  signalled_server = &server;
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Outcome<Admission> admission_of(const RunLine& line) {
  Admission admission;
  auto credentials = credentials_from_environment();
  if (!credentials.ok()) return credentials.fault();
  admission.credentials = std::move(credentials).value();
  if (!line.auth.empty()) {
    auto list = parse_preferences(line.auth);
    if (!list.ok()) return list.fault();
    admission.preferences = std::move(list).value();
  }
  if ((admission.credentials.mask() & mask_of(admission.preferences)) == 0) return Fault{kNoMethod};
  return admission;
}

// The one line on standard output. A reader that is gone, as `head -1` is, does no harm.
void print_address(const std::string& address) {
  std::printf("%s\n", address.c_str());
  std::fflush(stdout);
}

int serve(const RunLine& line) {
  auto admission = admission_of(line);
  if (!admission.ok()) return complain(admission.text(), kWrongUse);
  ServerOptions options;
  options.clients = line.clients;
  options.address = line.bind;
  options.port = line.port;
  options.startup_s = line.timeout_s;
  options.admission = std::move(admission).value();
  options.trace = line.trace;
  options.say = [quiet = line.quiet](const std::string& text) {
    if (!quiet || !text.starts_with("warning: ")) complain(text, 0);
  };
  Server server(std::move(options));
  if (auto opened = server.open(); !opened.ok()) return complain(opened.text(), 1);
  catch_signals(server);
  print_address(server.address());
  switch (server.run()) {
    case Ending::finished:
      return 0;
    case Ending::failed:
      return 1;
    case Ending::stopped:
      break;
  }
  complain("stopped by signal " + std::to_string(signal_seen), 0);
  return 128 + signal_seen;
}

void set_param(const char* name, const std::string& value) {
  setenv((std::string(kParamPrefix) + name).c_str(), value.c_str(), 1);
}

// mpiexec beside this program, however it was called; else that of the search path.
std::string find_mpiexec() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string name = self.filename();
  const std::string suffix = name.starts_with("impirun") ? name.substr(7) : "";
  const auto beside = self.parent_path() / ("mpiexec" + suffix);
  return !error && access(beside.c_str(), X_OK) == 0 ? beside.string() : "mpiexec";
}

int start_client(RunLine line) {
  if (auto admission = admission_of(line); !admission.ok())
    return complain(admission.text(), kWrongUse);
  if (auto address = resolve(line.server); !address.ok())
    return complain(address.text(), kWrongUse);
  set_param(kServerParam, line.server);
  set_param(kRankParam, std::to_string(line.rank));
  set_param(kLevelParam, std::to_string(line.rank));
  if (!line.auth.empty()) set_param(kAuthParam, line.auth);
  if (!line.trace.empty()) set_param(kTraceParam, std::filesystem::absolute(line.trace));
  std::string program = find_mpiexec();
  std::vector<char*> words = {program.data()};
  for (std::string& word : line.words) words.push_back(word.data());
  words.push_back(nullptr);
  execvp(program.c_str(), words.data());
  return complain("cannot start " + program + ": " + std::strerror(errno), 127);
}

int run(int count, char** words) {
  auto line = parse_run_line({words + 1, static_cast<std::size_t>(count - 1)});
  if (!line.ok()) return complain(line.text() + "; impirun --help says more", kWrongUse);
  switch (line.value().role) {
    case RunLine::Role::server:
      return serve(line.value());
    case RunLine::Role::client:
      return start_client(std::move(line).value());
    case RunLine::Role::version:
      std::puts("impirun (Tessera) " TESSERA_VERSION);
      return 0;
    default:
      std::fputs(run_help().c_str(), stdout);
      return 0;
  }
}

}  // namespace
}  // namespace tessera::impi

int main(int count, char** words) {
  return tessera::impi::run(count, words);
}
