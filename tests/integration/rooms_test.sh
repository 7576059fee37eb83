# The table of modules is enforced: configuring fails, naming both modules, on a dependency the
# table does not allow, on an include of a module that was not named, and on a header no pure module
# may use.
source "$DUETS_SOURCE_DIR/tests/integration/expect.sh"

# tree DECLARATION INCLUDE_LINE: a tree of the modules base and gp; the text goes into gp.
tree() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/base" "$scratch/tree/gp"
  cat >"$scratch/tree/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(tree LANGUAGES NONE)
include($DUETS_SOURCE_DIR/cmake/rooms.cmake)
add_library(duets_compiler INTERFACE)
add_subdirectory(base)
add_subdirectory(gp)
END
  echo 'duets_component(base)' >"$scratch/tree/base/CMakeLists.txt"
  echo "$1" >"$scratch/tree/gp/CMakeLists.txt"
  echo "$2" >"$scratch/tree/gp/gp.h"
  # One line of output, however CMake wraps its messages.
  local status=0
  cmake -S "$scratch/tree" -B "$scratch/tree/build" >"$scratch/log" 2>&1 || status=1
  tr -s ' \n' ' ' <"$scratch/log"
  return "$status"
}

expect "an allowed dependency and include" 0 "Generating done" \
  tree 'duets_component(gp DEPS base)' '#include "duets/base/error.h"'
expect "a dependency against the table" 1 "module 'gp' may not use module 'random'" \
  tree 'duets_component(gp DEPS base random)' ''
expect "a module outside the table" 1 "module 'attic' is not in the table" \
  tree 'duets_component(attic)' ''
expect "an include of a forbidden module" 1 "module 'gp' may not include from module 'protocol'" \
  tree 'duets_component(gp DEPS base)' '#include "duets/protocol/agent.h"'
expect "an include of an allowed module that was not named" 1 \
  "module 'gp' may not include from module 'numeric'" \
  tree 'duets_component(gp DEPS base)' '#  include <duets/numeric/matrix.h>'
expect "a clock in a pure module" 1 "module 'gp' may not include <chrono>" \
  tree 'duets_component(gp DEPS base)' '#include <chrono>'
finish
