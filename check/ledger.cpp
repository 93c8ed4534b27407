// SPDX-License-Identifier: BSD-3-Clause
// Counts what was made and what was freed.
#include "check/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check/places.h"

namespace tessera::check {
namespace {

struct Words {
  const char* one;
  const char* many;
  const char* fate;  // "was never ..."
  const char* remedy;
};

// In the order of Kind.
constexpr std::array kWords{
    Words{"communicator", "communicators", "freed", "MPI_Comm_free"},
    Words{"group", "groups", "freed", "MPI_Group_free"},
    Words{"datatype", "datatypes", "freed", "MPI_Type_free"},
    Words{"window", "windows", "freed", "MPI_Win_free"},
    Words{"file", "files", "closed", "MPI_File_close"},
    Words{"info object", "info objects", "freed", "MPI_Info_free"},
    Words{"operation", "operations", "freed", "MPI_Op_free"},
    Words{"error handler", "error handlers", "freed", "MPI_Errhandler_free"},
    Words{"session", "sessions", "finalized", "MPI_Session_finalize"},
    Words{"matched message", "matched messages", "received", "MPI_Mrecv"},
    Words{"request", "requests", "completed or freed", "MPI_Wait or MPI_Request_free"},
    Words{"attribute key", "attribute keys", "freed", "MPI_Comm_free_keyval"},
    Words{"attribute key", "attribute keys", "freed", "MPI_Type_free_keyval"},
    Words{"attribute key", "attribute keys", "freed", "MPI_Win_free_keyval"},
    Words{"attached buffer", "attached buffers", "detached", "MPI_Buffer_detach"},
};

std::string line(Kind kind, const std::string& place, std::size_t count) {
  const Words& words = kWords[static_cast<std::size_t>(kind)];
  return fmt::format("{} {} of {} {} never {}; {} is missing", count,
                     count == 1 ? words.one : words.many, place, count == 1 ? "was" : "were",
                     words.fate, words.remedy);
}

}  // namespace

void Ledger::made(Kind kind, std::uintptr_t value, const Site& site) {
  const std::lock_guard lock(mutex_);
  kept_[{kind, value}].push_back(site);
}

void Ledger::freed(Kind kind, std::uintptr_t value) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find({kind, value});
  if (found == kept_.end()) return;
  found->second.pop_back();
  if (found->second.empty()) kept_.erase(found);
}

std::size_t Ledger::count_of(Kind kind) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      kept_.begin(), kept_.end(), [kind](const auto& one) { return one.first.first == kind; }));
}

std::vector<std::string> Ledger::take_lines() {
  std::map<std::pair<Kind, std::string>, std::size_t> counts;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, sites] : kept_)
      for (const Site& site : sites) ++counts[{key.first, text_of(site)}];
    kept_.clear();
  }
  std::vector<std::string> lines;
  for (const auto& [key, count] : counts) lines.push_back(line(key.first, key.second, count));
  return lines;
}

}  // namespace tessera::check
