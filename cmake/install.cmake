# The installed package: find_package(duets) gives duets::base ... duets::service, one library per
# module, and duets::duets for all of them. The research module and the command line are not libraries for
# others; only the program is installed, with manual page and completions (component "program").

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY DUETS_ROOMS)
list(REMOVE_ITEM rooms lab cli)
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
  install(TARGETS duets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
# What the program says of itself is made by running it, which a cross compiler's machine cannot.
# duets_document(FILE WORDS... DESTINATION DIR) installs the output of `duets WORDS` as FILE.
function(duets_document FILE)
  cmake_parse_arguments(ARG "" "DESTINATION" "" ${ARGN})
  set(made ${PROJECT_BINARY_DIR}/documents/${FILE})
  add_custom_command(OUTPUT ${made} DEPENDS duets VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/documents
    COMMAND duets ${ARG_UNPARSED_ARGUMENTS} > ${made})
  set_property(GLOBAL APPEND PROPERTY DUETS_DOCUMENTS ${made})
  install(FILES ${made} DESTINATION ${ARG_DESTINATION} COMPONENT program)
endfunction()
if(TARGET duets AND NOT CMAKE_CROSSCOMPILING)
  set(share ${CMAKE_INSTALL_DATADIR})
  duets_document(duets.1 man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  duets_document(duets completion bash DESTINATION ${share}/bash-completion/completions)
  duets_document(_duets completion zsh DESTINATION ${share}/zsh/site-functions)
  duets_document(duets.fish completion fish DESTINATION ${share}/fish/vendor_completions.d)
  get_property(documents GLOBAL PROPERTY DUETS_DOCUMENTS)
  add_custom_target(duets_documents ALL DEPENDS ${documents})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/duets)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/duets)
install(EXPORT duets NAMESPACE duets:: FILE duets-targets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/duets-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/duets-config.cmake ${PROJECT_BINARY_DIR}/duets-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/duets-config.cmake ${PROJECT_BINARY_DIR}/duets-config-version.cmake
  DESTINATION ${package_dir})
