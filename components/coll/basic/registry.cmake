# SPDX-License-Identifier: BSD-3-Clause
# Collects what the algorithm files declare with `const Algorithm registered_...` and writes
# registry.h, registry.cpp and choices.h (the values of the parameters) into a folder of the build.
function(tessera_write_if_different file text)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

function(tessera_coll_registry folder files)
  set(operations barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce
    allreduce reduce_scatter reduce_scatter_block scan exscan neighbor_allgather neighbor_allgatherv neighbor_alltoall
    neighbor_alltoallv neighbor_alltoallw)
  set(names)
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX MATCHALL "const Algorithm registered_[a-z0-9_]+{[^;]*" lines "${text}")
    foreach(line ${lines})
      if(NOT line MATCHES "registered_([a-z0-9_]+){[ \n]*Operation::([a-z_]+),[ \n]*\"([a-z0-9_]+)\"")
        message(FATAL_ERROR "${file}: cannot read\n  ${line}\nexpected: const Algorithm registered_name{Operation::operation, \"name\", ...")
      endif()
      set(operation ${CMAKE_MATCH_2})
      if(NOT operation IN_LIST operations)
        message(FATAL_ERROR "${file}: there is no operation '${operation}'")
      endif()
      list(APPEND names ${CMAKE_MATCH_1})
      list(APPEND of_${operation} ${CMAKE_MATCH_3})
      if(line MATCHES "\\.segment")
        set(segment_${operation} YES)
      endif()
      if(line MATCHES "\\.radix")
        set(radix_${operation} YES)
      endif()
    endforeach()
  endforeach()

  set(declarations)
  set(entries)
  foreach(name ${names})
    string(APPEND declarations "extern const Algorithm registered_${name};\n")
    string(APPEND entries "    &registered_${name},\n")
  endforeach()
  set(choices)
  foreach(operation ${operations})
    list(SORT of_${operation})
    list(JOIN of_${operation} "," values)
    string(APPEND choices " \\\n  ALGORITHM(\"${operation}\", \"${values}\")")
    if(segment_${operation})
      string(APPEND choices " SEGMENT(\"${operation}\")")
    endif()
    if(radix_${operation})
      string(APPEND choices " RADIX(\"${operation}\")")
    endif()
  endforeach()
  tessera_write_if_different(${folder}/registry.h "// Made by the build.
#pragma once
namespace tessera::coll::basic {
${declarations}}
")
  tessera_write_if_different(${folder}/registry.cpp "// Made by the build.
#include \"algorithms.h\"
namespace tessera::coll::basic {
std::span<const Algorithm* const> algorithms() noexcept {
  static constexpr const Algorithm* kAll[] = {
${entries}  };
  return kAll;
}
}
")
  tessera_write_if_different(${folder}/choices.h "// Made by the build.
#define TESSERA_COLL_BASIC_CHOICES${choices}
")
endfunction()
