#include "duets/protocol/preset.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/protocol/learner.h"

namespace duets::protocol {
namespace {

constexpr Preset kPaper{
    .name = "paper",
    .meaning = "the paper's rules; kernel, lambda and beta must fit the rewards",
    .beta = 0.5,
    .side_floor = 0,
    .volume_floor = 0,
    .epoch_floor = 1,
    .schedule = ScheduleRule::kSqrtFloor,
    .t1 = 2,
    .inducing = Inducing::kCoin,
    .data = DataPolicy::kEpoch,
    .parameters = Parameters::kFixed,
    .relevance = false,
    .coins = Coins::kIndependent};

// What the presets that tune themselves share.
constexpr Preset tuning(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .meaning = meaning,
          .beta = 0.2,
          .side_floor = 0.02,
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

constexpr std::array kPresets = [] {
  Preset automatic = tuning("auto", "tunes itself; the best over many functions");
  automatic.relevance = true;
  const Preset quick = tuning("quick", "auto without a length scale for each feature");
  Preset safe = tuning("safe", "tunes itself; wider cuts, which lose the best point less often");
  safe.beta = 0.4;
  safe.side_floor = 0.05;
  safe.volume_floor = 1e-4;
  safe.epoch_floor = 0.5;
  return std::array{kPaper, automatic, quick, safe};
}();

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
  for (const domain::Parameter& parameter : domain.parameters()) {
    sum += domain::mean_squared_distance(parameter);
  }
  return sum;
}

bool is_finite(const Study& study) { return study.domain && study.domain->is_finite(); }

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto* const found = std::find_if(kPresets.begin(), kPresets.end(),
                                         [&](const Preset& p) { return p.name == name; });
  return found == kPresets.end() ? nullptr : found;
}

void apply_preset(const Preset& preset, Study& study) {
  study.beta = preset.beta;
  study.volume_floor = is_finite(study) ? preset.volume_floor : 0;
  study.side_floor = is_finite(study) ? 0 : preset.side_floor;
  study.epoch_floor = preset.epoch_floor;
  study.schedule = preset.schedule;
  study.t1 = preset.t1;
  study.epochs.clear();
  study.inducing = preset.inducing;
  study.upload = UploadRule::kAuto;
  study.data = preset.data;
  study.parameters = preset.parameters;
  study.relevance = preset.relevance;
  study.coins = preset.coins;
  const Study usual;
  study.cut = usual.cut;
  study.epoch_cap = usual.epoch_cap;
  // A learned model gets more rewards than one that is known needs, chooses its family, and makes
  // use of the last epoch, which costs a projection more (docs/decisions/0033).
  const bool learns = preset.parameters == Parameters::kLearned;
  study.family = learns;
  study.raw_rewards = learns ? kLearnedRows : usual.raw_rewards;
  study.closing = learns ? ClosingRule::kProjection : usual.closing;
  if (learns) study.kernel.family = kernel::Family::kMatern52;
}

void apply_goal(Goal goal, Study& study) {
  if (goal == Goal::kEarn) return;
  study.cut = CutRule::kDecision;
  study.epoch_cap = 0.45;
  if (!is_finite(study)) study.side_floor = 0.001;
  study.t1 *= 2;
}

double guessed_lengthscale(const domain::Domain& domain) {
  const double squared = mean_squared(domain);
  return squared > 0 ? std::sqrt(squared) / 2 : 1;
}

}  // namespace duets::protocol
