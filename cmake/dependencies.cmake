# Everything the project links against, in one place; the reasons are in docs/dependencies.md.

find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Eigen without its own threads and without BLAS: results must not depend on either.
add_library(duets_eigen INTERFACE)
target_link_libraries(duets_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(duets_eigen INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_NO_AUTOMATIC_RESIZING)

if(DUETS_TESTS)
  find_package(GTest REQUIRED)
  find_library(DUETS_RAPIDCHECK rapidcheck REQUIRED)
  find_library(DUETS_MPFR mpfr REQUIRED)
endif()
if(DUETS_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
