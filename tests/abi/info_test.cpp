// SPDX-License-Identifier: BSD-3-Clause
// Info objects, and the small functions that work before MPI_Init.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <string>

namespace {

class InfoTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(MPI_Info_create(&info_), MPI_SUCCESS); }
  void TearDown() override { EXPECT_EQ(MPI_Info_free(&info_), MPI_SUCCESS); }
  std::string value(const char* key) const { return value_of(info_, key); }
  static std::string value_of(MPI_Info info, const char* key) {
    char text[MPI_MAX_INFO_VAL];
    int size = sizeof text;
    int flag = -1;
    EXPECT_EQ(MPI_Info_get_string(info, key, &size, text, &flag), MPI_SUCCESS);
    return flag != 0 ? text : "(none)";
  }
  std::string key(int n) const {
    char text[MPI_MAX_INFO_KEY];
    EXPECT_EQ(MPI_Info_get_nthkey(info_, n, text), MPI_SUCCESS);
    return text;
  }
  int keys() const {
    int count = -1;
    EXPECT_EQ(MPI_Info_get_nkeys(info_, &count), MPI_SUCCESS);
    return count;
  }
  MPI_Info info_ = MPI_INFO_NULL;
};

TEST_F(InfoTest, keeps_arbitrary_keys_in_order) {
  for (const char* name : {"zeta", "alpha", "a key nobody knows"}) MPI_Info_set(info_, name, "1");
  MPI_Info_set(info_, "alpha", "2");
  EXPECT_EQ(keys(), 3);
  EXPECT_EQ(key(0), "zeta");
  EXPECT_EQ(key(1), "alpha");
  EXPECT_EQ(key(2), "a key nobody knows");
  EXPECT_EQ(value("alpha"), "2");
  EXPECT_EQ(value("beta"), "(none)");
}

TEST_F(InfoTest, deletes) {
  MPI_Info_set(info_, "a", "1");
  MPI_Info_set(info_, "b", "2");
  EXPECT_EQ(MPI_Info_delete(info_, "a"), MPI_SUCCESS);
  EXPECT_EQ(keys(), 1);
  EXPECT_EQ(key(0), "b");
}

TEST_F(InfoTest, a_duplicate_is_independent) {
  MPI_Info_set(info_, "a", "1");
  MPI_Info copy = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_dup(info_, &copy), MPI_SUCCESS);
  MPI_Info_set(info_, "a", "2");
  EXPECT_EQ(value_of(copy, "a"), "1");
  EXPECT_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
  EXPECT_EQ(copy, MPI_INFO_NULL);
}

TEST_F(InfoTest, get_string_tells_the_room_it_needs) {
  MPI_Info_set(info_, "a", "12345");
  char text[4] = "xxx";
  int size = 0;
  int flag = 0;
  EXPECT_EQ(MPI_Info_get_string(info_, "a", &size, nullptr, &flag), MPI_SUCCESS);
  EXPECT_EQ(size, 6);
  size = sizeof text;
  EXPECT_EQ(MPI_Info_get_string(info_, "a", &size, text, &flag), MPI_SUCCESS);
  EXPECT_STREQ(text, "123");
  EXPECT_EQ(size, 6);
  size = 3;
  EXPECT_EQ(MPI_Info_get_string(info_, "b", &size, text, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(size, 3);
}

TEST_F(InfoTest, the_deprecated_readers_agree) {
  MPI_Info_set(info_, "a", "12345");
  char text[4] = "xxx";
  int length = 0;
  int flag = 0;
  EXPECT_EQ(MPI_Info_get_valuelen(info_, "a", &length, &flag), MPI_SUCCESS);
  EXPECT_EQ(length, 5);
  EXPECT_EQ(MPI_Info_get(info_, "a", 3, text, &flag), MPI_SUCCESS);
  EXPECT_STREQ(text, "123");
}

TEST_F(InfoTest, the_environment_knows_the_program) {
  EXPECT_EQ(value_of(MPI_INFO_ENV, "mpi_memory_alloc_kinds"), "mpi,system");
  EXPECT_NE(value_of(MPI_INFO_ENV, "command").find("abi_test"), std::string::npos)
      << value_of(MPI_INFO_ENV, "command");
  char program[] = "solver";
  char argument[] = "--fast";
  char* argv[] = {program, argument, nullptr};
  MPI_Info start = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_create_env(2, argv, &start), MPI_SUCCESS);
  EXPECT_EQ(value_of(start, "command"), "solver");
  EXPECT_EQ(value_of(start, "argv"), "--fast");
  EXPECT_EQ(MPI_Info_free(&start), MPI_SUCCESS);
}

TEST_F(InfoTest, converts_to_an_integer_and_back) {
  EXPECT_EQ(MPI_Info_toint(MPI_INFO_NULL), 0x130);
  EXPECT_EQ(MPI_Info_fromint(0x131), MPI_INFO_ENV);
  EXPECT_EQ(MPI_Info_fromint(MPI_Info_toint(info_)), info_);
  EXPECT_EQ(MPI_Info_fromint(1'000'000'000), MPI_INFO_NULL);
}

using InfoDeathTest = InfoTest;

TEST_F(InfoDeathTest, wrong_arguments_get_the_right_class) {
  using testing::ExitedWithCode;
  const std::string long_key(MPI_MAX_INFO_KEY, 'k');
  const std::string long_value(MPI_MAX_INFO_VAL, 'v');
  char text[MPI_MAX_INFO_KEY];
  MPI_Info environment = MPI_INFO_ENV;
  EXPECT_EXIT(MPI_Info_set(info_, nullptr, "1"), ExitedWithCode(MPI_ERR_INFO_KEY),
              "`key` is a null pointer");
  EXPECT_EXIT(MPI_Info_set(info_, "", "1"), ExitedWithCode(MPI_ERR_INFO_KEY), "`key` is empty");
  EXPECT_EXIT(MPI_Info_set(info_, long_key.c_str(), "1"), ExitedWithCode(MPI_ERR_INFO_KEY),
              "256 characters");
  EXPECT_EXIT(MPI_Info_set(info_, "a", long_value.c_str()), ExitedWithCode(MPI_ERR_INFO_VALUE),
              "1024 characters");
  EXPECT_EXIT(MPI_Info_delete(info_, "a"), ExitedWithCode(MPI_ERR_INFO_NOKEY), "no key \"a\"");
  EXPECT_EXIT(MPI_Info_get_nthkey(info_, 0, text), ExitedWithCode(MPI_ERR_ARG), "has 0 keys");
  EXPECT_EXIT(MPI_Info_set(MPI_INFO_NULL, "a", "1"), ExitedWithCode(MPI_ERR_INFO), "MPI_INFO_NULL");
  EXPECT_EXIT(MPI_Info_set(nullptr, "a", "1"), ExitedWithCode(MPI_ERR_INFO), "no info object");
  EXPECT_EXIT(MPI_Info_set(environment, "a", "1"), ExitedWithCode(MPI_ERR_INFO),
              "MPI_INFO_ENV, which cannot be changed");
  EXPECT_EXIT(MPI_Info_free(&environment), ExitedWithCode(MPI_ERR_INFO), "MPI_INFO_ENV");
}

TEST(Environment, memory_is_aligned_as_asked) {
  MPI_Info info = MPI_INFO_NULL;
  void* memory = nullptr;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
  ASSERT_EQ(MPI_Alloc_mem(100, info, &memory), MPI_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
  EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
  MPI_Info_free(&info);
}

TEST(Environment, the_clock_advances_by_at_least_a_tick) {
  const double start = MPI_Wtime();
  EXPECT_GT(MPI_Wtick(), 0.0);
  while (MPI_Wtime() <= start) {
  }
}

TEST(Environment, describes_itself) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  int numbers[4] = {};
  ASSERT_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text).find("Tessera "), 0U);
  MPI_Get_version(&numbers[0], &numbers[1]);
  MPI_Abi_get_version(&numbers[2], &numbers[3]);
  EXPECT_EQ(numbers[0], 5);
  EXPECT_EQ(numbers[2], 1);
  ASSERT_EQ(MPI_Get_processor_name(text, &length), MPI_SUCCESS);
  EXPECT_GT(length, 0);
}

TEST(Addresses, wrap_around) {
  MPI_Aint address = 0;
  int object = 0;
  ASSERT_EQ(MPI_Get_address(&object, &address), MPI_SUCCESS);
  EXPECT_EQ(MPI_Aint_diff(MPI_Aint_add(address, 40), address), 40);
  EXPECT_EQ(MPI_Aint_add(INTPTR_MAX, 1), INTPTR_MIN);
}

}  // namespace
