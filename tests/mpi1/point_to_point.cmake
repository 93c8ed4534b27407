# SPDX-License-Identifier: BSD-3-Clause
# Chapter 2 of MPI-1: point-to-point communication. The largest number of ranks reaches the largest
# case of each file.
tessera_add_mpi1_test(envelope 1 3)
tessera_add_mpi1_test(receiving 2)
tessera_add_mpi1_test(type_matching 2)
tessera_add_mpi1_test(ordering 3)
tessera_add_mpi1_test(progress 2)
tessera_add_mpi1_test(sendrecv 1 3)
tessera_add_mpi1_test(nonblocking 2)
tessera_add_mpi1_test(completion 2)
tessera_add_mpi1_test(null_requests 2)
tessera_add_mpi1_test(probe 3)
tessera_add_mpi1_test(cancel 1 2)
tessera_add_mpi1_test(persistent 2)
tessera_add_mpi1_test(modes 2)
tessera_add_mpi1_test(bsend_accounting 2)
tessera_add_mpi1_test(jacobi 1 2 5)
tessera_add_mpi1_test(producers 2 5)
tessera_add_mpi1_test(large_count 2)

# Counts on buffering, so that it is not run without: it would hang.
tessera_add_mpi1_test(buffering)
set(command ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpiexec --timeout 240 -n 4)
add_test(NAME mpi1.buffering.4 COMMAND ${command} $<TARGET_FILE:mpi1_buffering>)
add_test(NAME mpi1.buffering.4.tcp COMMAND ${command} --mca btl self,tcp $<TARGET_FILE:mpi1_buffering>)
set_tests_properties(mpi1.buffering.4 mpi1.buffering.4.tcp PROPERTIES LABELS mpi TIMEOUT 300)

# Programs that do not end well, under the launcher.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_executable(mpi1_point_to_point_ends point_to_point_ends.c)
tessera_set_warnings(mpi1_point_to_point_ends)
target_link_libraries(mpi1_point_to_point_ends PRIVATE mpi_abi)
set_target_properties(mpi1_point_to_point_ends PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME mpi1.point_to_point_ends
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/point_to_point_ends.py)
set_tests_properties(mpi1.point_to_point_ends PROPERTIES
  LABELS mpi
  TIMEOUT 300
  ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/launcher;TESSERA_TEST_MPIEXEC=$<TARGET_FILE:mpiexec>;TESSERA_TEST_ACTOR=$<TARGET_FILE:mpi1_point_to_point_ends>")
