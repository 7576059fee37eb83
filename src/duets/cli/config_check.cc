#include "duets/cli/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/confidence.h"
#include "duets/gp/fit_parameters.h"
#include "duets/harness/threads.h"
#include "duets/region/strata.h"

namespace duets::cli {
namespace {

using protocol::Mode;
using protocol::Parameters;
using protocol::Study;
using protocol::UploadRule;

constexpr double kLittleLearned = 0.9;  // share of the prior variance
constexpr double kFarBelowNoise = 0.1;  // lambda against the noise's variance
constexpr std::size_t kMaxListed = 12;  // epochs in a line of text

template <class Number>
std::string list_of(const std::vector<Number>& values) {
  const auto end =
      values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), kMaxListed));
  return fmt::format("{}{}", fmt::join(values.begin(), end, ", "),
                     values.size() > kMaxListed ? ", ..." : "");
}

class Checker {
 public:
  explicit Checker(const StudyFile& file)
      : file_(file), study_(file.study), lengths_(protocol::lengths(file.study)) {
    try {
      exchanges_ = forecast_exchanges(file.study, file.seed);
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::kNumeric) throw;
      warn("No forecast is possible ({}): kernel.variance and noise.lambda may be too far apart.",
           error.what());
    }
  }

  ConfigCheck run() {
    facts();
    forecast_facts();
    size_facts();
    warn_epochs();
    warn_model();
    warn_noise();
    warn_theory();
    warn_uploads();
    warn_acceptance();
    return std::move(check_);
  }

 private:
  template <class... Args>
  void fact(const char* name, fmt::format_string<Args...> text, Args&&... args) {
    check_.facts.emplace_back(name, fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) {
    check_.warnings.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void facts() {
    const domain::Domain& domain = *study_.domain;
    fact("queries", "{} agents x {} = {}", study_.agents, study_.horizon,
         std::uint64_t{study_.agents} * study_.horizon);
    fact("domain", "{}, {} dimension{}", to_string(domain.shape()), domain.dimension(),
         domain.dimension() == 1 ? "" : "s");
    if (domain.is_finite()) fact("candidates", "{}", domain.candidates().rows());
    if (file_.preset) {
      fact("preset", "{}: {}", protocol::name(*file_.preset), protocol::meaning(*file_.preset));
    }
    model_facts();
    fact("epochs", "{} ({})", lengths_.size(), list_of(lengths_));
    fact("exchanges", "{}", lengths_.size() - 1);
    floor_facts();
    coin_facts();
    if (study_.mode == Mode::kTheory) {
      fact("theory width", "{:.4g}", gp::sparse_beta(theory_inputs(study_)));
      fact("theory p0", "{:.4g}", gp::theory_p0(theory_inputs(study_)));
    }
  }

  void model_facts() {
    const std::string_view family = kernel::name(study_.kernel.family);
    if (!is_learned()) {
      fact("kernel", "{}, length scale {}, variance {}", family,
           fmt::join(file_.lengthscales, ", "), study_.kernel.variance);
      return;
    }
    fact("kernel", "{}, length scale {:.3g} as a first guess", family,
         fmt::join(file_.lengthscales, ", "));
    fact("learned from the rewards", "{}, variance, lambda, level",
         study_.relevance ? "a length scale for each feature" : "length scale");
    fact("cuts with a learned length scale", "{}", learned_cuts());
  }

  // Small fleets cut several times before they can know one.
  std::string learned_cuts() const {
    const std::size_t num_cuts = lengths_.size() - 1;
    std::uint64_t rewards = 0;
    for (std::size_t j = 0; j < num_cuts; ++j) {
      rewards += std::uint64_t{study_.agents} * lengths_[j];
      if (rewards < gp::kFewestRewards) continue;
      return j == 0
                 ? fmt::format("all {}", num_cuts)
                 : fmt::format("{} of {}; the first {} by the guess, before {} rewards are known",
                               num_cuts - j, num_cuts, j, gp::kFewestRewards);
    }
    return fmt::format("none of {}: {} rewards are not reached, the guess stays", num_cuts,
                       gp::kFewestRewards);
  }

  void floor_facts() {
    if (study_.volume_floor == 0 || lengths_.size() < 2) return;
    const double share = protocol::kept_share(study_);
    fact("volume floor", "each cut keeps at least {:.3g} of its region, all together {:.1g}", share,
         std::pow(share, static_cast<double>(lengths_.size() - 1)));
  }

  // On a box or ball the parts are made of public points, of which there is a limit.
  void coin_facts() {
    if (study_.coins == protocol::Coins::kIndependent) return;
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < std::min(lengths_.size(), kMaxListed + 1); ++j) {
      const std::uint64_t slots = std::uint64_t{study_.agents} * lengths_[j];
      const bool too_many = !study_.domain->is_finite() && 2 * slots > region::kMaxStrataPool;
      parts.push_back(too_many ? "independent" : fmt::format("{}", slots));
    }
    fact("parts of the region, one for each query", "{}", list_of(parts));
  }

  void forecast_facts() {
    if (exchanges_.empty()) return;
    std::vector<std::string> sizes;
    for (std::size_t j = 0; j < std::min(exchanges_.size(), kMaxListed); ++j) {
      const ExchangeForecast& exchange = exchanges_[j];
      sizes.push_back(exchange.rewards ? fmt::format("{} rewards", exchange.length)
                                       : fmt::format("projection of {}", exchange.inducing));
    }
    fact("forecast uploads", "{}{}", fmt::join(sizes, ", "),
         exchanges_.size() > kMaxListed ? ", ..." : "");
    fact("forecast last cut", "{:.3g}{}", exchanges_.back().cut,
         is_learned() ? " prior deviations" : "");
    if (const auto acceptance = forecast_acceptance(study_, exchanges_.back().cut)) {
      fact("forecast acceptance", "{:.2g}", *acceptance);
    }
  }

  // What a large study will need.
  void size_facts() {
    for (const ExchangeForecast& exchange : exchanges_) {
      check_.model.rank = std::max<std::uint64_t>(check_.model.rank, exchange.rank);
      check_.model.inducing = std::max<std::uint64_t>(check_.model.inducing, exchange.inducing);
    }
    if (std::uint64_t{study_.agents} * study_.horizon < harness::kLargeRun) return;
    std::vector<std::uint64_t> points;
    for (const std::uint32_t length : lengths_) {
      points.push_back(std::uint64_t{study_.agents} * length);
    }
    fact("points of an epoch", "{}", list_of(points));
    fact("forecast memory", "{}",
         memory_text(harness::estimate_memory(study_, check_.model, harness::AgentPoints::kShared,
                                              harness::default_threads())));
  }

  bool is_learned() const { return study_.parameters == Parameters::kLearned; }

  void warn_epochs() {
    if (exchanges_.empty()) {
      warn(
          "There is one epoch only, so nothing is exchanged and nothing recommended: choose "
          "duets.t1 below study.horizon = {}.",
          study_.horizon);
      return;
    }
    // With a floor a bad first cut cannot take much away.
    const std::uint64_t first = std::uint64_t{study_.agents} * lengths_.front();
    if (study_.volume_floor == 0 && first <= study_.domain->dimension()) {
      warn("The first cut rests on {} queries in {} dimensions: raise duets.t1 or study.agents.",
           first, study_.domain->dimension());
    }
  }

  // What is learned is not the file's fault.
  void warn_model() {
    if (is_learned()) return;
    const domain::Domain& domain = *study_.domain;
    const double longest = *std::max_element(file_.lengthscales.begin(), file_.lengthscales.end());
    const bool cube = domain.shape() == domain::Shape::kBox ||
                      (file_.space.source == CandidateSource::kRandom &&
                       file_.space.shape == region::CandidateShape::kCube);
    const double width = cube ? 1.0 : 2 * file_.space.radius;
    if (file_.space.source != CandidateSource::kPoints && longest > width) {
      warn(
          "kernel.lengthscale = {} is longer than the space is wide ({}): the model can hardly "
          "bend in it.",
          longest, width);
    }
    if (exchanges_.empty()) return;
    const double known = exchanges_.back().sigma2_max / study_.kernel.variance;
    if (known > kLittleLearned) {
      warn(
          "After the last exchange {:.0f} % of the prior variance is left somewhere: "
          "kernel.lengthscale is short for {} queries in {} dimensions.",
          100 * known, std::uint64_t{study_.agents} * study_.horizon, domain.dimension());
    }
  }

  double model_noise() const {
    return problems::subgaussian_constant(file_.objective.noise) / file_.objective.scale;
  }

  void warn_noise() {
    const double variance = model_noise() * model_noise();
    if (!is_learned() && study_.lambda < kFarBelowNoise * variance) {
      warn(
          "noise.lambda = {} is far below the variance of the noise, {:.3g} in model units: the "
          "model will believe the noise.",
          study_.lambda, variance);
    }
  }

  void warn_theory() {
    if (study_.mode != Mode::kTheory) return;
    if (study_.subgaussian < model_noise()) {
      warn(
          "noise.subgaussian = {} is below that of the simulated noise, {:.3g} in model units: "
          "the guarantee does not hold.",
          study_.subgaussian, model_noise());
    }
    const double norm = file_.objective.norm / file_.objective.scale;
    if (file_.objective.builtin == "rkhs" && study_.norm_bound < norm) {
      warn(
          "noise.bound = {} is below the norm of the function, {:.3g} in model units: the "
          "guarantee does not hold.",
          study_.norm_bound, norm);
    }
    const double range = 2 * study_.norm_bound * std::sqrt(study_.kernel.variance);
    if (!exchanges_.empty() && exchanges_.back().cut >= range) {
      warn(
          "The last cut is forecast at {:.3g}, and the function cannot vary by more than {:.3g}: "
          "no epoch will trim anything; a longer horizon or more agents would.",
          exchanges_.back().cut, range);
    }
  }

  // With upload = "auto" the coordinator chooses the shorter form, so there is nothing to warn of.
  void warn_uploads() {
    if (exchanges_.empty() || study_.upload != UploadRule::kProjection) return;
    const bool all_longer =
        std::all_of(exchanges_.begin(), exchanges_.end(),
                    [](const ExchangeForecast& e) { return e.inducing > e.length; });
    if (!all_longer) return;
    warn(
        "Every upload is forecast to be longer than the raw rewards (the last: {} numbers against "
        "{}): use upload = \"auto\", a smaller duets.p0 or inducing = \"greedy\".",
        exchanges_.back().inducing, exchanges_.back().length);
  }

  void warn_acceptance() {
    if (exchanges_.empty()) return;
    const auto acceptance = forecast_acceptance(study_, exchanges_.back().cut);
    if (acceptance && *acceptance < kLowAcceptance) {
      warn(
          "The last region is forecast to hold a share of {:.1g} of the space, which is hard to "
          "sample: set duets.volume_floor, raise duets.beta or kernel.lengthscale, or use a finite "
          "set.",
          *acceptance);
    }
  }

  const StudyFile& file_;
  const Study& study_;
  std::vector<std::uint32_t> lengths_;
  std::vector<ExchangeForecast> exchanges_;
  ConfigCheck check_;
};

}  // namespace

ConfigCheck check(const StudyFile& file) { return Checker(file).run(); }

}  // namespace duets::cli
