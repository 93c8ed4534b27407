// SPDX-License-Identifier: BSD-3-Clause
// A client of a PMIx server, over a library of the test's own that answers as it is told.
#include "components/boot/pmix/session.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <future>
#include <string>

namespace tessera::boot::pmix {
namespace {

// PMIx hands out what the caller frees.
Value* allocated(std::uint16_t type) {
  auto* const value = static_cast<Value*>(std::calloc(1, sizeof(Value)));
  value->type = type;
  return value;
}

int init(Proc* me, Info*, std::size_t) {
  std::strcpy(me->space, "job");
  me->rank = 0;
  return kSuccess;
}

// A job of two processes on one host.
int get(const Proc*, const char* key, const Info*, std::size_t, Value** value) {
  if (std::string(key) == "pmix.job.size") {
    *value = allocated(type_uint32);
    (*value)->data.uint32 = 2;
  } else if (std::string(key) == "pmix.hname") {
    *value = allocated(type_string);
    (*value)->data.string = strdup("here");
  } else {
    return -1;
  }
  return kSuccess;
}

Library library() {
  Library made{};
  made.init = init;
  made.get = get;
  made.version = [] { return "a library of the test"; };
  made.error_text = [](int) { return "an error"; };
  return made;
}

std::promise<std::string> asked;
std::promise<void> let_go;

TEST(PmixSession, ReadsItsPlace) {
  auto session = PmixSession::open(library());
  ASSERT_TRUE(session.ok());
  const Place& place = (*session)->place();
  EXPECT_EQ(place.rank, 0u);
  EXPECT_EQ(place.size, 2u);
  EXPECT_EQ(place.nodes, (std::vector<std::uint32_t>{0, 0}));
}

TEST(PmixSession, AbortComesBackWhereTheEngineIsOutOfReach) {
  Library unreachable = library();
  unreachable.abort = [](int code, const char* why, Proc*, std::size_t) {
    asked.set_value(std::to_string(code) + " " + why);
    let_go.get_future().wait();
    return kSuccess;
  };
  auto session = PmixSession::open(unreachable);
  ASSERT_TRUE(session.ok());
  (*session)->abort(7, "a test");
  EXPECT_EQ(asked.get_future().get(), "7 a test");
  let_go.set_value();
}

}  // namespace
}  // namespace tessera::boot::pmix
