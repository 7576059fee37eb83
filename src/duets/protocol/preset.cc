#include "duets/protocol/preset.h"

#include <cmath>

namespace duets::protocol {
namespace {

struct Bundle {
  Preset preset;
  std::string_view name;
  std::string_view meaning;
  double beta;
  double volume_floor;
  double epoch_floor;
  ScheduleRule schedule;
  std::uint32_t t1;
  Inducing inducing;
  DataPolicy data;
  Parameters parameters;
  bool relevance;
  Coins coins;
};

// Settings that the self-tuning presets share.
constexpr Bundle tuning(Preset preset, std::string_view name, std::string_view meaning) {
  return {.preset = preset,
          .name = name,
          .meaning = meaning,
          .beta = 0.2,
          .volume_floor = 1e-5,
          .epoch_floor = 1,
          .schedule = ScheduleRule::kPairedDoubling,
          .t1 = 1,
          .inducing = Inducing::kPublic,
          .data = DataPolicy::kSurviving,
          .parameters = Parameters::kLearned,
          .relevance = false,
          .coins = Coins::kStratified};
}

constexpr Bundle kPaper{
    .preset = Preset::kPaper,
    .name = "paper",
    .meaning = "the paper's rules; kernel, lambda and beta must fit the rewards",
    .beta = 0.5,
    .volume_floor = 0,
    .epoch_floor = 1,
    .schedule = ScheduleRule::kSqrtFloor,
    .t1 = 2,
    .inducing = Inducing::kCoin,
    .data = DataPolicy::kEpoch,
    .parameters = Parameters::kFixed,
    .relevance = false,
    .coins = Coins::kIndependent};

constexpr std::array<Bundle, 4> kBundles = [] {
  Bundle automatic = tuning(Preset::kAuto, "auto", "tunes itself; the best over many functions");
  automatic.relevance = true;
  const Bundle quick =
      tuning(Preset::kQuick, "quick", "auto without a length scale for each feature");
  Bundle safe = tuning(Preset::kSafe, "safe",
                       "tunes itself; wider cuts, which lose the best point less often");
  safe.beta = 0.4;
  safe.volume_floor = 1e-4;
  safe.epoch_floor = 0.5;
  return std::array{kPaper, automatic, quick, safe};
}();

const Bundle& bundle_of(Preset preset) {
  for (const Bundle& bundle : kBundles) {
    if (bundle.preset == preset) return bundle;
  }
  return kBundles.front();
}

// Mean squared distance, as the kernel sees it, of two uniform latents of one parameter.
double mean_squared(const domain::Parameter& parameter) {
  constexpr double kInterval = 1.0 / 6;
  switch (parameter.type) {
    case domain::ParameterType::kCategorical:
      // Different choices are sqrt(2) apart.
      return 2 - 2 / static_cast<double>(parameter.choices.size());
    case domain::ParameterType::kInt: {
      // The centres of n equal cells; used for a logarithmic parameter too.
      const double n = std::floor((parameter.high - parameter.low) / parameter.step) + 1;
      return kInterval - kInterval / (n * n);
    }
    case domain::ParameterType::kFloat:
      break;
  }
  return kInterval;
}

// Twice the variance of each coordinate, added in order: the same bits everywhere.
double mean_squared(const numeric::Points& candidates) {
  const auto count = static_cast<double>(candidates.rows());
  double sum = 0;
  for (Eigen::Index j = 0; j < candidates.cols(); ++j) {
    double mean = 0;
    for (Eigen::Index i = 0; i < candidates.rows(); ++i) mean += candidates(i, j) / count;
    double squares = 0;
    for (Eigen::Index i = 0; i < candidates.rows(); ++i) {
      const double away = candidates(i, j) - mean;
      squares += away * away;
    }
    sum += 2 * (squares / count);
  }
  return sum;
}

double mean_squared(const domain::Domain& domain) {
  switch (domain.shape()) {
    case domain::Shape::kFinite:
      return mean_squared(domain.candidates());
    case domain::Shape::kBall: {
      const auto d = static_cast<double>(domain.dimension());
      return domain.radius() * domain.radius() * (2 * d / (d + 2));
    }
    case domain::Shape::kBox:
      break;
  }
  double sum = 0;
  for (const domain::Parameter& parameter : domain.parameters()) sum += mean_squared(parameter);
  return sum;
}

}  // namespace

std::string_view name(Preset preset) { return bundle_of(preset).name; }

std::string_view meaning(Preset preset) { return bundle_of(preset).meaning; }

std::optional<Preset> preset_named(std::string_view name) {
  for (const Bundle& bundle : kBundles) {
    if (bundle.name == name) return bundle.preset;
  }
  return std::nullopt;
}

void apply_preset(Preset preset, Study& study) {
  const Bundle& bundle = bundle_of(preset);
  study.beta = bundle.beta;
  study.volume_floor = bundle.volume_floor;
  study.epoch_floor = bundle.epoch_floor;
  study.schedule = bundle.schedule;
  study.t1 = bundle.t1;
  study.epochs.clear();
  study.inducing = bundle.inducing;
  study.upload = UploadRule::kAuto;
  study.data = bundle.data;
  study.parameters = bundle.parameters;
  study.relevance = bundle.relevance;
  study.coins = bundle.coins;
}

double guessed_lengthscale(const domain::Domain& domain) {
  const double squared = mean_squared(domain);
  return squared > 0 ? std::sqrt(squared) / 2 : 1;
}

}  // namespace duets::protocol
