# The table of rooms is enforced: configuring fails, naming both rooms, on a dependency the table
# does not allow, on an include of a room that was not named, and on a header no pure room may use.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"

# house ROOM_DECLARATION INCLUDE_LINE: a house of the rooms base and gp; the text goes into gp.
house() {
  rm -rf "$scratch/house"
  mkdir -p "$scratch/house/base" "$scratch/house/gp"
  cat >"$scratch/house/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(house LANGUAGES NONE)
include($DUETS_SOURCE_DIR/cmake/rooms.cmake)
add_library(duets_compiler INTERFACE)
add_subdirectory(base)
add_subdirectory(gp)
END
  echo 'duets_component(base)' >"$scratch/house/base/CMakeLists.txt"
  echo "$1" >"$scratch/house/gp/CMakeLists.txt"
  echo "$2" >"$scratch/house/gp/gp.h"
  # One line of output, however CMake wraps its messages.
  local status=0
  cmake -S "$scratch/house" -B "$scratch/house/build" >"$scratch/log" 2>&1 || status=1
  tr -s ' \n' ' ' <"$scratch/log"
  return "$status"
}

expect "an allowed dependency and include" 0 "Generating done" \
  house 'duets_component(gp DEPS base)' '#include "duets/base/error.h"'
expect "a dependency against the table" 1 "room 'gp' may not use room 'random'" \
  house 'duets_component(gp DEPS base random)' ''
expect "a room outside the table" 1 "room 'attic' is not in the table" \
  house 'duets_component(attic)' ''
expect "an include of a forbidden room" 1 "room 'gp' may not include from room 'protocol'" \
  house 'duets_component(gp DEPS base)' '#include "duets/protocol/agent.h"'
expect "an include of an allowed room that was not named" 1 \
  "room 'gp' may not include from room 'numeric'" \
  house 'duets_component(gp DEPS base)' '#  include <duets/numeric/matrix.h>'
expect "a clock in a pure room" 1 "room 'gp' may not include <chrono>" \
  house 'duets_component(gp DEPS base)' '#include <chrono>'
finish
