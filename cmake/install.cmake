# The installed package: find_package(duets) gives duets::base ... duets::service, one library per
# room, and duets::duets for all of them. The command line room is not a library for others; only
# its program is installed.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY DUETS_ROOMS)
list(REMOVE_ITEM rooms cli)
list(TRANSFORM rooms PREPEND duets_ OUTPUT_VARIABLE room_targets)

# The program has the name "duets", so the library of everything is called duets_all in this build.
add_library(duets_all INTERFACE)
add_library(duets::duets ALIAS duets_all)
target_link_libraries(duets_all INTERFACE ${room_targets})
set_target_properties(duets_all PROPERTIES EXPORT_NAME duets)
set_target_properties(duets_compiler PROPERTIES EXPORT_NAME compiler)
set_target_properties(duets_eigen PROPERTIES EXPORT_NAME eigen)
if(DUETS_SERVICE)
  list(APPEND room_targets duets_proto)
  set_target_properties(duets_proto PROPERTIES EXPORT_NAME proto)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/proto/duets/v1 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/duets
    FILES_MATCHING PATTERN "*.h")
endif()

install(TARGETS ${room_targets} duets_all duets_compiler duets_eigen EXPORT duets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(room IN LISTS rooms)
  install(DIRECTORY src/duets/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/duets
    FILES_MATCHING PATTERN "*.h" PATTERN "*_test_support.h" EXCLUDE)
endforeach()
if(TARGET duets)
  install(TARGETS duets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/duets)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/duets)
install(EXPORT duets NAMESPACE duets:: FILE duets-targets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/duets-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/duets-config.cmake ${PROJECT_BINARY_DIR}/duets-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/duets-config.cmake ${PROJECT_BINARY_DIR}/duets-config-version.cmake
  DESTINATION ${package_dir})
