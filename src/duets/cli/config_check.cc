#include "duets/cli/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/gp/fit_parameters.h"
#include "duets/harness/threads.h"
#include "duets/service/program_words.h"

namespace duets::cli {
namespace {

using protocol::Mode;
using protocol::Parameters;
using protocol::Study;
using protocol::UploadRule;

constexpr double kLittleLearned = 0.9;  // share of the prior variance
constexpr double kFarBelowNoise = 0.1;  // lambda against the noise's variance

class Checker {
 public:
  explicit Checker(const StudyFile& file) : file_(file), study_(file.study) {
    check_.lengths = protocol::lengths(file.study);
    check_.cuts.assign(check_.lengths.size(), true);
    for (const protocol::Stage& stage : protocol::stages(file.study)) {
      check_.cuts[stage.end() - 1] = false;
    }
    try {
      check_.exchanges = forecast_exchanges(file.study, file.seed);
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::kNumeric) throw;
      warn({"no-forecast", "noise.lambda"},
           "No forecast is possible ({}): kernel.variance and noise.lambda may be too far apart.",
           error.what());
    }
  }

  ConfigCheck run() {
    count_learned_cuts();
    // A decision looks at samples, not at a width.
    if (!check_.exchanges.empty() && study_.cut == protocol::CutRule::kWidth) {
      check_.acceptance = forecast_acceptance(study_, check_.exchanges.back().cut);
    }
    forecast_size();
    if (study_.mode == Mode::kTheory) {
      check_.theory = forecast_theory(study_, check_.exchanges);
    }
    warn_epochs();
    warn_model();
    warn_noise();
    warn_theory();
    warn_uploads();
    warn_acceptance();
    warn_command();
    return std::move(check_);
  }

 private:
  struct About {
    const char* code;
    const char* field;
  };
  template <class... Args>
  void warn(const About& about, fmt::format_string<Args...> text, Args&&... args) {
    check_.warnings.push_back(
        {about.code, about.field, fmt::format(text, std::forward<Args>(args)...)});
  }

  // A cut uses a learned length scale once gp::kFewestRewards rewards are known.
  void count_learned_cuts() {
    if (!is_learned()) return;
    LearnedCuts& cuts = check_.learned_cuts.emplace();
    std::uint64_t rewards = 0;
    for (std::size_t j = 0; j < check_.lengths.size(); ++j) {
      rewards += std::uint64_t{study_.agents} * check_.lengths[j];
      if (!check_.cuts[j]) continue;
      ++cuts.all;
      if (rewards >= gp::kFewestRewards) ++cuts.learned;
    }
  }

  void forecast_size() {
    for (const ExchangeForecast& exchange : check_.exchanges) {
      check_.model.rank = std::max<std::uint64_t>(check_.model.rank, exchange.rank);
      check_.model.inducing = std::max<std::uint64_t>(check_.model.inducing, exchange.inducing);
    }
    check_.memory = harness::estimate_memory(study_, check_.model, protocol::Sharing::kPoints,
                                             harness::default_threads());
  }

  bool is_learned() const { return study_.parameters == Parameters::kLearned; }

  void warn_epochs() {
    if (check_.lengths.size() == 1) {
      warn({"one-epoch", "duets.t1"},
           "There is only one epoch, so all points are drawn at random and no agent learns from "
           "the others{}: choose duets.t1 below study.horizon = {}, or a larger horizon.",
           protocol::sends_values(study_, base::EpochId{1}) ? "" : ", and nothing is recommended",
           study_.horizon);
      return;
    }
    // With a floor a bad first cut cannot remove much.
    const std::uint64_t first = std::uint64_t{study_.agents} * check_.lengths.front();
    if (!protocol::has_floor(study_) && first <= study_.domain->dimension()) {
      warn({"few-first-points", "duets.t1"},
           "The first cut is based on {} in {}: raise duets.t1 or study.agents.",
           base::count_text(first, "query", "queries"), dimensions());
    }
  }

  std::string dimensions() const {
    return base::count_text(study_.domain->dimension(), "dimension", "dimensions");
  }

  // Learned values do not come from the file.
  void warn_model() {
    if (is_learned()) return;
    const domain::Domain& domain = *study_.domain;
    const double longest = *std::max_element(file_.lengthscales.begin(), file_.lengthscales.end());
    const bool cube = domain.shape() == domain::Shape::kBox ||
                      (file_.space.source == CandidateSource::kRandom &&
                       file_.space.shape == region::CandidateShape::kCube);
    const double width = cube ? 1.0 : 2 * file_.space.radius;
    if (file_.space.source != CandidateSource::kPoints && longest > width) {
      warn({"long-lengthscale", "kernel.lengthscale"},
           "kernel.lengthscale = {} is longer than the space is wide ({}): the model can hardly "
           "vary in it.",
           longest, width);
    }
    if (check_.exchanges.empty()) return;
    const double known = check_.exchanges.back().sigma2_max / study_.kernel.variance;
    if (known > kLittleLearned) {
      warn({"short-lengthscale", "kernel.lengthscale"},
           "After the last exchange {:.0f} % of the prior variance remains somewhere: "
           "kernel.lengthscale is short for {} in {}.",
           100 * known,
           base::count_text(std::uint64_t{study_.agents} * protocol::num_queries_each(study_),
                            "query", "queries"),
           dimensions());
    }
  }

  double model_noise() const { return file_.objective.noise / file_.objective.scale; }

  void warn_noise() {
    const double variance = model_noise() * model_noise();
    if (!is_learned() && study_.lambda < kFarBelowNoise * variance) {
      warn({"low-lambda", "noise.lambda"},
           "noise.lambda = {} is far below the variance of the noise, {:.3g} in model units: the "
           "model will fit the noise.",
           study_.lambda, variance);
    }
  }

  void warn_theory() {
    if (study_.mode != Mode::kTheory) return;
    if (study_.subgaussian < model_noise()) {
      warn({"low-subgaussian", "noise.subgaussian"},
           "noise.subgaussian = {} is below that of the simulated noise, {:.3g} in model units: "
           "the guarantee does not hold.",
           study_.subgaussian, model_noise());
    }
    const double norm = file_.objective.norm / file_.objective.scale;
    if (file_.objective.builtin == "rkhs" && study_.norm_bound < norm) {
      warn({"low-bound", "noise.bound"},
           "noise.bound = {} is below the norm of the function, {:.3g} in model units: the "
           "guarantee does not hold.",
           study_.norm_bound, norm);
    }
    const double range = 2 * study_.norm_bound * std::sqrt(study_.kernel.variance);
    if (!check_.exchanges.empty() && check_.exchanges.back().cut >= range) {
      warn({"no-trimming", "study.horizon"},
           "The last cut is forecast at {:.3g}, and the function cannot vary by more than {:.3g}: "
           "no epoch will trim anything; a longer horizon or more agents would.",
           check_.exchanges.back().cut, range);
    } else if (check_.theory && !check_.theory->long_enough()) {
      warn({"short-horizon", "study.horizon"},
           "The theorem's bound of the regret of all agents is forecast at {:.3g}, and {:.3g} is "
           "certain without "
           "any algorithm: the horizon is too short for the theorem to mean anything.",
           check_.theory->regret, check_.theory->trivial_regret);
    }
  }

  // With upload = "auto" the coordinator chooses the shorter form, so there is no warning.
  void warn_uploads() {
    if (check_.exchanges.empty() || study_.upload != UploadRule::kProjection) return;
    const bool all_longer =
        std::all_of(check_.exchanges.begin(), check_.exchanges.end(),
                    [](const ExchangeForecast& e) { return e.inducing > e.length; });
    if (!all_longer) return;
    warn({"long-uploads", "duets.upload"},
         "Every upload is forecast to be longer than the raw rewards (the last: {} numbers against "
         "{}): use upload = \"auto\", a smaller duets.p0 or inducing = \"greedy\".",
         check_.exchanges.back().inducing, check_.exchanges.back().length);
  }

  void warn_acceptance() {
    const auto& acceptance = check_.acceptance;
    if (acceptance && *acceptance < kLowAcceptance) {
      warn(
          {"low-acceptance", "duets.volume_floor"},
          "The last region is forecast to hold a share of {:.1g} of the space, which is hard to "
          "sample: set duets.volume_floor, raise duets.beta or kernel.lengthscale, or use a finite "
          "set.",
          *acceptance);
    }
  }

  void warn_command() {
    const service::ProgramWords words(study_.name, 0, study_.domain->parameters(),
                                      study_.domain->dimension());
    for (const std::string& placeholder : words.unknown(file_.objective.command)) {
      warn({"unknown-placeholder", "objective.command"},
           "{} in objective.command is the name of no parameter: the program gets it as it is.",
           placeholder);
    }
  }

  const StudyFile& file_;
  const Study& study_;
  ConfigCheck check_;
};

}  // namespace

ConfigCheck check(const StudyFile& file) { return Checker(file).run(); }

}  // namespace duets::cli
