#include "duets/protocol/preset.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/protocol/learner.h"
#include "duets/protocol/settings.h"

namespace duets::protocol {
namespace {

bool is_finite(const Study& study) { return study.domain && study.domain->is_finite(); }

bool has_categories(const Study& study) {
  return study.domain && !std::ranges::all_of(study.domain->parameters(), domain::is_ordered);
}

// A finite set has no finer sides than its candidates.
void set_floor(Study& study, double side, double volume) {
  if (is_finite(study)) {
    study.volume_floor = volume;
  } else {
    study.side_floor = side;
  }
}

// What the presets that tune themselves share. A learned model gets more rewards than one that is
// known needs, chooses its family, and makes use of the last epoch, which costs a projection more
// (docs/decisions/0033).
void tune(Study& study) {
  study.beta = 0.2;
  set_floor(study, 0.02, 1e-5);
  study.schedule = ScheduleRule::kPairedDoubling;
  study.t1 = 1;
  study.inducing = Inducing::kPublic;
  study.data = DataPolicy::kSurviving;
  study.closing = ClosingRule::kAll;
  study.parameters = Parameters::kLearned;
  study.family = true;
  study.kernel.family = kernel::Family::kMatern52;
  study.raw_rewards = kLearnedRows;
  study.coins = Coins::kStratified;
  study.numbers = Numbers::kShort;
}

constexpr std::array kPresets{
    Preset{.name = "paper",
           .meaning = "the paper's rules; kernel, lambda and beta must fit the rewards",
           .change = [](Study&) {}},
    Preset{.name = "auto",
           .meaning = "tunes itself; the best over many functions",
           .change =
               [](Study& study) {
                 tune(study);
                 study.relevance = true;
               },
           .goal = Goal::kFind},
    Preset{.name = "quick",
           .meaning = "auto without a length scale for each feature",
           .change = tune,
           .goal = Goal::kFind},
    Preset{.name = "safe",
           .meaning = "tunes itself to earn; wider cuts, which lose the best point less often",
           .change =
               [](Study& study) {
                 tune(study);
                 study.beta = 0.4;
                 set_floor(study, 0.05, 1e-4);
                 study.epoch_floor = 0.5;
               }},
};

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

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto* const found = std::find_if(kPresets.begin(), kPresets.end(),
                                         [&](const Preset& p) { return p.name == name; });
  return found == kPresets.end() ? nullptr : found;
}

void apply_preset(const Preset& preset, Study& study) {
  Study usual;
  for (const auto& [field, digest] : settings()) {
    if (field.table == "duets") base::assign(field.place(study), field.place(usual));
  }
  preset.change(study);
}

void apply_goal(Goal goal, Study& study) {
  if (goal == Goal::kEarn) return;
  study.cut = CutRule::kDecision;
  study.epoch_cap = 0.35;
  if (!is_finite(study)) study.side_floor = 0.001;
  // Every category gets some rewards before the first cut, which could lose it.
  study.t1 *= has_categories(study) ? 4 : 2;
}

double guessed_lengthscale(const domain::Domain& domain) {
  const double squared = mean_squared(domain);
  return squared > 0 ? std::sqrt(squared) / 2 : 1;
}

}  // namespace duets::protocol
