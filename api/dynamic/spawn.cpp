// SPDX-License-Identifier: BSD-3-Clause
// Starting processes (MPI-5.0 §11.8).
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "api/dynamic/meeting.h"
#include "core/object/initial_errhandler.h"
#include "framework/text.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The arguments of both functions, as spawn_multiple has them.
struct Asked {
  int count;
  const char* const* commands;
  char** const* arguments;  // null: none for any
  const int* most;
  const MPI_Info* infos;
};

Status wrong(const std::string& text) {
  return Status::failure(Errc::argument, text);
}

// The values of an info object; for keys that it has not, those of the file that its key `file`
// names.
class Keys {
 public:
  explicit Keys(MPI_Info info) noexcept : info_(info) {}

  Status read_file() {
    const std::string name = info_value(info_, "file");
    if (name.empty()) return {};
    std::ifstream file(name);
    if (!file) {
      return Status::failure(Errc::not_found,
                             fmt::format("info key file is '{}': {}", name, std::strerror(errno)));
    }
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::string_view words = text::trim(line);
      if (words.empty() || words.front() == '#') continue;
      const std::size_t equals = words.find('=');
      if (equals == std::string_view::npos || equals == 0)
        return wrong(fmt::format("{}:{}: '{}'; KEY = VALUE is expected", name, number, words));
      add(std::string(text::trim(words.substr(0, equals))), text::trim(words.substr(equals + 1)));
    }
    return {};
  }

  std::string value(const char* key) const {
    const std::string own = info_value(info_, key);
    const auto found = of_file_.find(key);
    return own.empty() && found != of_file_.end() ? found->second : own;
  }

 private:
  // Several lines of one key, which env needs, are lines of its value.
  void add(std::string key, std::string_view value) {
    std::string& all = of_file_[std::move(key)];
    if (!all.empty()) all += '\n';
    all += value;
  }

  MPI_Info info_;
  std::map<std::string, std::string, std::less<>> of_file_;
};

Status read_environment(const Keys& keys, SpawnCommand& command) {
  const std::string variables = keys.value("env");
  for (const std::string_view line : text::split(variables, '\n')) {
    if (line.empty()) continue;
    if (line.find('=') == std::string_view::npos || line.front() == '=')
      return wrong(fmt::format("info key env has the line '{}'; NAME=value is expected", line));
    command.environment.emplace_back(line);
  }
  const std::string handler = keys.value("mpi_initial_errhandler");
  if (handler.empty()) return {};
  command.environment.push_back(std::string(kInitialErrhandler) + "=" + handler);
  return handler_named("info key mpi_initial_errhandler", handler).status();
}

Status read_info(MPI_Info info, SpawnCommand& command) {
  Keys keys(info);
  if (Status s = keys.read_file(); !s) return s;
  command.directory = keys.value("wdir");
  command.path = keys.value("path");
  command.host = keys.value("host");
  command.arch = keys.value("arch");
  if (Status s = read_environment(keys, command); !s) return s;
  command.wanted = command.most;
  const std::string soft = keys.value("soft");
  if (soft.empty()) return {};
  auto largest = largest_of(soft, command.most);
  if (!largest.ok()) return largest.status();
  command.wanted = *largest;
  return {};
}

Status read_command(const Asked& asked, int i, SpawnOrder& order) {
  const auto at = static_cast<std::size_t>(i);
  if (asked.commands[at] == nullptr || *asked.commands[at] == 0)
    return wrong(fmt::format("command {} is empty; it must be the name of a program", i));
  if (asked.most[at] < 0)
    return wrong(fmt::format("argument `maxprocs` is {}; it must be at least 0", asked.most[at]));
  if (asked.infos[at] != MPI_INFO_NULL && find_info(asked.infos[at]) == nullptr)
    return wrong("argument `info` is no info object; MPI_INFO_NULL stands for none");
  SpawnCommand& command = order.commands.emplace_back();
  command.program = asked.commands[at];
  command.most = static_cast<std::uint32_t>(asked.most[at]);
  char* const* words = asked.arguments != nullptr ? asked.arguments[at] : nullptr;
  for (; words != nullptr && *words != nullptr; ++words) command.arguments.emplace_back(*words);
  return read_info(asked.infos[at], command);
}

// Reads all commands, for each process has an error code, and tells the first failure.
Status read_order(const Asked& asked, SpawnOrder& order) {
  if (asked.count < 1)
    return wrong(fmt::format("argument `count` is {}; it must be at least 1", asked.count));
  const std::pair<const char*, bool> arrays[] = {{"array_of_commands", asked.commands != nullptr},
                                                 {"array_of_maxprocs", asked.most != nullptr},
                                                 {"array_of_info", asked.infos != nullptr}};
  for (const auto& [name, given] : arrays)
    if (!given)
      return wrong(
          fmt::format("argument `{}` is a null pointer; it must be an array of {} elements", name,
                      asked.count));
  Status first;
  for (int i = 0; i < asked.count; ++i) {
    if (Status s = read_command(asked, i, order); !s && first.ok()) first = s;
  }
  return first;
}

void fill_codes(const SpawnOutcome& outcome, int* codes) {
  if (codes == MPI_ERRCODES_IGNORE) return;
  for (std::size_t i = 0; i < outcome.started.size(); ++i)
    codes[i] = outcome.started[i] != 0 ? MPI_SUCCESS : MPI_ERR_SPAWN;
}

int spawn(const char* function, const Asked& asked, int root, MPI_Comm comm, MPI_Comm* intercomm,
          int* codes) {
  Arguments arguments(function, comm);
  if (!right_meeting(arguments, root) || !arguments.pointer(intercomm, "intercomm"))
    return arguments.raised();
  Comm& parent = *arguments.comm();
  SpawnOrder order;
  const Status read = parent.rank() == root ? read_order(asked, order) : Status();
  BlockingCall call(function, parent);
  SpawnOutcome outcome;
  auto made = world.engine->dynamic().spawn(parent, root, std::move(order), read, outcome);
  fill_codes(outcome, codes);
  *intercomm = MPI_COMM_NULL;
  if (!made.ok()) return raise_meeting(arguments, parent, MPI_ERR_SPAWN, made.status());
  return conclude(arguments, parent, std::move(made), intercomm);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_spawn)
extern "C" int PMPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info,
                               int root, MPI_Comm comm, MPI_Comm* intercomm,
                               int array_of_errcodes[]) {
  char** const arguments[] = {argv};
  return spawn("MPI_Comm_spawn", {1, &command, arguments, &maxprocs, &info}, root, comm, intercomm,
               array_of_errcodes);
}

TESSERA_WEAK_ALIAS(MPI_Comm_spawn_multiple)
extern "C" int PMPI_Comm_spawn_multiple(int count, char* array_of_commands[],
                                        char** array_of_argv[], const int array_of_maxprocs[],
                                        const MPI_Info array_of_info[], int root, MPI_Comm comm,
                                        MPI_Comm* intercomm, int array_of_errcodes[]) {
  return spawn("MPI_Comm_spawn_multiple",
               {count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info}, root,
               comm, intercomm, array_of_errcodes);
}

TESSERA_WEAK_ALIAS(MPI_Comm_get_parent)
extern "C" int PMPI_Comm_get_parent(MPI_Comm* parent) {
  constexpr const char* function = "MPI_Comm_get_parent";
  if (!world.active()) return raise_not_active(function);
  if (!world.running()) {
    return raise(
        function, MPI_ERR_OTHER,
        "the parent belongs to the World Model: MPI_Init comes before, MPI_Finalize after");
  }
  if (parent == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("parent"));
  EngineGuard guard(world.engine->progress());
  Comm* const comm = world.engine->dynamic().parent();
  *parent = comm != nullptr ? handle_of(*comm) : MPI_COMM_NULL;
  return MPI_SUCCESS;
}
