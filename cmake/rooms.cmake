# The modules, here called rooms, and which of them each may use.
#
# duets_component(NAME DEPS module... LINKS target...) makes one library from one folder.
# Configuring fails when a module names a dependency that the table below does not allow, and when a
# file of the module includes a header of a module it did not name. A module without sources is
# header-only. All *.cc of the folder are compiled and all *_test.cc of it are tests: a test on disk
# that no build runs cannot exist.

set(DUETS_ROOM_base "")
set(DUETS_ROOM_numeric base)
set(DUETS_ROOM_report base)
set(DUETS_ROOM_random base numeric)
set(DUETS_ROOM_kernel base numeric)
set(DUETS_ROOM_domain base numeric)
set(DUETS_ROOM_gp base numeric kernel)
set(DUETS_ROOM_region base numeric random kernel domain gp)
set(DUETS_ROOM_protocol base numeric random kernel domain gp region)
set(DUETS_ROOM_study base numeric random kernel domain gp region protocol)
set(DUETS_ROOM_problems base numeric random kernel domain)
set(DUETS_ROOM_baselines base numeric random kernel domain gp problems)
set(DUETS_ROOM_harness base numeric report random kernel domain gp region protocol problems)
set(DUETS_ROOM_lab base numeric report random kernel domain gp region protocol problems baselines
  harness)
set(DUETS_ROOM_cluster base)
set(DUETS_ROOM_storage base)
set(DUETS_ROOM_service base numeric report random kernel domain gp region protocol study storage)
set(DUETS_ROOM_cli base numeric report random kernel domain gp region protocol study problems baselines
  harness lab cluster storage service)
# The Python package lies in python/, not under src/duets.
set(DUETS_ROOM_python ${DUETS_ROOM_cli} cli)

# Headers that no module below harness may use: there a run is a pure function, so nothing reads a
# clock, starts a thread, prints, or draws from anything but a coin.
set(DUETS_FORBIDDEN_HEADERS chrono ctime random thread future iostream)
set(DUETS_HOST_ROOMS harness lab cluster storage service cli python)

# Modules that compute next to nothing: the costly optimisations take time to compile and gain
# nothing there.
set(DUETS_LIGHT_ROOMS report study storage service cli)

# Fails unless every file of ROOM includes only headers of ROOM and of the modules in ALLOWED.
function(duets_check_includes ROOM ALLOWED)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]")
    foreach(line IN LISTS lines)
      if(line MATCHES "[\"<]duets/([a-z_]+)/")
        set(used ${CMAKE_MATCH_1})
        if(NOT used STREQUAL ROOM AND NOT used IN_LIST ALLOWED)
          message(FATAL_ERROR "${file}: module '${ROOM}' may not include from module '${used}'")
        endif()
      elseif(line MATCHES "<([a-z_]+)>")
        set(used ${CMAKE_MATCH_1})
        if(used IN_LIST DUETS_FORBIDDEN_HEADERS AND NOT ROOM IN_LIST DUETS_HOST_ROOMS)
          message(FATAL_ERROR "${file}: module '${ROOM}' may not include <${used}>")
        endif()
      endif()
    endforeach()
    # An edited include must be checked again without anyone asking for it.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
endfunction()

function(duets_check_table ROOM)
  if(NOT DEFINED DUETS_ROOM_${ROOM})
    message(FATAL_ERROR "module '${ROOM}' is not in the table of cmake/rooms.cmake")
  endif()
  foreach(dep IN LISTS ARGN)
    if(NOT dep IN_LIST DUETS_ROOM_${ROOM})
      message(FATAL_ERROR
        "module '${ROOM}' may not use module '${dep}' (table in cmake/rooms.cmake)")
    endif()
  endforeach()
endfunction()

# Makes SOURCE with `const report::Prose& duets::ROOM::prose()` from Markdown files, which are edited
# as what they are. The module has the declaration in prose.h.
function(duets_prose ROOM SOURCE)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} part)
    string(APPEND text "${part}\n#\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(CONFIGURE OUTPUT ${SOURCE} @ONLY CONTENT [[
#include "duets/@ROOM@/prose.h"

namespace duets::@ROOM@ {

const report::Prose& prose() {
  static const report::Prose kProse(R"prose(@text@)prose");
  return kProse;
}

}  // namespace duets::@ROOM@
]])
endfunction()

# Files that are compiled by themselves where others are compiled in units: tools/mutation.py changes
# them one at a time.
set(DUETS_ALONE "" CACHE STRING "Sources that no unit includes, relative to the checkout")

function(duets_component ROOM)
  cmake_parse_arguments(ARG "" "" "DEPS;LINKS" ${ARGN})
  duets_check_table(${ROOM} ${ARG_DEPS})

  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  duets_check_includes(${ROOM} "${ARG_DEPS}" ${headers} ${sources})
  file(GLOB prose CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/prose/*.md)
  if(prose)
    duets_prose(${ROOM} ${CMAKE_CURRENT_BINARY_DIR}/prose.cc ${prose})
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/prose.cc)
  endif()

  foreach(file IN LISTS DUETS_ALONE)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()

  if(sources)
    add_library(duets_${ROOM} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(duets_${ROOM} PRIVATE $<BUILD_INTERFACE:duets_warnings>)
    if(ROOM IN_LIST DUETS_LIGHT_ROOMS)
      target_compile_options(duets_${ROOM} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  else()
    add_library(duets_${ROOM} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(duets::${ROOM} ALIAS duets_${ROOM})
  set_target_properties(duets_${ROOM} PROPERTIES EXPORT_NAME ${ROOM})
  target_include_directories(duets_${ROOM} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ARG_DEPS PREPEND duets_)
  target_link_libraries(duets_${ROOM} ${scope} duets_compiler ${ARG_DEPS} ${ARG_LINKS})
  set_property(GLOBAL APPEND PROPERTY DUETS_ROOMS ${ROOM})

  if(DUETS_TESTS AND tests)
    duets_test(${ROOM}_test SOURCES ${tests} LINKS duets_${ROOM} LABELS ${ROOM})
  endif()
endfunction()

# duets_test(NAME SOURCES file... LINKS target... [LABELS label...] [TIMEOUT seconds]) makes one
# test program and registers each of its cases with ctest; under a sanitizer, where a process takes
# long to start, a few shards of it. The tests of a module have its name as label. The label "long" keeps a program out of the fast suite. A program with a label of
# DUETS_UNTESTED is not made.
set(DUETS_UNTESTED "" CACHE STRING "Labels of tests that this build leaves out")

function(duets_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  foreach(label IN LISTS ARG_LABELS)
    if(label IN_LIST DUETS_UNTESTED)
      return()
    endif()
  endforeach()
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINKS} duets_warnings ${DUETS_RAPIDCHECK} ${DUETS_MPFR}
    GTest::gmock GTest::gtest_main nlohmann_json::nlohmann_json)
  target_compile_definitions(${NAME} PRIVATE DUETS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
    # Numerical tests are thirty times slower under a sanitizer.
    if("long" IN_LIST ARG_LABELS OR DUETS_SANITIZE)
      set(ARG_TIMEOUT 3600)
    endif()
  endif()
  set(properties PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABELS)
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  if(DUETS_SANITIZE)
    foreach(shard RANGE 3)
      add_test(NAME ${NAME}.${shard} COMMAND ${NAME} --gtest_brief=1)
      set_tests_properties(${NAME}.${shard} ${properties})
      set_property(TEST ${NAME}.${shard} PROPERTY
        ENVIRONMENT GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard})
    endforeach()
    return()
  endif()
  include(GoogleTest)
  gtest_discover_tests(${NAME} ${properties} DISCOVERY_TIMEOUT 60)
endfunction()
