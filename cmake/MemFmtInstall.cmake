# The package MemFmt, in the build tree and installed.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(libraries GLOBAL PROPERTY MEMFMT_LIBRARIES)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/MemFmt)

export(TARGETS ${libraries} FILE ${PROJECT_BINARY_DIR}/cmake/MemFmtTargets.cmake)
set(MEMFMT_CONFIG_INCLUDE_DIRS
    "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include")
configure_package_config_file(cmake/MemFmtConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/MemFmtConfig.cmake
  INSTALL_DESTINATION ${PROJECT_BINARY_DIR}/cmake)

set(MEMFMT_CONFIG_INCLUDE_DIRS "\${PACKAGE_PREFIX_DIR}/include")
configure_package_config_file(cmake/MemFmtConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/MemFmtConfig.cmake
  INSTALL_DESTINATION ${package_dir})
foreach(folder ${PROJECT_BINARY_DIR}/cmake ${PROJECT_BINARY_DIR}/install)
  write_basic_package_version_file(${folder}/MemFmtConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
endforeach()

install(TARGETS ${libraries} EXPORT MemFmtTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT MemFmtTargets DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/install/MemFmtConfig.cmake
              ${PROJECT_BINARY_DIR}/install/MemFmtConfigVersion.cmake
        DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/memfmt
                  ${PROJECT_BINARY_DIR}/include/memfmt
        DESTINATION include
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc")
install(TARGETS memfmt-opt memfmt-compile memfmt-run
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
