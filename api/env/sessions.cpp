// SPDX-License-Identifier: BSD-3-Clause
// Start and end of sessions, and what they know (MPI-5.0 §11.3).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "api/comm/group_handle.h"
#include "api/env/engine.h"
#include "api/env/info_handle.h"
#include "api/env/memory_kinds.h"
#include "api/env/session_handle.h"

using namespace tessera;
using namespace tessera::api;

namespace {

struct ThreadLevel {
  const char* name;
  int value;
};

constexpr std::array kThreadLevels{ThreadLevel{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                                   ThreadLevel{"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                                   ThreadLevel{"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                   ThreadLevel{"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};

// Without a wish, sessions of libraries that do not know of each other must be able to live in
// several threads.
int wanted_level(const Info* info, std::optional<std::string>& wrong) {
  const auto wish = info != nullptr ? info->get("thread_level") : std::nullopt;
  if (!wish) return MPI_THREAD_MULTIPLE;
  for (const ThreadLevel& level : kThreadLevels) {
    if (*wish == level.name) return level.value;
  }
  wrong = wish;
  return MPI_THREAD_SINGLE;
}

const char* name_of_level(int value) noexcept {
  const auto found = std::find_if(kThreadLevels.begin(), kThreadLevels.end(),
                                  [&](const ThreadLevel& level) { return level.value == value; });
  return found->name;
}

// Where the engine takes no lock, the level of its first user is what there is: that of the World
// Model, or of a session that has said that there is one thread.
int granted_level(int wanted) noexcept {
  if (world.engine->progress().locking()) return wanted;
  return std::min(wanted, world.running() ? world.thread_level : MPI_THREAD_SINGLE);
}

Session* make_session(Errhandler& handler, int wanted) {
  Session* session = new Session(*world.engine, Ref<Errhandler>::share(&handler));
  const char* const level = name_of_level(granted_level(wanted));
  session->hints().set("thread_level", level);
  session->hints().set("mpi_thread_support_level", level);
  session->hints().set(kMemoryKindsKey, kMemoryKinds);
  return session;
}

int raise_unknown_set(const char* function, MPI_Session session, const char* name) {
  return raise(
      function, object_of(session), MPI_ERR_ARG,
      name == nullptr
          ? std::string("argument `pset_name` is a null pointer; it must be a name")
          : fmt::format("argument `pset_name` is \"{}\", which is no process set; there are "
                        "\"{}\" and \"{}\" (MPI_Session_get_nth_pset)",
                        name, Session::kSets[0], Session::kSets[1]));
}

// The info objects of these functions hold nothing that we know of.
bool right_info(MPI_Info info) noexcept {
  return info == MPI_INFO_NULL || find_info(info) != nullptr;
}

int raise_not_info(const char* function, const ErrorContext& object) {
  return raise(function, object, MPI_ERR_INFO,
               "argument `info` is no info object; MPI_INFO_NULL stands for none");
}

// With a length of 0 only the length is asked for.
void store_set_name(std::string_view name, int* length, char* text) noexcept {
  const std::size_t room = static_cast<std::size_t>(*length);
  *length = static_cast<int>(name.size()) + 1;
  if (room == 0) return;
  const std::size_t cut = std::min(name.size(), room - 1);
  std::memcpy(text, name.data(), cut);
  text[cut] = '\0';
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Session_init)
extern "C" int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  constexpr const char* function = "MPI_Session_init";
  int code = MPI_SUCCESS;
  Errhandler* handler =
      right_errhandler(function, no_object(), errhandler, HandlerOf::session, code);
  if (handler == nullptr) return code;
  const ErrorContext object = handled_by(*handler, MPI_SESSION_NULL, {});
  if (!right_info(info)) return raise_not_info(function, object);
  if (session == nullptr) return raise(function, object, MPI_ERR_ARG, null_pointer("session"));
  std::optional<std::string> wrong;
  const int wanted = wanted_level(find_info(info), wrong);
  if (wrong) {
    return raise(
        function, object, MPI_ERR_INFO_VALUE,
        fmt::format("the info key thread_level is \"{}\"; it must be one of MPI_THREAD_SINGLE, "
                    "MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE",
                    *wrong));
  }
  // Sessions share the engine: each may have its own thread already from MPI_THREAD_FUNNELED on.
  const Status held = hold_engine(EngineUser::session, wanted != MPI_THREAD_SINGLE);
  if (held == Errc::no_memory) return raise(function, object, held);
  if (!held.ok()) return raise(function, object, MPI_ERR_OTHER, held.text());
  *session = handle_of<MPI_Session>(make_session(*handler, wanted));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_finalize)
extern "C" int PMPI_Session_finalize(MPI_Session* session) {
  constexpr const char* function = "MPI_Session_finalize";
  if (session == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("session"));
  Session* object = find_session(*session);
  if (object == nullptr) return raise_not_session(function, *session);
  const Ref<Errhandler> handler = Ref<Errhandler>::share(&object->errhandler());
  {
    EngineGuard guard(world.engine->progress());
    object->buffer().detach();
    object->release();
  }
  *session = MPI_SESSION_NULL;
  const Status left = leave_engine(EngineUser::session);
  return left.ok() ? MPI_SUCCESS
                   : raise(function, handled_by(*handler, MPI_SESSION_NULL, {}), left);
}

TESSERA_WEAK_ALIAS(MPI_Session_get_info)
extern "C" int PMPI_Session_get_info(MPI_Session session, MPI_Info* info_used) {
  constexpr const char* function = "MPI_Session_get_info";
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  if (info_used == nullptr)
    return raise(function, object_of(session), MPI_ERR_ARG, null_pointer("info_used"));
  *info_used = handle_of<MPI_Info>(new Info(object->hints()));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_get_num_psets)
extern "C" int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* npset_names) {
  constexpr const char* function = "MPI_Session_get_num_psets";
  if (find_session(session) == nullptr) return raise_not_session(function, session);
  if (!right_info(info)) return raise_not_info(function, object_of(session));
  if (npset_names == nullptr)
    return raise(function, object_of(session), MPI_ERR_ARG, null_pointer("npset_names"));
  *npset_names = static_cast<int>(Session::kSets.size());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_get_nth_pset)
extern "C" int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* pset_len,
                                         char* pset_name) {
  constexpr const char* function = "MPI_Session_get_nth_pset";
  if (find_session(session) == nullptr) return raise_not_session(function, session);
  const auto wrong = [&](const std::string& text) {
    return raise(function, object_of(session), MPI_ERR_ARG, text);
  };
  if (!right_info(info)) return raise_not_info(function, object_of(session));
  if (n < 0 || n >= static_cast<int>(Session::kSets.size())) {
    return wrong(fmt::format("argument `n` is {}; valid are 0..{}", n, Session::kSets.size() - 1));
  }
  if (pset_len == nullptr) return wrong(null_pointer("pset_len"));
  if (*pset_len < 0)
    return wrong(
        fmt::format("argument `pset_len` points to {}; it must not be negative", *pset_len));
  if (*pset_len > 0 && pset_name == nullptr) return wrong(null_pointer("pset_name"));
  store_set_name(Session::kSets[static_cast<std::size_t>(n)], pset_len, pset_name);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_get_pset_info)
extern "C" int PMPI_Session_get_pset_info(MPI_Session session, const char* pset_name,
                                          MPI_Info* info) {
  constexpr const char* function = "MPI_Session_get_pset_info";
  const Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  const Group* set = pset_name != nullptr ? object->set(pset_name) : nullptr;
  if (set == nullptr) return raise_unknown_set(function, session, pset_name);
  if (info == nullptr)
    return raise(function, object_of(session), MPI_ERR_ARG, null_pointer("info"));
  Info* made = new Info;
  made->set("mpi_size", std::to_string(set->size()));
  *info = handle_of<MPI_Info>(made);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Group_from_session_pset)
extern "C" int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name,
                                            MPI_Group* newgroup) {
  constexpr const char* function = "MPI_Group_from_session_pset";
  const Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  Group* set = pset_name != nullptr ? object->set(pset_name) : nullptr;
  if (set == nullptr) return raise_unknown_set(function, session, pset_name);
  if (newgroup == nullptr)
    return raise(function, object_of(session), MPI_ERR_ARG, null_pointer("newgroup"));
  set->retain();
  *newgroup = hand_over(set);
  return MPI_SUCCESS;
}
