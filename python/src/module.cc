#include "module.h"

#include <cstdlib>

#include "duets/region/fingerprint.h"

PYBIND11_MODULE(_core, module) {
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
