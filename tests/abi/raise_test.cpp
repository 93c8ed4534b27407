// SPDX-License-Identifier: BSD-3-Clause
// What raise() does with each kind of error handler; linked with the objects of the library.
#include <gtest/gtest.h>

#include <string>

#include "api/errors/error.h"
#include "api/errors/error_codes.h"

namespace tessera::api {
namespace {

struct Call {
  void* handle = nullptr;
  int code = 0;
} last_call;

void remember(void* handle, int* code, ...) {
  last_call = {*static_cast<void**>(handle), *code};
}

ErrorContext context_with(ErrorContext::Action action) {
  ErrorContext context;
  context.action = action;
  context.function = remember;
  context.handle = MPI_COMM_WORLD;
  context.where = "communicator MPI_COMM_WORLD, rank 3";
  return context;
}

constexpr const char* text = "argument `tag` is -7; valid tags are 0..2147483647";
constexpr const char* report =
    "MPI_Send: argument `tag` is -7; valid tags are 0..2147483647 [communicator MPI_COMM_WORLD, "
    "rank 3]";

TEST(Raise, returns_a_code_of_the_class_and_keeps_the_report) {
  const int code =
      raise("MPI_Send", context_with(ErrorContext::Action::return_code), MPI_ERR_TAG, text);
  EXPECT_NE(code, MPI_ERR_TAG);
  EXPECT_EQ(code % 128, MPI_ERR_TAG);
  EXPECT_LE(code, MPI_ERR_LASTCODE);
  EXPECT_EQ(ErrorCodes::instance().class_of(code), MPI_ERR_TAG);
  EXPECT_EQ(ErrorCodes::instance().describe(code), report);
}

TEST(Raise, calls_the_function_of_the_user_with_object_and_code) {
  last_call = {};
  const int code = raise("MPI_Send", context_with(ErrorContext::Action::call), MPI_ERR_TAG, text);
  EXPECT_EQ(last_call.handle, MPI_COMM_WORLD);
  EXPECT_EQ(last_call.code, code);
}

TEST(Raise, takes_class_and_text_of_a_status) {
  const Status failure = Status::failure(Errc::truncated, "the message has 8 bytes, the buffer 4");
  const int code = raise("MPI_Recv", context_with(ErrorContext::Action::return_code), failure);
  EXPECT_EQ(ErrorCodes::instance().class_of(code), MPI_ERR_TRUNCATE);
  EXPECT_EQ(
      ErrorCodes::instance().describe(code),
      "MPI_Recv: the message has 8 bytes, the buffer 4 [communicator MPI_COMM_WORLD, rank 3]");
}

TEST(Raise, never_returns_a_code_beyond_the_last_one) {
  for (int i = 0; i < 300; ++i) {
    const int code = raise("f", context_with(ErrorContext::Action::return_code), MPI_ERR_ABI, "x");
    ASSERT_GT(code, MPI_ERR_ABI);
    ASSERT_LE(code, MPI_ERR_LASTCODE);
    ASSERT_EQ(code % 128, MPI_ERR_ABI);
  }
}

TEST(Raise, cuts_a_text_that_MPI_Error_string_has_no_room_for) {
  const int code = raise("f", context_with(ErrorContext::Action::return_code), MPI_ERR_ARG,
                         std::string(2'000, 'x'));
  EXPECT_EQ(ErrorCodes::instance().describe(code)->size(), MPI_MAX_ERROR_STRING - 1U);
}

TEST(Raise, calls_a_handler_with_a_code_that_exists) {
  last_call = {};
  const int code = ErrorCodes::instance().add_class();
  EXPECT_EQ(
      call_handler("MPI_Comm_call_errhandler", context_with(ErrorContext::Action::call), code),
      code);
  EXPECT_EQ(last_call.code, code);
}

using RaiseDeathTest = ::testing::Test;

TEST(RaiseDeathTest, a_fatal_error_prints_one_block_and_exits_with_the_class) {
  for (const auto action : {ErrorContext::Action::fatal, ErrorContext::Action::abort}) {
    EXPECT_EXIT(raise("MPI_Send", context_with(action), MPI_ERR_TAG, text),
                testing::ExitedWithCode(MPI_ERR_TAG),
                "^MPI_Send: argument `tag` is -7; .*rank 3.\n  MPI_ERR_TAG .class 4.: ");
  }
}

TEST(RaiseDeathTest, an_added_class_never_looks_like_success) {
  const int error_class = ErrorCodes::instance().add_class();
  EXPECT_EXIT(call_handler("f", context_with(ErrorContext::Action::fatal), error_class),
              testing::ExitedWithCode(1), "added by the program");
}

}  // namespace
}  // namespace tessera::api
