// SPDX-License-Identifier: BSD-3-Clause
// Communicators out of groups alone (MPI-5.0 §7.4.2, §7.6.2). Errors go to the handler that the new
// communicator is to have.
#include <fmt/format.h>

#include <cstring>

#include "api/comm/comm_handle.h"
#include "api/comm/group_handle.h"
#include "api/comm/make.h"
#include "api/env/info_handle.h"
#include "api/env/session_handle.h"
#include "api/errors/errhandler_handle.h"
#include "api/p2p/blocking_call.h"
#include "framework/help.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// What both functions are given besides groups, checked in the order of the arguments.
class GroupCall {
 public:
  explicit GroupCall(const char* function) noexcept : function_(function) {}

  bool errhandler(MPI_Errhandler handle) {
    handler_ = right_errhandler(function_, no_object(), handle, HandlerOf::communicator, code_);
    if (handler_ == nullptr) return false;
    object_ = handled_by(*handler_, MPI_COMM_NULL, {});
    return world.active() ||
           fail(MPI_ERR_OTHER, "called outside of MPI_Init to MPI_Finalize, and without a session");
  }
  // The calling process must be a member.
  bool group(const Group* group, const char* name) {
    if (group == nullptr) {
      return fail(MPI_ERR_GROUP,
                  fmt::format("argument `{}` is no group, or one that was freed", name));
    }
    return group->size() == 0 || group->rank_of(world.engine->me()) >= 0 ||
           fail(MPI_ERR_GROUP,
                fmt::format("the calling process is not in argument `{}`; all members, and they "
                            "only, must call",
                            name));
  }
  bool string_tag(const char* tag) {
    if (tag == nullptr)
      return fail(MPI_ERR_ARG, "argument `stringtag` is a null pointer; it must be a string");
    const std::size_t length = ::strnlen(tag, MPI_MAX_STRINGTAG_LEN);
    return length < MPI_MAX_STRINGTAG_LEN ||
           fail(MPI_ERR_ARG, fmt::format("argument `stringtag` has more than {} characters "
                                         "(MPI_MAX_STRINGTAG_LEN - 1)",
                                         MPI_MAX_STRINGTAG_LEN - 1));
  }
  bool info(MPI_Info info, bool speaks) {
    if (info != MPI_INFO_NULL && find_info(info) == nullptr) {
      return fail(MPI_ERR_INFO, "argument `info` is no info object; MPI_INFO_NULL stands for none");
    }
    hints_ = hints_of(info);
    std::vector<std::string> warnings;
    const Status checked = check_hints(world.engine->kernel(), false, hints_, warnings);
    if (speaks)
      for (const std::string& warning : warnings) print_help(warning);
    const int error_class =
        checked.code() == Errc::argument ? MPI_ERR_INFO_VALUE : MPI_ERR_INFO_KEY;
    return checked.ok() || fail(error_class, checked.text());
  }
  bool member(int rank, const Group& group, const char* name) {
    return (rank >= 0 && rank < group.size()) ||
           fail(MPI_ERR_RANK,
                fmt::format("argument `{}` is {}; valid are 0..{}", name, rank, group.size() - 1));
  }
  bool pointer(const void* pointer, const char* name) {
    return pointer != nullptr || fail(MPI_ERR_ARG, null_pointer(name));
  }
  bool fail(int error_class, const std::string& text) {
    code_ = raise(function_, object_, error_class, text);
    return false;
  }

  int code() const noexcept { return code_; }

  int conclude(Result<Comm*> made, MPI_Comm* newcomm) {
    if (!made.ok()) return raise(function_, object_, made.status());
    (*made)->set_errhandler(Ref<Errhandler>::share(handler_));
    (*made)->set_hints(hints_);
    *newcomm = handle_of(**made);
    return MPI_SUCCESS;
  }

 private:
  const char* function_;
  Errhandler* handler_ = nullptr;
  ErrorContext object_;
  Hints hints_;
  int code_ = MPI_SUCCESS;
};

bool leads(const Group& group) noexcept {
  return group.size() > 0 && group.rank_of(world.engine->me()) == 0;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_create_from_group)
extern "C" int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info,
                                           MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  constexpr const char* function = "MPI_Comm_create_from_group";
  GroupCall call(function);
  if (!call.errhandler(errhandler)) return call.code();
  Group* members = find_group(group);
  if (!call.group(members, "group") || !call.string_tag(stringtag) ||
      !call.info(info, leads(*members)) || !call.pointer(newcomm, "newcomm")) {
    return call.code();
  }
  if (members->size() == 0) return *newcomm = MPI_COMM_NULL, MPI_SUCCESS;
  BlockingCall blocking(function);
  return call.conclude(create_from_group(*world.engine, *members, stringtag), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Intercomm_create_from_groups)
extern "C" int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                                 MPI_Group remote_group, int remote_leader,
                                                 const char* stringtag, MPI_Info info,
                                                 MPI_Errhandler errhandler,
                                                 MPI_Comm* newintercomm) {
  constexpr const char* function = "MPI_Intercomm_create_from_groups";
  GroupCall call(function);
  if (!call.errhandler(errhandler)) return call.code();
  Group* local = find_group(local_group);
  if (!call.group(local, "local_group") || !call.member(local_leader, *local, "local_leader") ||
      !call.string_tag(stringtag) || !call.info(info, leads(*local)) ||
      !call.pointer(newintercomm, "newintercomm")) {
    return call.code();
  }
  BlockingCall blocking(function);
  const bool leader =
      local->rank_of(world.engine->me()) == local_leader;  // what follows counts there only
  const Group* remote = leader ? find_group(remote_group) : nullptr;
  if (leader && (remote == nullptr || remote_leader < 0 || remote_leader >= remote->size())) {
    // The group waits for its leader.
    static_cast<void>(
        create_inter_from_groups(*world.engine, *local, local_leader, nullptr, 0, stringtag));
    if (remote == nullptr)
      return call.fail(MPI_ERR_GROUP, "argument `remote_group` is no group"), call.code();
    return call.member(remote_leader, *remote, "remote_leader"), call.code();
  }
  auto made = create_inter_from_groups(*world.engine, *local, local_leader, remote, remote_leader,
                                       stringtag);
  if (!made.ok() && made.status() == Errc::argument) {  // the groups do not fit together
    return call.fail(MPI_ERR_GROUP, std::string(made.status().text())), call.code();
  }
  return call.conclude(std::move(made), newintercomm);
}
