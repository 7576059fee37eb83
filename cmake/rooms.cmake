# The rooms of the house and the doors between them.
#
# duets_component(NAME DEPS room... LINKS target...) makes one library from one folder. Configuring
# fails when a room names a dependency that the table below does not allow, and when a file of the
# room includes a header of a room it did not name. All *.cc of the folder are compiled and all
# *_test.cc of it are tests: a test on disk that no build runs cannot exist.

set(DUETS_ROOM_base "")
set(DUETS_ROOM_numeric base)
set(DUETS_ROOM_random base numeric)
set(DUETS_ROOM_kernel base numeric)
set(DUETS_ROOM_domain base numeric)
set(DUETS_ROOM_gp base numeric kernel)
set(DUETS_ROOM_region base numeric random kernel domain gp)
set(DUETS_ROOM_protocol base numeric random kernel domain gp region)
set(DUETS_ROOM_problems base numeric random kernel domain)
set(DUETS_ROOM_harness base numeric random kernel domain gp region protocol problems)
set(DUETS_ROOM_cli base numeric random kernel domain gp region protocol problems harness)

function(duets_check_includes ROOM FILES ALLOWED)
  foreach(file IN LISTS FILES)
    file(STRINGS ${file} lines REGEX "^#include \"duets/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"duets/([a-z]+)/.*" "\\1" used "${line}")
      if(NOT used STREQUAL ROOM AND NOT used IN_LIST ALLOWED)
        message(FATAL_ERROR "${file}: room '${ROOM}' may not include from room '${used}'")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
endfunction()

function(duets_component ROOM)
  cmake_parse_arguments(ARG "" "" "DEPS;LINKS" ${ARGN})
  if(NOT DEFINED DUETS_ROOM_${ROOM})
    message(FATAL_ERROR "room '${ROOM}' is not in the table of cmake/rooms.cmake")
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT dep IN_LIST DUETS_ROOM_${ROOM})
      message(FATAL_ERROR "room '${ROOM}' may not use room '${dep}' (table in cmake/rooms.cmake)")
    endif()
  endforeach()

  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  duets_check_includes(${ROOM} "${headers};${sources}" "${ARG_DEPS}")

  add_library(duets_${ROOM} STATIC ${sources} ${headers})
  add_library(duets::${ROOM} ALIAS duets_${ROOM})
  set_target_properties(duets_${ROOM} PROPERTIES EXPORT_NAME ${ROOM} LINKER_LANGUAGE CXX)
  target_include_directories(duets_${ROOM} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  target_link_libraries(duets_${ROOM} PUBLIC duets_compiler PRIVATE $<BUILD_INTERFACE:duets_warnings>)
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(duets_${ROOM} PUBLIC duets_${dep})
  endforeach()
  target_link_libraries(duets_${ROOM} PUBLIC ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY DUETS_ROOMS ${ROOM})

  if(DUETS_TESTS AND tests)
    duets_test(${ROOM}_test SOURCES ${tests} LINKS duets_${ROOM})
  endif()
endfunction()

# duets_test(NAME SOURCES file... LINKS target... [LABELS label...]) makes one test program and
# registers each of its cases with ctest.
function(duets_test NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINKS} duets_warnings ${DUETS_RAPIDCHECK} ${DUETS_MPFR}
    GTest::gmock GTest::gtest_main nlohmann_json::nlohmann_json)
  target_compile_definitions(${NAME} PRIVATE DUETS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(ARG_LABELS)
    set(properties PROPERTIES LABELS ${ARG_LABELS})
  endif()
  include(GoogleTest)
  gtest_discover_tests(${NAME} ${properties} DISCOVERY_TIMEOUT 60)
endfunction()
