// SPDX-License-Identifier: BSD-3-Clause
// What the communication calls on windows share: their arguments, examined once for all modules.
#pragma once

#include "api/rma/arguments.h"

namespace tessera::api {

// One side as the user gave it.
struct OriginArgument {
  const void* buffer;
  Count count;
  MPI_Datatype datatype;
};
struct TargetArgument {
  int rank;
  MPI_Aint displacement;
  Count count;
  MPI_Datatype datatype;
};

// How the examined side is called in reports.
struct SideNames {
  const char* buffer;
  const char* count;
  const char* datatype;
};
inline constexpr SideNames kOriginNames{"origin_addr", "origin_count", "origin_datatype"};
inline constexpr SideNames kResultNames{"result_addr", "result_count", "result_datatype"};

__extension__ using Wide = __int128;  // holds what products of 64 bits may be

// An access of a window. After examine(), a local and a remote side are ready for the module.
class Access {
 public:
  Access(const char* function, MPI_Win win, const TargetArgument& target) noexcept
      : arguments_(function, win), target_(target) {}

  // Window, target rank, target type and count, and the range of memory.
  bool target() noexcept;
  // Origin or result; sizes must agree with the target's.
  bool side(const OriginArgument& given, const SideNames& names, osc::Local& local) noexcept;
  // Accumulates: an operation that fits elements which are all of one kind.
  bool combination(MPI_Op op, bool fetches, osc::Combination& how) noexcept;
  bool same_element(const osc::Local& local, const osc::Combination& how,
                    const SideNames& names) noexcept;
  // Whether this process has an epoch for it, with a lock for operations that have a request.
  bool epoch(bool request) noexcept;

  // Where osc_check asks for it: whether it conflicts with no access before it. The last question.
  bool checked(const WindowCheck::Call& call) noexcept {
    return arguments_.window()->check() == nullptr || nothing() || compatible(call);
  }

  // Nothing moves: no process, or no data.
  bool nothing() const noexcept { return target_.rank == MPI_PROC_NULL || remote_.count == 0; }
  WindowArguments& arguments() noexcept { return arguments_; }
  Win& window() const noexcept { return *arguments_.window(); }
  const osc::Remote& remote() const noexcept { return remote_; }
  int raised() const noexcept { return arguments_.raised(); }
  int outcome(Status status) const noexcept {
    return result(arguments_.function(), window(), status);
  }

 private:
  [[gnu::cold]] bool compatible(WindowCheck::Call call) noexcept;
  bool in_range(const TypeObject& type) noexcept;
  [[gnu::cold]] bool out_of_range(Aint displacement, Wide first, Wide last) noexcept;
  bool fits(const Op& op, const TypeObject& element) noexcept;

  WindowArguments arguments_;
  TargetArgument target_;
  osc::Remote remote_{};
  const TypeObject* target_type_ = nullptr;
};

int issue_with_request(Access& access, MPI_Request* request,
                       Status (*act)(void* self, osc::Module& module, osc::Ticket* ticket),
                       void* self) noexcept;

// Issues what was examined; `act` is called with the module and a ticket, or null.
template <class Act>
int carry_out(Access& access, bool with_request, MPI_Request* request, Act act) noexcept {
  if (with_request) {
    return issue_with_request(
        access, request,
        [](void* self, osc::Module& module, osc::Ticket* ticket) {
          return (*static_cast<Act*>(self))(module, ticket);
        },
        &act);
  }
  if (access.nothing()) return MPI_SUCCESS;
  access.window().epochs().accessed();
  access.window().enter(access.arguments().function());
  return access.outcome(act(access.window().module(), nullptr));
}

}  // namespace tessera::api
