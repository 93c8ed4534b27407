# SPDX-License-Identifier: BSD-3-Clause
# Compile settings shared by every target of the project.

option(TESSERA_UNITY "Compile sources in batches: a build from nothing takes half the time, but a change costs more" OFF)
option(TESSERA_QUICK "Compile for a first look, not for use: everything with -Og and without warnings" OFF)

# Two thirds of the time of a file of api/ go into reading headers. A compiler cache does better
# than reading them once, and cannot look into files that use a precompiled header.
set(tessera_precompile_default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(tessera_precompile_default OFF)
endif()
option(TESSERA_PRECOMPILE "Precompile common headers" ${tessera_precompile_default})

# A directory sets the variable for the targets that follow.
define_property(TARGET PROPERTY TESSERA_LEVEL INITIALIZE_FROM_VARIABLE TESSERA_LEVEL
  BRIEF_DOCS "How a release is compiled, in place of -O3")
add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden> -fno-semantic-interposition
  $<$<CONFIG:Release>:$<IF:$<BOOL:${TESSERA_QUICK}>,-Og,$<IF:$<BOOL:$<TARGET_PROPERTY:TESSERA_LEVEL>>,$<TARGET_PROPERTY:TESSERA_LEVEL>,-O3>>>)
# Memory for time: GCC collects less garbage.
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=200 --param=ggc-min-heapsize=524288>)
if(TESSERA_QUICK)
  install(CODE "message(WARNING \"compiled for a first look, with -Og: configure with -DTESSERA_QUICK=OFF for use\")")
  target_compile_options(tessera_flags INTERFACE -w)
  target_compile_definitions(tessera_flags INTERFACE TESSERA_QUICK)
else()
  # -Wrestrict of GCC 12 misfires on std::string concatenation (GCC bug 105651).
  target_compile_options(tessera_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-sign-conversion> $<$<BOOL:${TESSERA_WERROR}>:-Werror>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
endif()
# The thread sanitizer cannot see fences (peer.h says why there is one), and the address sanitizer's
# own code makes GCC 12 guess wrongly that variables are uninitialised or too small; neither says
# anything about the program.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
endif()
# GCC 12 forgets with a precompiled header where it must not give these warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND TESSERA_PRECOMPILE)
  target_compile_options(tessera_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()
# Every program, too, since the sanitizer's library has to be loaded before ours.
foreach(kind IN LISTS TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${kind} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${kind})
endforeach()

# tessera_precompile(TARGET HEADER...): compiles the standard headers that most files include, and
# these, once per target.
function(tessera_precompile target)
  if(TESSERA_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cstddef> <cstdint> <cstring> <functional> <map>
      <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()

# tessera_precompile_as(TARGET OTHER): with the precompiled headers of OTHER, a target with the same
# options. They are of use where the macros are defined that were defined then.
function(tessera_precompile_as target other)
  if(TESSERA_PRECOMPILE)
    get_target_property(definitions ${other} COMPILE_DEFINITIONS)
    if(definitions)
      target_compile_definitions(${target} PRIVATE ${definitions})
    endif()
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# tessera_cold(TARGET...): none of it runs while messages pass, so that compiling it quickly counts
# for more.
function(tessera_cold)
  set_target_properties(${ARGN} PROPERTIES TESSERA_LEVEL -O1)
endfunction()

# tessera_alone(SOURCE...): these are in no batch: each declares for itself a name that a file
# beside it declares as well.
function(tessera_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tessera_one_batch(FOLDER...): these folders make up one batch. Each batch loads the precompiled
# header and compiles anew what it uses of the standard library, which takes as long as some hundred
# lines of ours.
function(tessera_one_batch first)
  foreach(folder IN LISTS ARGN)
    set(tessera_batch_of_${folder} ${first} PARENT_SCOPE)
  endforeach()
endfunction()

# tessera_unite(TARGET SOURCE...): with TESSERA_UNITY, compiles the target's sources folder by
# folder, unless tessera_one_batch() has said otherwise, and these alone.
function(tessera_unite target)
  if(NOT TESSERA_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(DEFINED tessera_batch_of_${folder})
      set(folder ${tessera_batch_of_${folder}})
    endif()
    string(MAKE_C_IDENTIFIER "of_${folder}" group)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
  endforeach()
  tessera_alone(${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# tessera_install_program(TARGET): under its name with TESSERA_PROGRAM_SUFFIX. Its search path is
# that of the prefix already.
function(tessera_install_program target)
  install(PROGRAMS $<TARGET_FILE:${target}> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${target}${TESSERA_PROGRAM_SUFFIX})
endfunction()

# tessera_install_alias(NAME PROGRAM): NAME is another name of PROGRAM, both with the suffix.
function(tessera_install_alias name program)
  set(link ${CMAKE_CURRENT_BINARY_DIR}/alias/${name}${TESSERA_PROGRAM_SUFFIX})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/alias)
  file(CREATE_LINK ${program}${TESSERA_PROGRAM_SUFFIX} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# The project's warnings and sanitizers for one target; nothing of it reaches the target's users.
function(tessera_set_warnings target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tessera_flags>)
endfunction()
