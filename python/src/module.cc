#include "module.h"

#include <cstdlib>
#include <string>

#include "duets/region/fingerprint.h"

namespace {

// Until 2.12 pybind11 reads the arrays of NumPy 2 with the layout of NumPy 1: wrong numbers or a
// crash.
void require_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto version = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) < 2) return;
  throw pybind11::import_error(
      "duets was built with pybind11 " + std::string(PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR)) +
      "." + PYBIND11_TOSTRING(PYBIND11_VERSION_MINOR) + ", which cannot use NumPy " + version +
      ": build it with `pip install .`, or use NumPy 1");
#endif
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  require_numpy();
  // As in the program: network errors are reported in our own words.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  module.attr("version") = DUETS_VERSION;
  module.doc() = "What the package duets is made of; no interface for users.";
  duets::python::bind_errors(module);
  duets::python::bind_studies(module);
  duets::python::bind_local(module);
  duets::python::bind_agent(module);
  duets::python::bind_models(module);
  duets::python::bind_research(module);
  duets::region::require_platform();
}
