#include "duets/lab/scaling_analysis.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "duets/base/error.h"
#include "duets/lab/hindsight.h"

namespace duets::lab {
namespace {

bool same_kernel_and_points(const protocol::Study& a, const protocol::Study& b) {
  return a.kernel == b.kernel && a.lambda == b.lambda &&
         a.domain->candidates() == b.domain->candidates();
}

// One decomposition for each kernel: functions may share theirs.
class Gains {
 public:
  explicit Gains(std::uint64_t seed) : seed_(seed) {}

  double gain(const ScalingPoint& point) {
    auto found = by_function_.find(point.function);
    if (found == by_function_.end()) {
      found = by_function_.emplace(point.function, shared(point)).first;
    }
    return (*found->second)(point.queries());
  }

 private:
  using Shared = std::shared_ptr<const UniformGain>;

  Shared shared(const ScalingPoint& point) {
    const auto study = scaling_instance({point.function, 1, 1}, seed_).simulation.study;
    for (const auto& [known, gain] : known_) {
      if (same_kernel_and_points(*known, *study)) return gain;
    }
    auto gain = std::make_shared<const UniformGain>(study->kernel, study->domain->candidates(),
                                                    study->lambda);
    known_.emplace_back(study, gain);
    return gain;
  }

  std::uint64_t seed_;
  std::vector<std::pair<std::shared_ptr<const protocol::Study>, Shared>> known_;
  std::map<std::string, Shared> by_function_;
};

ScalingSummary summarise_point(const ScalingPoint& point, double gain,
                               const std::vector<Unit>& units, const Bootstrap& bootstrap) {
  ScalingSummary out;
  static_cast<FinalNumbers&>(out) = final_numbers(units, 0, point.function, bootstrap);
  out.point = point;
  out.gain = gain;
  out.exchanges =
      protocol::epoch_lengths(protocol::ScheduleRule::kSqrtFloor, point.horizon, 2).size() - 1;
  return out;
}

// All grids of a task but the first, which is DUETS at the fixed beta.
void append_rivals(const Scaling& scaling, const ExperimentResult& result, std::size_t index,
                   double gain, const Bootstrap& bootstrap, std::vector<ScalingRival>& rivals) {
  const Task& task = scaling.experiment.tasks[index];
  for (const Grid& grid : grids_of(scaling.experiment, result, index)) {
    if (grid.chosen == 0) continue;
    const Contender& chosen = task.contenders[grid.chosen];
    ScalingRival& rival = rivals.emplace_back();
    static_cast<FinalNumbers&>(rival) =
        final_numbers(result.units[index], grid.chosen, grid.label, bootstrap);
    rival.point = scaling.points[index];
    rival.gain = gain;
    rival.name = grid.label;
    rival.edge = edge_text(grid);
    if (grid.contenders.size() == 1) continue;
    rival.setting = fmt::format("beta = {}", chosen.beta);
    for (const auto& [name, value] : chosen.tuned) {
      rival.setting += fmt::format(", {} = {}", name, value);
    }
  }
}

bool is_before(const ScalingPoint& a, const ScalingPoint& b) {
  return std::tie(a.function, a.agents, a.horizon) < std::tie(b.function, b.agents, b.horizon);
}

// One size of a contender: its yardstick, and what was measured, by seed.
struct SizedValues {
  double x = 0;
  std::span<const double> values;
};

SizedValues sized(const ScalingPoint& point, double gain, const FinalNumbers& numbers,
                  Growth growth) {
  if (growth == Growth::kRegret) return {std::sqrt(point.queries() * gain), numbers.final_regret};
  return {gain, numbers.final_communication[0]};
}

// One slope for each seed. Nothing for fewer than two sizes, or where something is 0.
std::vector<double> slopes_by_seed(const std::vector<SizedValues>& sizes) {
  std::vector<double> slopes;
  if (sizes.size() < 2) return slopes;
  for (std::size_t seed = 0; seed < sizes.front().values.size(); ++seed) {
    std::vector<double> x, y;
    for (const SizedValues& size : sizes) {
      x.push_back(size.x);
      y.push_back(size.values[seed]);
    }
    if (*std::ranges::min_element(y) <= 0) return {};
    slopes.push_back(log_slope(x, y));
  }
  return slopes;
}

// `fit` with the numbers of the slopes; without a verdict.
SlopeFit filled(SlopeFit fit, std::size_t sizes, const std::vector<double>& slopes) {
  fit.sizes = sizes;
  fit.runs = slopes.size();
  fit.slope = mean(slopes);
  fit.stddev = sample_stddev(slopes);
  const PairedDifference alone =
      paired_difference(slopes, std::vector<double>(slopes.size(), 1.0), 1);
  if (alone.interval) fit.interval = Interval{1 + alone.interval->low, 1 + alone.interval->high};
  return fit;
}

SlopeVerdict verdict_of(const std::vector<double>& slopes, std::size_t family) {
  const std::vector<double> ones(slopes.size(), 1.0);
  const PairedDifference difference = paired_difference(slopes, ones, family);
  if (!difference.interval) return SlopeVerdict::kUnknown;
  switch (difference.order) {
    case Order::kLower:
      return SlopeVerdict::kBelow;
    case Order::kHigher:
      return SlopeVerdict::kAbove;
    case Order::kUndecided:
      break;
  }
  return SlopeVerdict::kOpen;
}

// Nothing for fewer than two sizes.
std::optional<SlopeFit> fit_slope(const std::vector<const ScalingSummary*>& all, Sweep sweep,
                                  Growth growth, bool upper_half, std::size_t family) {
  std::vector<SizedValues> sizes;
  for (std::size_t i = upper_half ? all.size() / 2 : 0; i < all.size(); ++i) {
    sizes.push_back(sized(all[i]->point, all[i]->gain, *all[i], growth));
  }
  if (sizes.size() < 2) return std::nullopt;
  const std::vector<double> slopes = slopes_by_seed(sizes);
  base::require(!slopes.empty(), "result", all.front()->point.function,
                "must be positive at every size to have a slope");
  SlopeFit fit = filled({.function = all.front()->point.function,
                         .sweep = sweep,
                         .growth = growth,
                         .upper_half = upper_half},
                        sizes.size(), slopes);
  fit.verdict = verdict_of(slopes, family);
  return fit;
}

// Names of the rivals, in order of first appearance.
std::vector<std::string> rival_names(const ScalingAnalysis& analysis, const std::string& function) {
  std::vector<std::string> names;
  for (const ScalingRival& rival : analysis.rivals) {
    if (rival.point.function != function) continue;
    if (std::ranges::count(names, rival.name) == 0) names.push_back(rival.name);
  }
  return names;
}

void append_rival_fits(ScalingAnalysis& analysis, const std::string& function) {
  for (const std::string& name : rival_names(analysis, function)) {
    for (const Sweep sweep : {Sweep::kHorizon, Sweep::kAgents}) {
      for (const Growth growth : kGrowths) {
        std::vector<SizedValues> sizes;
        for (const ScalingRival& rival : analysis.rivals) {
          if (rival.point.function != function || rival.name != name) continue;
          if (rival.point.in(sweep)) {
            sizes.push_back(sized(rival.point, rival.gain, rival, growth));
          }
        }
        const std::vector<double> slopes = slopes_by_seed(sizes);
        if (slopes.empty()) continue;
        analysis.rival_fits.push_back(
            filled({.function = function, .name = name, .sweep = sweep, .growth = growth},
                   sizes.size(), slopes));
      }
    }
  }
}

}  // namespace

UniformGain::UniformGain(const kernel::Kernel& kernel, const numeric::Points& points, double lambda)
    : lambda_(lambda) {
  base::require(std::isfinite(lambda) && lambda > 0, "lambda", fmt::format("{}", lambda),
                "must be positive");
  kernel::validate(kernel, static_cast<std::size_t>(points.cols()));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(kernel::gram(kernel, points),
                                                              Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) {
    throw base::Error(base::ErrorKind::kNumeric, "the eigenvalues of a Gram matrix were not found");
  }
  // Rounding leaves the smallest slightly negative; they contribute nothing.
  eigenvalues_ = solver.eigenvalues().cwiseMax(0.0);
}

double UniformGain::operator()(double queries) const {
  const double each = queries / static_cast<double>(eigenvalues_.size()) / lambda_;
  double sum = 0;
  for (const double eigenvalue : eigenvalues_) sum += std::log1p(each * eigenvalue);
  return sum / 2;
}

double ScalingSummary::yardstick(Growth growth) const {
  return growth == Growth::kRegret ? std::sqrt(point.queries() * gain) : gain;
}

const std::vector<double>& ScalingSummary::values(Growth growth) const {
  return growth == Growth::kRegret ? final_regret : final_communication[0];
}

const Summary& ScalingSummary::summary(Growth growth) const {
  return growth == Growth::kRegret ? regret : communication[0];
}

double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  base::require(x.size() == y.size() && x.size() >= 2, "points", fmt::format("{}", x.size()),
                "a line needs at least two");
  std::vector<double> u, v;
  for (std::size_t i = 0; i < x.size(); ++i) {
    base::require(std::isfinite(x[i]) && std::isfinite(y[i]) && x[i] > 0 && y[i] > 0, "points",
                  fmt::format("({}, {})", x[i], y[i]), "must be positive to have a logarithm");
    u.push_back(std::log(x[i]));
    v.push_back(std::log(y[i]));
  }
  const double centre_u = mean(u);
  const double centre_v = mean(v);
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    product += (u[i] - centre_u) * (v[i] - centre_v);
    square += (u[i] - centre_u) * (u[i] - centre_u);
  }
  base::require(square > 0, "points", "all x equal", "a slope needs two different x");
  return product / square;
}

std::vector<const ScalingSummary*> ScalingAnalysis::sweep(std::string_view function,
                                                          Sweep which) const {
  std::vector<const ScalingSummary*> out;
  for (const ScalingSummary& size : sizes) {
    if (size.point.function == function && size.point.in(which)) out.push_back(&size);
  }
  return out;
}

const SlopeFit* ScalingAnalysis::fit(std::string_view function, Sweep sweep, Growth growth,
                                     bool upper_half) const {
  for (const SlopeFit& f : fits) {
    if (f.function == function && f.sweep == sweep && f.growth == growth &&
        f.upper_half == upper_half) {
      return &f;
    }
  }
  return nullptr;
}

GainOf candidate_gain(std::uint64_t seed) {
  return [gains = std::make_shared<Gains>(seed)](const ScalingPoint& point) {
    return gains->gain(point);
  };
}

ScalingAnalysis analyse_scaling(const Scaling& scaling, const ExperimentResult& result,
                                const GainOf& gain_of) {
  const std::size_t num_tasks = scaling.experiment.tasks.size();
  base::require(!scaling.points.empty() && result.units.size() == num_tasks, "result",
                fmt::format("{} tasks", result.units.size()), "must be complete");
  ScalingAnalysis analysis;
  analysis.seeds = scaling.experiment.seeds;
  analysis.selection_seeds = scaling.experiment.selection_seeds;
  const Bootstrap bootstrap(analysis.seeds.size());
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    const ScalingPoint& point = scaling.points[i];
    const double gain = gain_of(point);
    analysis.sizes.push_back(summarise_point(point, gain, result.units[i], bootstrap));
    append_rivals(scaling, result, i, gain, bootstrap, analysis.rivals);
    auto& functions = analysis.functions;
    if (std::find(functions.begin(), functions.end(), point.function) == functions.end()) {
      functions.push_back(point.function);
    }
  }
  std::sort(
      analysis.sizes.begin(), analysis.sizes.end(),
      [](const ScalingSummary& a, const ScalingSummary& b) { return is_before(a.point, b.point); });
  std::stable_sort(
      analysis.rivals.begin(), analysis.rivals.end(),
      [](const ScalingRival& a, const ScalingRival& b) { return is_before(a.point, b.point); });
  const std::size_t family = analysis.functions.size() * 2 * kGrowths.size() * 2;
  for (const std::string& function : analysis.functions) {
    for (const Sweep sweep : {Sweep::kHorizon, Sweep::kAgents}) {
      for (const Growth growth : kGrowths) {
        for (const bool half : {false, true}) {
          const auto fit = fit_slope(analysis.sweep(function, sweep), sweep, growth, half, family);
          if (fit) analysis.fits.push_back(*fit);
        }
      }
    }
    append_rival_fits(analysis, function);
  }
  return analysis;
}

}  // namespace duets::lab
