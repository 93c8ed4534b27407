// SPDX-License-Identifier: BSD-3-Clause
// The predefined types: sizes and extents are those of the compiler.
#include <complex>
#include <cstring>

#include "tests/datatype/types.h"

namespace tessera::test {
namespace {

TEST(Predefined, HaveTheSizesOfC) {
  EXPECT_EQ(named(MPI_INT).size(), 4);
  EXPECT_EQ(named(MPI_LONG).size(), static_cast<Count>(sizeof(long)));
  EXPECT_EQ(named(MPI_LONG_DOUBLE).extent(), static_cast<Aint>(sizeof(long double)));
  EXPECT_EQ(named(MPI_WCHAR).size(), static_cast<Count>(sizeof(wchar_t)));
  EXPECT_EQ(named(MPI_C_LONG_DOUBLE_COMPLEX).size(),
            static_cast<Count>(sizeof(std::complex<long double>)));
  EXPECT_STREQ(named(MPI_CXX_BOOL).name(), "MPI_CXX_BOOL");
  EXPECT_TRUE(named(MPI_DOUBLE_PRECISION).contiguous());
}

template <class Value>
void expect_pair(MPI_Datatype handle) {
  struct Pair {
    Value value;
    int index;
  };
  const TypeObject& type = named(handle);
  EXPECT_EQ(type.size(), static_cast<Count>(sizeof(Value) + sizeof(int)));
  EXPECT_EQ(type.extent(), static_cast<Aint>(sizeof(Pair)));
  EXPECT_EQ(type.true_extent(), static_cast<Aint>(offsetof(Pair, index) + sizeof(int)));
  EXPECT_EQ(type.contiguous(), type.size() == type.extent());
}

TEST(Predefined, PairsAreStructsOfC) {
  expect_pair<float>(MPI_FLOAT_INT);
  expect_pair<double>(MPI_DOUBLE_INT);
  expect_pair<long>(MPI_LONG_INT);
  expect_pair<short>(MPI_SHORT_INT);
  expect_pair<int>(MPI_2INT);
  expect_pair<long double>(MPI_LONG_DOUBLE_INT);
}

TEST(Predefined, ValuesThatAreNoTypesAreNull) {
  EXPECT_EQ(predefined_type(0), nullptr);
  EXPECT_EQ(predefined_type(0x200), nullptr);  // MPI_DATATYPE_NULL
  EXPECT_EQ(predefined_type(0x280), nullptr);
  EXPECT_EQ(predefined_type(0x300), nullptr);
}

TEST(Predefined, EveryHandleValueLeadsBack) {
  int found = 0;
  for (std::uintptr_t value = 0; value < 0x1000; ++value) {
    const TypeObject* type = predefined_type(value);
    if (type == nullptr) continue;
    EXPECT_EQ(handle_value(*type), value);
    ++found;
  }
  EXPECT_EQ(found, static_cast<int>(basics().size()) + 9 + 2);  // nine pairs, two markers
}

TEST(Predefined, PairsAreFoundByTheirParts) {
  EXPECT_EQ(value_index_type(named(MPI_DOUBLE), named(MPI_INT)), &named(MPI_DOUBLE_INT));
  EXPECT_EQ(value_index_type(named(MPI_INT), named(MPI_INT32_T)), &named(MPI_2INT));
  EXPECT_EQ(value_index_type(named(MPI_C_DOUBLE_COMPLEX), named(MPI_INT)), nullptr);
  // The pairs of two floating-point numbers are Fortran's.
  EXPECT_EQ(value_index_type(named(MPI_REAL), named(MPI_REAL)), &named(MPI_2REAL));
  EXPECT_EQ(value_index_type(named(MPI_FLOAT), named(MPI_FLOAT)), nullptr);
  EXPECT_EQ(value_index_type(named(MPI_DOUBLE), named(MPI_DOUBLE)), nullptr);
  const TypeObject* nameless = value_index_type(named(MPI_DOUBLE), named(MPI_INT64_T));
  ASSERT_NE(nameless, nullptr);
  EXPECT_EQ(nameless->size(), 16);
  EXPECT_TRUE(nameless->predefined());
  EXPECT_EQ(handle_value(*nameless), reinterpret_cast<std::uintptr_t>(nameless));
  EXPECT_EQ(nameless->recipe()->combiner(), Combiner::value_index);
  EXPECT_EQ(value_index_type(named(MPI_DOUBLE), named(MPI_INT64_T)), nameless);
}

TEST(Predefined, TypesOfFortranRangesAreKept) {
  const TypeObject* type = f90_type(Combiner::f90_real, 10, 100, named(MPI_REAL8));
  EXPECT_EQ(type->size(), 8);
  EXPECT_EQ(type->kind(), named(MPI_REAL8).handle());
  EXPECT_EQ(f90_type(Combiner::f90_real, 10, 100, named(MPI_REAL8)), type);
  EXPECT_NE(f90_type(Combiner::f90_real, 10, 101, named(MPI_REAL8)), type);
  EXPECT_EQ(type->recipe()->integers(), (std::vector<int>{10, 100}));
}

}  // namespace
}  // namespace tessera::test
