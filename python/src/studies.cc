#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "duets/cli/app.h"
#include "duets/cli/config_check.h"
#include "duets/cli/parameter_text.h"
#include "duets/cli/study_file.h"
#include "duets/service/definition.h"
#include "duets/service/objective.h"
#include "duets/service/secret.h"
#include "duets/study/fields.h"
#include "module.h"
#include "recorded.h"

namespace duets::python {
namespace {

using domain::Parameter;
using service::Definition;
using service::Query;

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::vector<std::string> warnings_of(const Definition& definition) {
  std::vector<std::string> texts;
  for (const cli::ConfigWarning& warning : cli::check(*definition.file).warnings) {
    texts.push_back(warning.text);
  }
  return texts;
}

void bind_definition(py::module_& module) {
  py::class_<Parameter>(module, "Parameter")
      .def_readonly("name", &Parameter::name)
      .def_property_readonly("type", [](const Parameter& p) { return base::name_of(p.type); })
      .def_readonly("low", &Parameter::low)
      .def_readonly("high", &Parameter::high)
      .def_readonly("log", &Parameter::log)
      .def_readonly("step", &Parameter::step)
      .def_readonly("choices", &Parameter::choices);
  module.def("parse_parameter", &cli::parse_parameter);

  py::class_<Definition>(module, "Definition")
      .def_readonly("toml", &Definition::toml)
      .def_property_readonly("name", [](const Definition& d) { return d.study->name; })
      .def_property_readonly(
          "direction",
          [](const Definition& d) { return std::string(base::name_of(d.objective().direction)); })
      .def_property_readonly("builtin", [](const Definition& d) { return d.objective().builtin; })
      .def_property_readonly("agents", [](const Definition& d) { return d.study->agents; })
      .def_property_readonly("horizon", [](const Definition& d) { return d.study->horizon; })
      .def_property_readonly("seed", [](const Definition& d) { return d.file->seed; })
      .def_property_readonly("lengths",
                             [](const Definition& d) { return protocol::lengths(*d.study); })
      .def_property_readonly(
          "names", [](const Definition& d) { return d.study->domain->coordinate_names(); })
      .def_property_readonly("parameters",
                             [](const Definition& d) { return d.study->domain->parameters(); })
      .def("warnings", &warnings_of, ReleaseGil());
  module.def(
      "parse_study",
      [](const std::string& text, const std::string& name, const std::string& directory,
         std::optional<std::uint64_t> seed) {
        return service::definition_of(cli::parse_study(text, name, directory, {seed, {}, true}));
      },
      ReleaseGil());
  module.def("keys", [] {
    std::vector<std::tuple<std::string, std::string, std::string, std::string>> keys;
    for (const study::KeyReference& key : study::reference()) {
      keys.emplace_back(key.table, key.key, key.value, key.usual);
    }
    return keys;
  });
  module.def("seed_secret", &service::seed_secret_text);
}

void bind_query(py::module_& module) {
  py::class_<Query>(module, "Query")
      .def_readonly("agent", &Query::agent)
      .def_readonly("epoch", &Query::epoch)
      .def_readonly("slot", &Query::slot)
      .def_readonly("t", &Query::t)
      .def_property_readonly("latent", [](const Query& q) { return array_of(q.latent); })
      .def_property_readonly("values", [](const Query& q) { return array_of(q.values); })
      .def_property_readonly("name", &service::trial_name);
  py::class_<service::Value>(module, "Value").def(py::init<double>());
  py::class_<service::Infeasible>(module, "Infeasible").def(py::init<std::string>());
  py::class_<service::Failure>(module, "Failure").def(py::init<std::string, std::string>());
  py::class_<service::Interrupted>(module, "Interrupted").def(py::init<>());
}

void bind_recorded(py::module_& module) {
  py::class_<Recorded, std::shared_ptr<Recorded>>(module, "Recorded")
      .def("text", &Recorded::text, ReleaseGil())
      .def("write", &Recorded::write, ReleaseGil())
      .def_property_readonly("definition", &Recorded::definition);
  module.def(
      "load_records",
      [](const std::string& path, const std::string& study) {
        return std::make_shared<Recorded>(cli::source_at(path, study));
      },
      ReleaseGil());
}

int run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return cli::run_app(static_cast<int>(words.size()), argv.data());
}

}  // namespace

void bind_studies(py::module_& module) {
  bind_definition(module);
  bind_query(module);
  bind_recorded(module);
  module.def("run_program", &run_program, ReleaseGil());
}

}  // namespace duets::python
