# SPDX-License-Identifier: BSD-3-Clause
# Compile settings shared by every target of the project.

add_library(tessera_flags INTERFACE)
# -Wrestrict of GCC 12 misfires on std::string concatenation (GCC bug 105651).
target_compile_options(tessera_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -fvisibility-inlines-hidden>
  -fno-semantic-interposition
  $<$<CONFIG:Release>:-O3>)
# The thread sanitizer cannot see fences (peer.h says why there is one), and the address sanitizer's own code makes
# GCC 12 guess wrongly that variables are uninitialised or too small; neither says anything about the program.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
endif()
foreach(kind IN LISTS TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE -fsanitize=${kind} -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=${kind})
endforeach()

# The project's warnings and sanitizers for one target; nothing of it reaches the target's users.
function(tessera_set_warnings target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tessera_flags>)
endfunction()
