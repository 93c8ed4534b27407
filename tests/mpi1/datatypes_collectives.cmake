# SPDX-License-Identifier: BSD-3-Clause
# Datatypes, packing and collective communication.
tessera_add_mpi1_test(type_maps 1)
tessera_add_mpi1_test(type_bounds 1)
tessera_add_mpi1_test(type_life 2)
tessera_add_mpi1_test(type_use 2)
tessera_add_mpi1_test(matrices 2)
tessera_add_mpi1_test(particles 2)
tessera_add_mpi1_test(addresses 1 5)
tessera_add_mpi1_test(packing 2 5)
tessera_add_mpi1_test(collective_rules 1 2 5)
tessera_add_mpi1_test(collective_order 3)
tessera_add_mpi1_test(data_movement 1 2 5)
tessera_add_mpi1_test(signatures 2 5)
tessera_add_mpi1_test(gathers 1 5)
tessera_add_mpi1_test(reductions 1 2 5)
tessera_add_mpi1_test(reduction_rules 1 4 5)
tessera_add_mpi1_test(reduction_examples 1 5 8)
tessera_add_mpi1_test(user_ops 1 2 5)

# A broadcast whose data is named differently by each rank, through every algorithm that cuts it
# into pieces.
foreach(algorithm chain scatter_allgather)
  add_test(NAME mpi1.signatures.5.${algorithm}
    COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpiexec --timeout 240 -n 5 --mca coll basic --mca coll_basic_bcast_algorithm ${algorithm}
            $<TARGET_FILE:mpi1_signatures>)
  set_tests_properties(mpi1.signatures.5.${algorithm} PROPERTIES LABELS mpi TIMEOUT 300)
endforeach()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_executable(mpi1_op_abort op_abort.c)
tessera_set_warnings(mpi1_op_abort)
target_link_libraries(mpi1_op_abort PRIVATE mpi_abi)
set_target_properties(mpi1_op_abort PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME mpi1.op_abort
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/op_abort.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpiexec
          $<TARGET_FILE:mpi1_op_abort>)
set_tests_properties(mpi1.op_abort PROPERTIES LABELS mpi TIMEOUT 300)
