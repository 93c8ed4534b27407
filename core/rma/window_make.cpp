// SPDX-License-Identifier: BSD-3-Clause
// Making a window: one exchange agrees on arguments and component, a second one on success.
#include <fmt/format.h>

#include <cstring>

#include "core/comm/agreement.h"
#include "core/engine/instance.h"
#include "core/rma/one_sided.h"
#include "core/rma/window.h"
#include "core/rma/window_hints.h"

namespace tessera {
namespace {

// What every process tells all others first.
struct Proposal {
  osc::Part part;
  std::uint64_t accepted;  // by components
  std::uint64_t hash;      // of hints that must be equal
  osc::Flavor flavor;
  bool wrong;
};

struct Outcome {
  Errc code;
  char text[252];
};

// The communicator's own exchange, before there is a window.
Status exchange(Comm& comm, const void* mine, std::size_t bytes, void* all) {
  const PeerGroup peers{comm.pml(),
                        comm.progress(),
                        {comm.group()->members(), static_cast<std::size_t>(comm.size())},
                        comm.rank(),
                        comm.collective_context(),
                        comm.next_collective_tag()};
  return allgather(peers, mine, bytes, all);
}

Status check(const std::vector<Proposal>& all, int me, const std::string& wrong) {
  if (!wrong.empty()) return Status::failure(Errc::argument, wrong);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Proposal& theirs = all[rank];
    const Proposal& mine = all[static_cast<std::size_t>(me)];
    if (theirs.wrong) {
      return Status::failure(
          Errc::argument,
          fmt::format("rank {} called it with a wrong argument, so that no window was made", rank));
    }
    if (theirs.flavor != mine.flavor) {
      return Status::failure(
          Errc::argument, fmt::format("rank {} called another function that makes windows", rank));
    }
    if (theirs.hash != mine.hash) {
      return Status::failure(
          Errc::argument,
          fmt::format("rank {} gave other values of info keys that must be equal at all processes "
                      "(accumulate_ordering, accumulate_ops, mpi_accumulate_granularity, "
                      "same_size, same_disp_unit, alloc_shared_noncontig)",
                      rank));
    }
  }
  return {};
}

// All fail with the failure of the lowest rank that has one.
Status agree(Comm& comm, const Status& mine) {
  Outcome own{mine.code(), {}};
  std::strncpy(own.text, mine.ok() ? "" : mine.text(), sizeof own.text - 1);
  std::vector<Outcome> all(static_cast<std::size_t>(comm.size()));
  if (Status s = exchange(comm, &own, sizeof own, all.data()); !s) return s;
  if (!mine.ok()) return mine;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].code != Errc::ok)
      return Status::failure(all[rank].code, fmt::format("at rank {}: {}", rank, all[rank].text));
  }
  return {};
}

Status nobody(const OneSided& one_sided, osc::Flavor flavor,
              const std::vector<std::string>& reasons) {
  std::string why;
  for (const std::string& reason : reasons) {
    if (!reason.empty()) why += (why.empty() ? "" : "; ") + reason;
  }
  const char* what = flavor == osc::Flavor::shared
                         ? "the processes of the communicator cannot all share memory "
                           "(MPI_Comm_split_type with MPI_COMM_TYPE_SHARED finds those that can)"
                         : "no osc component serves this window";
  return Status::failure(
      Errc::unsupported,
      fmt::format("{}. Asked: {}{}{}", what, one_sided.names(), why.empty() ? "" : ": ", why));
}

}  // namespace

Result<Win*> make_window(Comm& parent, Win::Spec spec) {
  Instance& instance = parent.instance();
  auto duplicated = duplicate(parent);
  if (!duplicated.ok()) return duplicated.status();
  Ref<Comm> comm(*duplicated);
  OneSided& one_sided = instance.one_sided();
  const Status opened = one_sided.open();
  if (!opened.ok() && spec.wrong.empty()) spec.wrong = opened.text();

  const osc::Hints hints = module_hints(spec.hints);
  std::vector<std::string> reasons;
  Proposal mine{};
  mine.part = spec.part;
  mine.accepted =
      one_sided.judge({spec.flavor, *comm, hints,
                       spec.flavor == osc::Flavor::create || spec.flavor == osc::Flavor::dynamic},
                      reasons);
  mine.hash = hash_of_equal_hints(spec.hints);
  mine.flavor = spec.flavor;
  mine.wrong = !spec.wrong.empty();
  std::vector<Proposal> all(static_cast<std::size_t>(comm->size()));
  if (Status s = exchange(*comm, &mine, sizeof mine, all.data()); !s) return s;
  if (Status s = check(all, comm->rank(), spec.wrong); !s) return s;

  std::uint64_t accepted = ~std::uint64_t{0};
  std::vector<osc::Part> parts;
  for (const Proposal& proposal : all) {
    accepted &= proposal.accepted;
    parts.push_back(proposal.part);
  }
  if (accepted == 0) return nobody(one_sided, spec.flavor, reasons);
  Ref<Win> window(new Win(comm, spec.flavor, std::move(parts), spec.hints));
  const Status made = one_sided.make(accepted, *window);
  if (Status s = agree(*comm, made); !s) return s;
  if (instance.params().boolean("osc_check")) window->begin_check();
  one_sided.explain(*window, reasons);
  return window.take();
}

}  // namespace tessera
