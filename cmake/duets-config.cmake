# What an installed duets needs from the machine it is used on; see docs/dependencies.md.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(fmt)
find_dependency(PkgConfig)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
include(${CMAKE_CURRENT_LIST_DIR}/duets-targets.cmake)
