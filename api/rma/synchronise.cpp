// SPDX-License-Identifier: BSD-3-Clause
// Active target synchronisation: fence; post, start, complete, wait, test (MPI-5.0 §12.5.1-12.5.2).
#include <fmt/format.h>

#include "api/comm/group_handle.h"
#include "api/p2p/blocking_call.h"
#include "api/p2p/requests.h"
#include "api/rma/arguments.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The ranks in the window of a group's members.
bool ranks_of(WindowArguments& arguments, MPI_Group handle, std::vector<int>& ranks) {
  const Group* group = find_group(handle);
  if (group == nullptr) return arguments.fail(MPI_ERR_GROUP, "argument `group` is no group");
  const Group& all = *arguments.window()->own_comm().group();
  for (int i = 0; i < group->size(); ++i) {
    ranks.push_back(all.rank_of(group->member(i)));
    if (ranks.back() < 0) {
      return arguments.fail(
          MPI_ERR_GROUP,
          fmt::format("member {} of argument `group` is no process of the window", i));
    }
  }
  return true;
}

int checked_fence(const char* function, Win& window, int assertion) {
  const WindowCheck::Verdict verdict = window.check()->fence(assertion);
  window.epochs().fenced((assertion & MPI_MODE_NOSUCCEED) == 0);
  return result(function, window, verdict.failure,
                verdict.assertion ? MPI_ERR_ASSERT : MPI_ERR_RMA_CONFLICT);
}

constexpr int kFence = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
constexpr int kPost = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Win_fence)
extern "C" int PMPI_Win_fence(int assertion, MPI_Win win) {
  WindowArguments arguments("MPI_Win_fence", win);
  if (!arguments.exists() ||
      !arguments.assertions(
          assertion, kFence,
          "MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED"))
    return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_fence())) return arguments.raised();
  if (window.check() != nullptr) [[unlikely]]
    return checked_fence(arguments.function(), window, assertion);
  const Status done = window.module().fence(assertion);
  window.epochs().fenced((assertion & MPI_MODE_NOSUCCEED) == 0);
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_post)
extern "C" int PMPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  WindowArguments arguments("MPI_Win_post", win);
  std::vector<int> origins;
  if (!arguments.exists() || !ranks_of(arguments, group, origins) ||
      !arguments.assertions(assertion, kPost,
                            "MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT"))
    return arguments.raised();
  Win& window = *arguments.window();
  EngineGuard guard(world.engine->progress());
  if (!arguments.epoch(window.epochs().may_post())) return arguments.raised();
  const Status done = window.module().post(origins, assertion);
  if (done.ok()) window.epochs().posted(std::move(origins));
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_start)
extern "C" int PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  WindowArguments arguments("MPI_Win_start", win);
  std::vector<int> targets;
  if (!arguments.exists() || !ranks_of(arguments, group, targets) ||
      !arguments.assertions(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK only"))
    return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_start())) return arguments.raised();
  const Status done = window.module().start(targets, assertion);
  if (done.ok()) window.epochs().started(std::move(targets));
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_complete)
extern "C" int PMPI_Win_complete(MPI_Win win) {
  WindowArguments arguments("MPI_Win_complete", win);
  if (!arguments.exists()) return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_complete())) return arguments.raised();
  const Status done = window.module().complete(window.epochs().started_targets());
  if (window.check() != nullptr) [[unlikely]] {
    for (const int target : window.epochs().started_targets()) window.check()->done(target);
  }
  window.epochs().completed();
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_wait)
extern "C" int PMPI_Win_wait(MPI_Win win) {
  WindowArguments arguments("MPI_Win_wait", win);
  if (!arguments.exists()) return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_wait())) return arguments.raised();
  const Status done = window.module().wait(window.epochs().origins());
  window.epochs().waited();
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_test)
extern "C" int PMPI_Win_test(MPI_Win win, int* flag) {
  WindowArguments arguments("MPI_Win_test", win);
  if (!arguments.exists() || !arguments.pointer(flag, "flag")) return arguments.raised();
  Win& window = *arguments.window();
  EngineGuard guard(world.engine->progress());
  if (!arguments.epoch(window.epochs().may_wait())) return arguments.raised();
  world.engine->progress().poll();
  const Result<bool> over = window.module().test(window.epochs().origins());
  if (over.ok()) *flag = over.value() ? 1 : 0;
  if (over.ok() && !over.value()) return not_yet();
  window.epochs().waited();
  return result(arguments.function(), window, over.status());
}
