// The module duets._core: what duets/*.py is made of. Its classes are no interface for users.
//
// Calls that compute or wait release the GIL; every base::Error becomes an exception of
// duets/errors.py with the same text.
#pragma once

#include <pybind11/pybind11.h>

namespace duets::python {

namespace py = pybind11;

using ReleaseGil = py::call_guard<py::gil_scoped_release>;

/// Translates errors; to be called before everything else.
void bind_errors(py::module_& module);
/// Study files, their keys, queries and answers, results, the program.
void bind_studies(py::module_& module);
/// A study in this process.
void bind_local(py::module_& module);
/// An agent of a fleet.
void bind_agent(py::module_& module);
/// Kernels, posteriors, coins, regions.
void bind_models(py::module_& module);
/// Functions, algorithms, simulations.
void bind_research(py::module_& module);

}  // namespace duets::python
