// SPDX-License-Identifier: BSD-3-Clause
// The command lines of engines.
#include <algorithm>

#include "launcher/across/engine.h"

namespace tessera::launcher::across {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::uint32_t ranks_of(const Request& request) noexcept {
  std::uint32_t sum = 0;
  for (const Part& part : request.parts) sum += part.ranks;
  return sum;
}

// "a:2,b:1"
std::string list_of(const std::vector<Share>& shares, bool one_each = false) {
  std::string list;
  for (const Share& share : shares)
    list +=
        (list.empty() ? "" : ",") + share.host + ":" + std::to_string(one_each ? 1 : share.ranks);
  return list;
}

// What an engine calls an object of the topology.
std::string object_of(Kind kind, const std::string& level) {
  if (kind == Kind::slurm) {
    if (level == "numa") return "ldoms";
    return level == "hwthread" ? "threads" : level == "core" ? "cores" : "sockets";
  }
  return level == "package" && kind != Kind::prte ? "socket" : level;
}

// The parts between ':'; `options` stand in front of each number of ranks, `wrapper` behind it.
void append_parts(Words& words, const Request& request, const Words& options,
                  const Words& wrapper = {}) {
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    if (i > 0) words.emplace_back(":");
    append(words, options);
    append(words, {"-n", std::to_string(request.parts[i].ranks).c_str()});
    append(words, wrapper);
    append(words, request.parts[i].words);
  }
}

// Hydra gives ranks other than 0 a standard input that never ends.
Words reading_nothing(bool rank0_reads) {
  const char* const who =
      rank0_reads ? "[ \"$PMI_RANK\" = 0 ] || exec </dev/null; " : "exec </dev/null; ";
  return {"/bin/sh", "-c", std::string(who) + "exec \"$0\" \"$@\""};
}

Words hydra(const Engine& engine, const Request& request) {
  Words words = {engine.path};
  const bool shell = engine.way.empty() && !request.agent.empty();
  if (shell || !engine.way.empty())
    append(words, {"-launcher", shell ? "ssh" : engine.way.c_str()});
  if (!request.agent.empty()) append(words, {"-launcher-exec", request.agent.c_str()});
  if (!request.shares.empty())
    append(words, {"-hosts", list_of(request.shares, request.in_turn).c_str()});
  if (!request.bind.empty())
    append(words, {"-bind-to", object_of(engine.kind, request.bind).c_str()});
  if (request.shares.empty() && request.per_host > 0)
    append(words, {"-ppn", std::to_string(request.per_host).c_str()});
  if (request.tagged) append(words, {"-prepend-rank"});
  append_parts(words, request, {}, reading_nothing(request.rank0_reads));
  return words;
}

// These engines detect a silent host by keepalive probes alone, which the kernel sends on an idle
// connection only. So the probes fail before the ranks end the job and the engine has to send.
Words keepalive(const char* option, int silence_s) {
  if (silence_s <= 0) return {};
  constexpr int kProbes = 3;
  const int pause = std::max(1, silence_s / 10);
  const int idle = std::max(1, silence_s - (kProbes + 1) * pause);
  return {option, "oob_tcp_keepalive_time",   std::to_string(idle),
          option, "oob_tcp_keepalive_intvl",  std::to_string(pause),
          option, "oob_tcp_keepalive_probes", std::to_string(kProbes)};
}

// Open MPI's mpirun and prterun give a remote rank only the variables that they are told.
Words of_pmix(const Engine& engine, const Request& request) {
  const bool prte = engine.kind == Kind::prte;
  Words words = {engine.path};
  if (request.root) append(words, {"--allow-run-as-root"});
  const char* const option = prte ? "--prtemca" : "--mca";
  const std::string agent = request.agent.empty() ? engine.way : request.agent;
  if (!agent.empty())
    append(words, {option, prte ? "plm_ssh_agent" : "plm_rsh_agent", agent.c_str()});
  append(words, keepalive(option, request.silence_s));
  std::string map = request.per_host > 0 && request.shares.empty()
                        ? "ppr:" + std::to_string(request.per_host) + ":node"
                    : request.in_turn ? "node"
                                      : "slot";
  if (request.oversubscribes || request.shares.empty()) map += ":OVERSUBSCRIBE";
  const std::string bind = request.bind.empty() ? "none" : object_of(engine.kind, request.bind);
  append(words, {"--map-by", map.c_str(), "--bind-to", bind.c_str()});
  if (request.tagged && prte) append(words, {"--output", "tag"});
  if (request.tagged && !prte) append(words, {"--tag-output"});
  Words common;
  for (const std::string& name : request.exports) append(common, {"-x", name.c_str()});
  if (!request.shares.empty()) append(common, {"--host", list_of(request.shares).c_str()});
  append_parts(words, request, common);
  return words;
}

std::string quote(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// srun starts one program; which part a task belongs to is left to a shell.
Words of_all_parts(const Request& request) {
  if (request.parts.size() == 1) return request.parts.front().words;
  std::string script;
  std::uint32_t end = 0;
  for (const Part& part : request.parts) {
    end += part.ranks;
    script += (script.empty() ? "if [ \"$SLURM_PROCID\" -lt " : "elif [ \"$SLURM_PROCID\" -lt ") +
              std::to_string(end) + " ]; then exec " + quoted(part.words) + "; ";
  }
  return {"/bin/sh", "-c", script + "fi"};
}

// Each host once where all have the same number of ranks. Otherwise once for each rank: Slurm then
// places exactly, but its map of the job no longer tells which ranks share a host.
void append_hosts(Words& words, const Request& request) {
  const std::vector<Share>& shares = request.shares;
  const bool equal =
      !request.in_order &&
      (request.in_turn || std::all_of(shares.begin(), shares.end(), [&](const Share& share) {
         return share.ranks == shares.front().ranks;
       }));
  std::string list;
  for (const Share& share : shares)
    for (std::uint32_t i = 0; i < (equal ? 1 : share.ranks); ++i)
      list += (list.empty() ? "" : ",") + share.host;
  append(words, {"-N", std::to_string(shares.size()).c_str(), "--nodelist", list.c_str()});
  const std::string blocks = "plane=" + std::to_string(shares.front().ranks);
  const char* const spread = request.in_turn ? "cyclic" : equal ? blocks.c_str() : "arbitrary";
  append(words, {"--distribution", spread});
  if (!request.oversubscribes) append(words, {"--overcommit"});  // the user has counted
}

Words slurm(const Engine& engine, const Request& request) {
  Words words = {engine.path, "-n", std::to_string(ranks_of(request))};
  if (!request.mpi_type) append(words, {"--mpi=pmi2"});
  append(words, {"--overlap", "--kill-on-bad-exit=1", "--quit-on-interrupt", "--export=ALL"});
  append(words, {request.rank0_reads ? "--input=0" : "--input=none"});
  if (request.tagged) append(words, {"--label"});
  if (request.oversubscribes) append(words, {"--overcommit"});
  if (!request.bind.empty())
    append(words, {("--cpu-bind=" + object_of(engine.kind, request.bind)).c_str()});
  if (!request.shares.empty())
    append_hosts(words, request);
  else if (request.per_host > 0)
    append(words, {"--ntasks-per-node", std::to_string(request.per_host).c_str()});
  append(words, of_all_parts(request));
  return words;
}

}  // namespace

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quote(word);
  return text;
}

std::vector<std::string> command_of(const Engine& engine, const Request& request) {
  switch (engine.kind) {
    case Kind::slurm:
      return slurm(engine, request);
    case Kind::hydra:
      return hydra(engine, request);
    case Kind::prte:
    case Kind::openmpi:
      return of_pmix(engine, request);
  }
  return {};
}

}  // namespace tessera::launcher::across
