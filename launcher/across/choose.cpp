// SPDX-License-Identifier: BSD-3-Clause
// Which engine starts a job across hosts.
#include <span>

#include "framework/text.h"
#include "launcher/across/engine.h"

namespace tessera::launcher::across {
namespace {

struct Name {
  const char* name;
  Kind kind;
};
constexpr Name kEngines[] = {
    {"hydra", Kind::hydra},  {"mpich", Kind::hydra},
    {"slurm", Kind::slurm},  {"srun", Kind::slurm},
    {"prte", Kind::prte},    {"prrte", Kind::prte},
    {"prterun", Kind::prte}, {"openmpi", Kind::openmpi},
    {"ompi", Kind::openmpi}, {"mpirun.openmpi", Kind::openmpi},
};
constexpr const char* kWays[] = {"ssh", "rsh",    "ll",         "lsf",   "sge",
                                 "pbs", "pbsdsh", "persistent", "manual"};

struct Candidate {
  Kind kind;
  std::vector<std::string> programs;
};

std::vector<Candidate> candidates(const Wish& wish, bool in_allocation) {
  const Candidate slurm{Kind::slurm, {"srun"}};
  const Candidate hydra{Kind::hydra, {"mpiexec.hydra"}};
  const Candidate prte{Kind::prte, {"prterun"}};
  const Candidate openmpi{Kind::openmpi, {"mpirun.openmpi", "orterun"}};
  if (wish.engine_named) {
    for (const Candidate& each : {slurm, hydra, prte, openmpi})
      if (each.kind == wish.kind) return {each};
  }
  if (wish.way == "ssh" || wish.way == "rsh") return {hydra, prte, openmpi};
  if (!wish.way.empty()) return {hydra};
  if (in_allocation) return {slurm, hydra, prte, openmpi};
  return {hydra, prte, openmpi};
}

Status none_found(const std::string& host, std::span<const Candidate> tried) {
  std::string names;
  for (const Candidate& each : tried)
    for (const std::string& program : each.programs) names += (names.empty() ? "" : ", ") + program;
  const std::string why =
      host.empty() ? "option --launcher: the engine is not on the PATH"
                   : "host '" + host +
                         "' is not this machine, and mpiexec leaves other hosts to an existing "
                         "engine: none is on the PATH";
  return Status::failure(
      Errc::not_found,
      why + " (looked for: " + names +
          "). Install one, on Debian `apt install mpich` (Hydra) or `apt install openmpi-bin`, or "
          "in a Slurm cluster call mpiexec inside salloc or sbatch; or leave out what "
          "names it to run here");
}

}  // namespace

const char* name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::slurm:
      return "srun";
    case Kind::hydra:
      return "Hydra";
    case Kind::prte:
      return "prterun";
    case Kind::openmpi:
      return "Open MPI's mpirun";
  }
  return "";
}

Result<Wish> wish_of(std::string_view launcher) {
  Wish wish;
  if (launcher.empty()) return wish;
  std::vector<std::string> names = {"fork"};
  wish.here = launcher == names.front();
  for (const Name& each : kEngines) {
    names.emplace_back(each.name);
    if (launcher != each.name) continue;
    wish.engine_named = true;
    wish.kind = each.kind;
  }
  for (const char* way : kWays) {
    names.emplace_back(way);
    if (launcher == way) wish.way = way;
  }
  if (wish.here || wish.engine_named || !wish.way.empty()) return wish;
  const std::string_view near = text::nearest(launcher, names);
  return Status::failure(
      Errc::argument,
      "option --launcher: '" + std::string(launcher) +
          "' is neither an engine (slurm, hydra, prte, openmpi) nor a way that Hydra knows (ssh, "
          "rsh, lsf, sge, pbs, fork)" +
          (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
}

Result<Engine> choose_engine(const Wish& wish, bool in_allocation, const std::string& host,
                             const Find& find) {
  const std::vector<Candidate> tried = candidates(wish, in_allocation);
  for (const Candidate& each : tried) {
    for (const std::string& program : each.programs) {
      std::string path = find(program);
      if (!path.empty()) return Engine{each.kind, std::move(path), wish.way};
    }
  }
  return none_found(host, tried);
}

}  // namespace tessera::launcher::across
