# What `make install` lays down for programs that use the library: headers, both libraries,
# find_package(quern) and pkg-config. The rooms of the command install themselves.
include(CMakePackageConfigHelpers)

install(TARGETS quern_shared quern_static EXPORT quern-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/quern ${PROJECT_BINARY_DIR}/include/quern
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quern)
install(EXPORT quern-targets NAMESPACE quern:: DESTINATION ${package_dir})
configure_package_config_file(cmake/quern-config.cmake.in quern-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(quern-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/quern-config.cmake
  ${PROJECT_BINARY_DIR}/quern-config-version.cmake DESTINATION ${package_dir})

# The prefix is found from the file's own place, so that it holds wherever the tree is laid.
file(RELATIVE_PATH QUERN_PC_UP /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(QUERN_PC_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(QUERN_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/quern.pc.in quern.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/quern.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
