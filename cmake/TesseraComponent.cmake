# SPDX-License-Identifier: BSD-3-Clause
# tessera_add_component(FRAMEWORK NAME SOURCE...): builds tessera_<framework>_<name>.so.
# In the project it goes where built-in components live; with an installed Tessera (find_package) it
# is left in the project's own build folder and `install` puts it into the prefix's component
# folder.

function(tessera_add_component framework name)
  set(target tessera_${framework}_${name})
  add_library(${target} MODULE ${ARGN})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${target} PRIVATE Tessera::core)
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,now)
  if(COMMAND tessera_set_warnings)
    tessera_set_warnings(${target})
    tessera_precompile_as(${target} tessera_component_headers)
    tessera_unite(${target})
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${TESSERA_COMPONENT_DIR}
      INSTALL_RPATH "$ORIGIN/..")
    set_property(GLOBAL APPEND PROPERTY TESSERA_COMPONENTS ${target})
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${TESSERA_COMPONENT_DIR})
endfunction()
