#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/base/error.h"
#include "duets/gp/evidence.h"
#include "duets/gp/exact.h"
#include "duets/gp/fit_parameters.h"
#include "duets/gp/sparse.h"
#include "duets/harness/threads.h"
#include "duets/kernel/kernel.h"
#include "duets/random/coin.h"
#include "duets/region/draw.h"
#include "duets/region/region.h"
#include "duets/region/sampler.h"
#include "duets/service/definition.h"
#include "module.h"

namespace duets::python {
namespace {

using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

const harness::ThreadExecutor& shared_executor() {
  // Never destroyed: its threads may be gone when the interpreter ends, or in the child of a fork.
  static const auto* const kExecutor = new harness::ThreadExecutor(1);
  return *kExecutor;
}

Kernel make_kernel(const std::string& name, const std::vector<double>& lengthscales,
                   double variance) {
  Kernel kernel;
  const auto family = base::named<kernel::Family>(name);
  if (!family) {
    std::vector<std::string_view> names;
    for (const auto& entry : base::entries_of<kernel::Family>()) names.push_back(entry.name);
    base::refuse("kernel.name", name, fmt::format("must be one of {}", fmt::join(names, ", ")));
  }
  kernel.family = *family;
  kernel.lengthscales = lengthscales;
  kernel.variance = variance;
  kernel::validate(kernel, lengthscales.size());
  return kernel;
}

void bind_kernels(py::module_& module) {
  py::class_<Kernel>(module, "Kernel")
      .def(py::init(&make_kernel))
      .def_property_readonly("name",
                             [](const Kernel& k) { return std::string(base::name_of(k.family)); })
      .def_readonly("lengthscales", &Kernel::lengthscales)
      .def_readonly("variance", &Kernel::variance)
      .def(
          "cross",
          [](const Kernel& k, const Points& x, const Points& y) { return kernel::cross(k, x, y); },
          ReleaseGil())
      .def(
          "gram", [](const Kernel& k, const Points& x) { return kernel::gram(k, x); },
          ReleaseGil());
}

void bind_posteriors(py::module_& module) {
  py::class_<gp::ExactPosterior>(module, "ExactPosterior")
      .def(py::init<const Kernel&, const Points&, const Vector&, double>())
      .def("mean", &gp::ExactPosterior::mean, ReleaseGil())
      .def(
          "variance",
          [](const gp::ExactPosterior& p, const Points& x) { return p.variance(x).variance; },
          ReleaseGil())
      .def("information_gain", &gp::ExactPosterior::information_gain);
  py::class_<gp::SparsePosterior>(module, "SparsePosterior")
      .def(py::init([](const Kernel& k, const Points& inducing, const Points& data,
                       const Vector& counts, double lambda) {
        return gp::SparsePosterior(k, inducing, data, counts, lambda, shared_executor());
      }))
      .def("weights", &gp::SparsePosterior::weights, ReleaseGil())
      .def(
          "variance",
          [](const gp::SparsePosterior& p, const Points& x) { return p.variance(x).variance; },
          ReleaseGil())
      .def("covariance", &gp::SparsePosterior::covariance, ReleaseGil())
      .def("information_gain", &gp::SparsePosterior::information_gain)
      .def("largest_residual", &gp::SparsePosterior::largest_residual);
  module.def("project", &gp::project, ReleaseGil());
  module.def("weighted_sum",
             py::overload_cast<const Kernel&, const Points&, const Points&, const Vector&>(
                 &kernel::weighted_sum),
             ReleaseGil());
  module.def("prune_to_pivots", &gp::prune_to_pivots, ReleaseGil());
  module.def("greedy_pivots", &gp::greedy_pivots, ReleaseGil());
  module.def(
      "log_evidence",
      [](const Kernel& guess, const Kernel& k, double lambda, double offset, const Points& x,
         const Vector& y) {
        return gp::log_evidence(guess, {k, lambda, offset}, x, y);
      },
      ReleaseGil());
  module.def(
      "fit_parameters",
      [](const Kernel& guess, const Points& x, const Vector& y, bool relevance, bool family,
         std::size_t max_rows) {
        const gp::Fit fit = gp::fit_parameters(guess, x, y, {relevance, family, max_rows});
        return std::tuple(fit.parameters.kernel, fit.parameters.lambda, fit.parameters.offset,
                          fit.log_evidence, fit.guessed);
      },
      ReleaseGil());
}

random::Address address_of(int purpose, std::uint32_t agent, std::uint32_t epoch,
                           std::uint32_t slot, std::uint32_t attempt) {
  base::require(purpose >= 1 && purpose <= 13, "purpose", std::to_string(purpose),
                "must be a number of docs/formats/coins.md");
  return {static_cast<random::Purpose>(purpose), agent, epoch, slot, attempt};
}

void bind_coins(py::module_& module) {
  using random::Coin;
  py::class_<Coin>(module, "Coin")
      .def("words",
           [](const Coin& coin, std::size_t count, int purpose, std::uint32_t agent,
              std::uint32_t epoch, std::uint32_t slot, std::uint32_t attempt) {
             Eigen::Matrix<std::uint64_t, Eigen::Dynamic, 1> out(static_cast<Eigen::Index>(count));
             coin.words(address_of(purpose, agent, epoch, slot, attempt), {out.data(), count});
             return out;
           })
      .def("uniforms",
           [](const Coin& coin, std::size_t count, int purpose, std::uint32_t agent,
              std::uint32_t epoch, std::uint32_t slot, std::uint32_t attempt) {
             Vector out(static_cast<Eigen::Index>(count));
             coin.uniforms(address_of(purpose, agent, epoch, slot, attempt), {out.data(), count});
             return out;
           })
      .def("normals", [](const Coin& coin, std::size_t count, int purpose, std::uint32_t agent,
                         std::uint32_t epoch, std::uint32_t slot, std::uint32_t attempt) {
        Vector out(static_cast<Eigen::Index>(count));
        coin.normals(address_of(purpose, agent, epoch, slot, attempt), {out.data(), count});
        return out;
      });
  using random::StudySecret;
  py::class_<StudySecret>(module, "Secret")
      .def(py::init(&StudySecret::from_seed))
      .def("agent_coin",
           [](const StudySecret& secret, std::uint32_t agent) {
             return secret.agent_coin(base::AgentId{agent});
           })
      .def("public_coin", &StudySecret::public_coin)
      .def("problem_coin", &StudySecret::problem_coin);
}

// Of a study's domain: it has the features that the kernel sees.
void bind_regions(py::module_& module) {
  using region::Cut;
  using region::Region;
  py::class_<Cut, std::shared_ptr<Cut>>(module, "Cut")
      .def(py::init(
          [](const Kernel& k, const Points& inducing, const Vector& weights, double tau,
             double offset) { return std::make_shared<Cut>(k, offset, inducing, weights, tau); }))
      .def("sum_at", &Cut::sum_at, ReleaseGil());
  py::class_<Region>(module, "Region")
      .def(py::init(
          [](const service::Definition& definition) { return Region(definition.study->domain); }))
      .def(
          "trimmed",
          [](const Region& region, const std::shared_ptr<Cut>& cut) { return region.trimmed(cut); },
          ReleaseGil())
      .def(
          "contains",
          [](const Region& region, const Points& latents) -> Eigen::Matrix<bool, -1, 1> {
            const std::vector<std::uint8_t> inside = region.contains(latents).inside;
            return Eigen::Map<const Eigen::Matrix<std::uint8_t, -1, 1>>(
                       inside.data(), static_cast<Eigen::Index>(inside.size()))
                .cast<bool>();
          },
          ReleaseGil())
      .def(
          "features",
          [](const Region& region, const Points& latents) {
            return region.domain().features(latents);
          },
          ReleaseGil())
      .def("num_cuts", [](const Region& region) { return region.cuts().size(); })
      .def("survivors", &Region::survivors)
      .def(
          "draw",
          [](const Region& region, const random::Coin& coin, std::uint32_t epoch,
             std::uint32_t first, std::uint32_t count, std::uint32_t max_attempts) {
            region::SamplerSettings settings;
            settings.max_attempts = max_attempts;
            if (region.domain().is_finite()) settings = {.method = region::Method::kIndex};
            const region::Sampler sampler(region, settings);
            return sampler
                .draw(coin, region::Lane::kPrivate, {base::EpochId{epoch}, first, count},
                      shared_executor())
                .latents;
          },
          ReleaseGil());
}

}  // namespace

void bind_models(py::module_& module) {
  bind_kernels(module);
  bind_posteriors(module);
  bind_coins(module);
  bind_regions(module);
}

}  // namespace duets::python
