// SPDX-License-Identifier: BSD-3-Clause
// Error codes, classes and texts, before MPI_Init.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

namespace {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text).size(), static_cast<std::size_t>(length));
  return text;
}

int class_of(int code) {
  int error_class = -1;
  EXPECT_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
  return error_class;
}

TEST(Errors, every_predefined_class_has_itself_as_class_and_a_text_of_its_own) {
  for (int value = MPI_SUCCESS; value <= MPI_ERR_ABI; ++value) {
    EXPECT_EQ(class_of(value), value);
    EXPECT_EQ(text_of(value).find(value == MPI_SUCCESS ? "MPI_SUCCESS: " : "MPI_ERR_"), 0U)
        << value;
  }
}

TEST(Errors, codes_of_the_tool_interface_are_their_own_class) {
  for (int value = MPI_T_ERR_CANNOT_INIT; value <= MPI_T_ERR_PVAR_NO_ATOMIC; ++value) {
    EXPECT_EQ(class_of(value), value);
    EXPECT_EQ(text_of(value).find("MPI_T_ERR_"), 0U) << value;
  }
}

TEST(Errors, a_returned_code_keeps_its_class_and_text) {
  const int code =
      MPI_File_delete("/nowhere", MPI_INFO_NULL);  // files return errors unless told otherwise
  ASSERT_NE(code, MPI_SUCCESS);
  EXPECT_LE(code, MPI_ERR_LASTCODE);
  EXPECT_EQ(class_of(code), code & 127);
  EXPECT_EQ(text_of(code).find("MPI_File_delete: "), 0U) << text_of(code);
}

TEST(Errors, the_text_of_an_old_code_gives_way_but_its_class_stays) {
  const int code = MPI_File_delete("/nowhere", MPI_INFO_NULL);
  for (int i = 0; i < 127; ++i) MPI_File_delete("/nowhere", MPI_INFO_NULL);
  EXPECT_EQ(class_of(code), code & 127);
  EXPECT_FALSE(text_of(code).empty());
}

// req dynamic 10.1
TEST(Errors, added_classes_and_codes_come_after_the_predefined_ones) {
  int error_class = 0;
  int code = 0;
  int predefined = 0;
  ASSERT_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  ASSERT_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  ASSERT_EQ(MPI_Add_error_code(MPI_ERR_IO, &predefined), MPI_SUCCESS);
  EXPECT_GT(error_class, MPI_ERR_LASTCODE);
  EXPECT_EQ(class_of(error_class), error_class);
  EXPECT_EQ(class_of(code), error_class);
  EXPECT_EQ(class_of(predefined), MPI_ERR_IO);
  EXPECT_EQ(text_of(code), "");
  EXPECT_EQ(MPI_Add_error_string(code, "the solver diverged"), MPI_SUCCESS);
  EXPECT_EQ(text_of(code), "the solver diverged");
  EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
  EXPECT_EQ(text_of(code), "");
  EXPECT_EQ(MPI_Remove_error_code(predefined), MPI_SUCCESS);
  EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
}

using ErrorsDeathTest = ::testing::Test;

// req dynamic 10.5: before MPI_Init the initial handler has them
TEST(ErrorsDeathTest, an_unhandled_error_ends_the_process_with_its_class_and_one_report) {
  EXPECT_EXIT(MPI_Error_class(MPI_ERR_LASTCODE + 999, nullptr),
              testing::ExitedWithCode(MPI_ERR_ARG),
              "MPI_Error_class: argument `errorclass` is a null pointer");
  int error_class = 0;
  EXPECT_EXIT(MPI_Error_class(-1, &error_class), testing::ExitedWithCode(MPI_ERR_ARG),
              "MPI_Error_class: argument `errorcode` is -1");
}

// req dynamic 10.1
TEST(ErrorsDeathTest, predefined_classes_cannot_be_changed) {
  EXPECT_EXIT(MPI_Add_error_string(MPI_ERR_TAG, "x"), testing::ExitedWithCode(MPI_ERR_ARG),
              "must be a value");
  EXPECT_EXIT(MPI_Remove_error_class(MPI_ERR_TAG), testing::ExitedWithCode(MPI_ERR_ARG),
              "MPI_Add_error_class");
  EXPECT_EXIT(MPI_Remove_error_code(MPI_ERR_TAG), testing::ExitedWithCode(MPI_ERR_ARG),
              "MPI_Add_error_code");
}

TEST(ErrorsDeathTest, a_class_with_codes_cannot_be_removed) {
  int error_class = 0;
  int code = 0;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  EXPECT_EXIT(MPI_Remove_error_class(error_class), testing::ExitedWithCode(MPI_ERR_ARG),
              "still has error codes");
}

TEST(ErrorsDeathTest, what_has_a_string_cannot_be_removed) {
  int error_class = 0;
  int code = 0;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_string(error_class, "trouble");
  EXPECT_EXIT(MPI_Remove_error_class(error_class), testing::ExitedWithCode(MPI_ERR_ARG),
              "still has a string");
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_string(code, "great trouble");
  EXPECT_EXIT(MPI_Remove_error_code(code), testing::ExitedWithCode(MPI_ERR_ARG),
              "still has a string");
}

}  // namespace
