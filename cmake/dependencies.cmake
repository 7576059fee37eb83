# Everything the project links against, in one place; the reasons are in docs/dependencies.md.

find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
if(DUETS_SERVICE)
  pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET sqlite3)
  find_package(OpenSSL 3 REQUIRED)
  find_package(Protobuf REQUIRED)
  find_package(gRPC CONFIG REQUIRED)
  find_package(tomlplusplus REQUIRED)
endif()
if(DUETS_CLI)
  find_package(CLI11 REQUIRED)
endif()
# Of MPI only the C functions are used. AUTO leaves it out of sanitized builds: the library is not
# instrumented, and what it keeps until the end looks like leaks.
set(DUETS_HAS_MPI FALSE)
set(MPI_CXX_SKIP_MPICXX TRUE)
if(DUETS_MPI STREQUAL "AUTO")
  if(DUETS_CLI AND NOT DUETS_SANITIZE)
    find_package(MPI QUIET COMPONENTS CXX)
    set(DUETS_HAS_MPI ${MPI_CXX_FOUND})
  endif()
elseif(DUETS_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  set(DUETS_HAS_MPI TRUE)
endif()
if(NOT DUETS_HAS_MPI)
  message(STATUS "without MPI: --engine mpi will say so (docs/cluster.md)")
endif()
if(DUETS_SERVICE OR DUETS_TESTS)
  find_package(nlohmann_json REQUIRED)
endif()
if(DUETS_TESTS)
  find_package(GTest REQUIRED)
  find_library(DUETS_RAPIDCHECK rapidcheck REQUIRED)
  find_library(DUETS_MPFR mpfr REQUIRED)
endif()
if(DUETS_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

add_library(duets_eigen INTERFACE)
target_link_libraries(duets_eigen INTERFACE Eigen3::Eigen)
# Without Eigen's own threads and without BLAS: results must not depend on either.
target_compile_definitions(duets_eigen INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_NO_AUTOMATIC_RESIZING)
# Eigen derives alignment, and with it how a matrix is allocated and freed, from the instruction
# set of each file. We build with -march=native, an outside project may not: fix both to the widest
# so that a matrix made on one side can be freed on the other.
target_compile_definitions(duets_eigen INTERFACE
  EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=64)
