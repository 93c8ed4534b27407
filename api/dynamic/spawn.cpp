// SPDX-License-Identifier: BSD-3-Clause
// Starting processes (MPI-5.0 §11.8).
#include <fmt/format.h>

#include "api/dynamic/meeting.h"
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

Status read_info(MPI_Info info, SpawnCommand& command) {
  command.directory = info_value(info, "wdir");
  command.path = info_value(info, "path");
  command.host = info_value(info, "host");
  const std::string variables = info_value(info, "env");
  for (const std::string_view line : text::split(variables, '\n')) {
    if (line.empty()) continue;
    if (line.find('=') == std::string_view::npos || line.front() == '=')
      return wrong(fmt::format("info key env has the line '{}'; NAME=value is expected", line));
    command.environment.emplace_back(line);
  }
  command.wanted = command.most;
  const std::string soft = info_value(info, "soft");
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
  SpawnCommand command;
  command.program = asked.commands[at];
  command.most = static_cast<std::uint32_t>(asked.most[at]);
  char* const* words = asked.arguments != nullptr ? asked.arguments[at] : nullptr;
  for (; words != nullptr && *words != nullptr; ++words) command.arguments.emplace_back(*words);
  if (Status s = read_info(asked.infos[at], command); !s) return s;
  if (const std::string handler = info_value(asked.infos[at], "mpi_initial_errhandler");
      !handler.empty())
    order.handler = text::lower(handler);
  order.commands.push_back(std::move(command));
  return {};
}

Status read_order(const Asked& asked, SpawnOrder& order) {
  if (asked.count < 1)
    return wrong(fmt::format("argument `count` is {}; it must be at least 1", asked.count));
  if (asked.commands == nullptr || asked.most == nullptr || asked.infos == nullptr)
    return wrong("the arrays of commands, maxprocs and info objects must not be null pointers");
  for (int i = 0; i < asked.count; ++i) {
    if (Status s = read_command(asked, i, order); !s) return s;
  }
  static constexpr std::string_view known[] = {"", "mpi_errors_are_fatal", "mpi_errors_abort",
                                               "mpi_errors_return"};
  for (const std::string_view name : known) {
    if (order.handler == name) return {};
  }
  return wrong("info key mpi_initial_errhandler is '" + order.handler +
               "'; mpi_errors_are_fatal, mpi_errors_abort and mpi_errors_return are known");
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
  if (!made.ok()) return raise_meeting(arguments, MPI_ERR_SPAWN, made.status());
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
