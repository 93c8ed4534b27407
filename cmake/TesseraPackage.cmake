# SPDX-License-Identifier: BSD-3-Clause
# What an installed Tessera offers to other builds: find_package(Tessera) and pkg-config tessera.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TesseraConfig.cmake.in ${CMAKE_BINARY_DIR}/TesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tessera.pc.in ${CMAKE_BINARY_DIR}/tessera.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/TesseraConfig.cmake ${CMAKE_BINARY_DIR}/TesseraConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TesseraComponent.cmake DESTINATION ${package_dir})
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${package_dir})
install(FILES ${CMAKE_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Starting a component of one's own.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/new-component DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME tessera-new-component)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/skeletons DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera)
