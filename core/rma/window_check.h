// SPDX-License-Identifier: BSD-3-Clause
// Detection of conflicting accesses and wrong assertions on a window (parameter osc_check).
#pragma once
//
// Contract. A window has a WindowCheck from the end of the call that makes it, where osc_check is
// true; the parameter is equal at all processes. Each access is noted before it is issued; a
// conflict with an earlier one of this process in the same epoch is told there, and the access must
// not be carried out. At a fence the processes exchange what they have accessed since the last one;
// each looks at what concerns its own memory, and compares that memory with what the last fence
// left, so that stores of its own are seen as well. The check costs there: the records of all
// processes travel to all, and each keeps a copy of its memory of the window.
//
// Not seen: accesses of two origins in epochs of locks and of post and start, since what orders
// them is the program's own; stores that leave the value as it was; loads; stores to dynamic
// windows and to memory of MPI_Win_allocate_shared.
//
#include <cstddef>
#include <map>
#include <vector>

#include "core/rma/access_map.h"
#include "tessera/osc.h"

namespace tessera {

class Win;

class WindowCheck {
 public:
  explicit WindowCheck(Win& window) noexcept : window_(window) {}

  struct Call {
    AccessRecord::Kind kind;
    const osc::Combination* how = nullptr;  // of accumulates
    bool swaps = false;                     // compares and swaps elements of `how`
    bool fetches = false;
    bool has_request = false;
    const char* function = "";
    Aint displacement = 0;  // as given
  };
  // argument: a conflict; the text names both accesses.
  Status note(const Call& call, const osc::Remote& to);

  // Accesses of `rank` (or osc::kAll) are done at the target, or have at least their results here.
  void done(int rank);
  void done_locally(int rank);

  // What a fence has found. `assertion`: not a conflict, but an assertion that does not hold.
  struct Verdict {
    Status failure;
    bool assertion = false;
  };
  // Carries the fence out; the failure of the module comes first.
  Verdict fence(int assertions);

 private:
  struct Summary {
    std::int32_t assertions;
    std::uint32_t count;
    bool others;  // accesses in epochs of another kind since the last fence
  };
  AccessRecord record(const Call& call, const osc::Remote& to) const;
  std::vector<AccessRecord> blocks(const AccessRecord& access, const osc::Remote& to) const;
  Status exchange(int assertions);
  void judge_assertions(Verdict& verdict) const;
  void judge_accesses(Verdict& verdict);
  void judge_memory(Verdict& verdict, int assertions) const;
  void remember(int assertions);

  Win& window_;
  std::map<int, AccessMap> mine_;  // by target
  bool others_ = false;
  int last_assertions_ = 0;
  std::vector<std::byte> memory_;  // as the last fence left it; empty: unknown
  // Of the fence in progress, by rank.
  std::vector<Summary> summaries_;
  std::vector<AccessRecord> told_;
  AccessMap here_;  // what all have done to this process's memory
};

}  // namespace tessera
