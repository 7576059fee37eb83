# Compiler settings that every target of this project shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Reaches everyone who includes our headers, outside projects too.
add_library(duets_compiler INTERFACE)
target_compile_features(duets_compiler INTERFACE cxx_std_20)
# The determinism boundary (docs/architecture.md): a*b+c must round twice on every machine. It is
# set for all files, not for the strict ones only, so that no inline function can slip out of it;
# Eigen asks for fused operations explicitly and loses nothing.
target_compile_options(duets_compiler INTERFACE -ffp-contract=off)
# sqrt may then be one vector instruction; nothing here reads errno after a mathematical function.
target_compile_options(duets_compiler INTERFACE -fno-math-errno)
# GCC 12 warns when a vector wider than the instruction set crosses a function; ours never do so
# between files.
target_compile_options(duets_compiler INTERFACE -Wno-psabi)
if(DUETS_SANITIZE)
  target_compile_options(duets_compiler INTERFACE
    -fsanitize=${DUETS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(duets_compiler INTERFACE -fsanitize=${DUETS_SANITIZE})
endif()
if(DUETS_FUZZERS)
  # Coverage for the library; the fuzz programs themselves add -fsanitize=fuzzer.
  target_compile_options(duets_compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Ours alone: what an outside project neither sees nor inherits.
add_library(duets_warnings INTERFACE)
target_compile_options(duets_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 takes the deliberately undefined registers of its own AVX-512 header for a mistake (GCC
  # bug 105593), wherever Eigen sums; the sanitizers and clang watch over this instead.
  target_compile_options(duets_warnings INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
  if(CMAKE_UNITY_BUILD)
    # Sources are included into units; GCC takes them for headers, whose types must not be local.
    target_compile_options(duets_warnings INTERFACE -Wno-subobject-linkage)
  endif()
endif()
if(DUETS_WERROR STREQUAL "AUTO")
  set(warnings_are_errors FALSE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.")
    set(warnings_are_errors TRUE)
  endif()
else()
  set(warnings_are_errors ${DUETS_WERROR})
endif()
if(warnings_are_errors)
  target_compile_options(duets_warnings INTERFACE -Werror)
endif()
if(DUETS_NATIVE)
  target_compile_options(duets_warnings INTERFACE -march=native)
endif()
