#include "duets/cli/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/count_text.h"
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
  explicit Checker(const StudyFile& file) : file_(file), study_(file.study) {
    check_.lengths = protocol::lengths(file.study);
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
    facts();
    forecast_facts();
    size_facts();
    coordinator_facts();
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
  struct About {
    const char* code;
    const char* field;
  };
  template <class... Args>
  void warn(const About& about, fmt::format_string<Args...> text, Args&&... args) {
    check_.warnings.push_back(
        {about.code, about.field, fmt::format(text, std::forward<Args>(args)...)});
  }

  void facts() {
    const domain::Domain& domain = *study_.domain;
    fact("queries", "{} x {} = {}", base::count_text(study_.agents, "agent", "agents"),
         study_.horizon, std::uint64_t{study_.agents} * study_.horizon);
    fact("domain", "{}, {} dimension{}", base::name_of(domain.shape()), domain.dimension(),
         domain.dimension() == 1 ? "" : "s");
    if (domain.is_finite()) fact("candidates", "{}", domain.candidates().rows());
    if (file_.preset) {
      fact("preset", "{}: {}", file_.preset->name, file_.preset->meaning);
      if (study_.parameters == Parameters::kLearned) goal_fact();
    }
    model_facts();
    fact("epochs", "{} ({})", check_.lengths.size(), list_of(check_.lengths));
    fact("exchanges", "{}", check_.lengths.size() - 1);
    floor_facts();
    cut_facts();
    coin_facts();
    if (study_.mode == Mode::kTheory) {
      fact("theory width", "{:.4g}", gp::sparse_beta(theory_inputs(study_)));
      fact("theory p0", "{:.4g}", gp::theory_p0(theory_inputs(study_)));
    }
  }

  void goal_fact() {
    for (const auto& entry : base::entries_of<protocol::Goal>()) {
      if (entry.value == file_.goal) fact("goal", "{}: {}", entry.name, entry.meaning);
    }
  }

  void model_facts() {
    const std::string_view family = base::name_of(study_.kernel.family);
    if (!is_learned()) {
      fact("kernel", "{}, length scale {}, variance {}", family,
           fmt::join(file_.lengthscales, ", "), study_.kernel.variance);
      return;
    }
    fact("kernel", "{}, length scale {:.3g} as a first guess", family,
         fmt::join(file_.lengthscales, ", "));
    fact("learned from the rewards", "{}, variance, lambda, level",
         study_.relevance ? "a length scale for each feature" : "length scale");
    if (study_.family) fact("kernel's family", "chosen by evidence");
    fact("cuts with a learned length scale", "{}", learned_cuts());
  }

  std::string learned_cuts() {
    const std::size_t num_cuts = check_.lengths.size() - 1;
    check_.learned_cuts = LearnedCuts{0, num_cuts};
    std::uint64_t rewards = 0;
    for (std::size_t j = 0; j < num_cuts; ++j) {
      rewards += std::uint64_t{study_.agents} * check_.lengths[j];
      if (rewards < gp::kFewestRewards) continue;
      check_.learned_cuts->learned = num_cuts - j;
      return j == 0
                 ? fmt::format("all {}", num_cuts)
                 : fmt::format("{} of {}; the first {} by the guess, before {} rewards are known",
                               num_cuts - j, num_cuts, j, gp::kFewestRewards);
    }
    return fmt::format("none of {}: {} rewards are not reached, the guess stays", num_cuts,
                       gp::kFewestRewards);
  }

  void floor_facts() {
    if (!protocol::has_floor(study_) || check_.lengths.size() < 2) return;
    const double share = protocol::kept_share(study_);
    fact("volume floor", "each cut keeps at least {:.3g} of its region, all together {:.1g}", share,
         std::pow(share, static_cast<double>(check_.lengths.size() - 1)));
  }

  void cut_facts() {
    if (study_.cut != protocol::CutRule::kDecision || check_.lengths.size() < 2) return;
    fact("cuts", "by decision: each keeps {:.3g} to {:.3g} of its region",
         protocol::kept_share(study_), study_.epoch_cap);
  }

  void coin_facts() {
    if (study_.coins == protocol::Coins::kIndependent) return;
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < std::min(check_.lengths.size(), kMaxListed + 1); ++j) {
      const auto strata = strata_of(study_, check_.lengths[j]);
      parts.push_back(strata ? fmt::format("{}", *strata) : "independent");
    }
    fact("parts of the region, one for each query", "{}", list_of(parts));
  }

  // Used by `duets serve`; options of the command override it.
  void coordinator_facts() {
    const study::CoordinatorSettings& given = file_.coordinator;
    std::vector<std::string> parts;
    if (given.listen) parts.push_back("listens on " + *given.listen);
    if (given.storage) parts.push_back("storage " + *given.storage);
    if (given.tls) parts.push_back("certificates in " + *given.tls);
    if (given.quorum) parts.push_back(fmt::format("quorum {}", *given.quorum));
    if (given.deadline) parts.push_back(fmt::format("deadline {}", *given.deadline));
    if (!parts.empty()) fact("duets serve", "{}", fmt::join(parts, ", "));
  }

  void forecast_facts() {
    if (check_.exchanges.empty()) return;
    std::vector<std::string> sizes;
    for (std::size_t j = 0; j < std::min(check_.exchanges.size(), kMaxListed); ++j) {
      const ExchangeForecast& exchange = check_.exchanges[j];
      sizes.push_back(exchange.rewards ? fmt::format("{} rewards", exchange.length)
                                       : fmt::format("projection of {}", exchange.inducing));
    }
    fact("forecast uploads", "{}{}", fmt::join(sizes, ", "),
         check_.exchanges.size() > kMaxListed ? ", ..." : "");
    fact("forecast last cut", "{:.3g}{}", check_.exchanges.back().cut,
         is_learned() ? " prior deviations" : "");
    const RealsForecast reals = forecast_reals(study_, check_.exchanges);
    fact("forecast real numbers sent", "paper {:.0f}, figure {:.0f}, links {:.0f}", reals.paper,
         reals.figure, reals.links);
    check_.acceptance = forecast_acceptance(study_, check_.exchanges.back().cut);
    if (check_.acceptance) fact("forecast acceptance", "{:.2g}", *check_.acceptance);
  }

  // The needs of a large study.
  void size_facts() {
    for (const ExchangeForecast& exchange : check_.exchanges) {
      check_.model.rank = std::max<std::uint64_t>(check_.model.rank, exchange.rank);
      check_.model.inducing = std::max<std::uint64_t>(check_.model.inducing, exchange.inducing);
    }
    check_.memory = harness::estimate_memory(study_, check_.model, protocol::Sharing::kPoints,
                                             harness::default_threads());
    if (std::uint64_t{study_.agents} * study_.horizon < harness::kLargeRun) return;
    std::vector<std::uint64_t> points;
    for (const std::uint32_t length : check_.lengths) {
      points.push_back(std::uint64_t{study_.agents} * length);
    }
    fact("points of an epoch", "{}", list_of(points));
    fact("forecast memory", "{}", memory_text(check_.memory));
  }

  bool is_learned() const { return study_.parameters == Parameters::kLearned; }

  void warn_epochs() {
    if (check_.exchanges.empty()) {
      warn({"one-epoch", "duets.t1"},
           "There is only one epoch, so nothing is exchanged and nothing recommended: choose "
           "duets.t1 below study.horizon = {}.",
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
           base::count_text(std::uint64_t{study_.agents} * study_.horizon, "query", "queries"),
           dimensions());
    }
  }

  double model_noise() const {
    return problems::subgaussian_constant(noise_of(file_.objective)) / file_.objective.scale;
  }

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

  const StudyFile& file_;
  const Study& study_;
  ConfigCheck check_;
};

}  // namespace

// On a box or ball the parts consist of public points, whose number is limited.
std::optional<std::uint64_t> strata_of(const Study& study, std::uint32_t length) {
  if (study.coins == protocol::Coins::kIndependent) return std::nullopt;
  const std::uint64_t slots = std::uint64_t{study.agents} * length;
  const bool too_many = !study.domain->is_finite() && 2 * slots > region::kMaxStrataPool;
  return too_many ? std::nullopt : std::optional(slots);
}

ConfigCheck check(const StudyFile& file) { return Checker(file).run(); }

}  // namespace duets::cli
