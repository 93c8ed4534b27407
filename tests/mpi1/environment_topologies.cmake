# SPDX-License-Identifier: BSD-3-Clause
# Terms, groups and communicators, topologies, the environment, profiling, portable programs.
tessera_add_mpi1_test(terms 1 2 5)
tessera_add_mpi1_test(groups 1 10)
tessera_add_mpi1_test(communicators 1 3 10)
tessera_add_mpi1_test(attributes 1 3)
tessera_add_mpi1_test(multicast 1 5)
tessera_add_mpi1_test(intercommunicators 1 2 5)
tessera_add_mpi1_test(cartesian 1 24)
tessera_add_mpi1_test(graphs 1 8)
tessera_add_mpi1_test(matrix_product 24)
tessera_add_mpi1_test(errors 1 5)
tessera_add_mpi1_test(environment 1 5)
tessera_add_mpi1_test(portability 1 2 5)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
add_executable(mpi1_environment_ends environment_ends.c)
tessera_set_warnings(mpi1_environment_ends)
target_link_libraries(mpi1_environment_ends PRIVATE mpi_abi Threads::Threads)
set_target_properties(mpi1_environment_ends PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME mpi1.environment_ends
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/environment.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpiexec
          $<TARGET_FILE:mpi1_environment_ends>)
set_tests_properties(mpi1.environment_ends PROPERTIES LABELS mpi TIMEOUT 300)

add_subdirectory(profiling)
