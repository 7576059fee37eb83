#include "duets/lab/scaling.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/lab/hindsight.h"
#include "duets/lab/scaling_figure.h"
#include "duets/lab/scaling_findings.h"
#include "duets/lab/tables_test_support.h"

namespace duets::lab {
namespace {

using numeric::Points;

// A result in which regret and reals are exact powers of the yardsticks, times luck of the seed
// that is the same at every size, plus `wobble` in the exponent from seed to seed.
struct Powers {
  double regret = 1;
  double reals = 1;
  double wobble = 0;
};

double fake_gain(const ScalingPoint& point) { return 3 * std::log(point.queries()); }

ExperimentResult power_result(const Scaling& scaling, const Powers& powers) {
  ExperimentResult result;
  for (std::size_t i = 0; i < scaling.experiment.tasks.size(); ++i) {
    const Task& task = scaling.experiment.tasks[i];
    const ScalingPoint& point = scaling.points[task.selects_for.value_or(i)];
    std::vector<Unit> units;
    for (const std::uint64_t seed : seeds_of(scaling.experiment, task)) {
      const double luck = 1 + 0.1 * static_cast<double>(seed % 3);
      const double more = seed % 2 == 0 ? powers.wobble : -powers.wobble;
      const double gain = fake_gain(point);
      Curves curves;
      curves.t = {point.horizon};
      curves.regret = {luck * std::pow(std::sqrt(point.queries() * gain), powers.regret + more)};
      curves.paper = {7 * luck * std::pow(gain, powers.reals + more)};
      curves.figure = {curves.paper[0] + 1};
      curves.links = {curves.paper[0] + 2};
      curves.indices = {curves.paper[0] + 3};
      curves.literal = {curves.paper[0] + 4};
      // Of those that are chosen from, the second is the best; DUETS at the fixed beta is first.
      Unit& unit = units.emplace_back(task.contenders.size(), curves);
      for (std::size_t c = task.selects_for ? 0 : 1; c < unit.size(); ++c) {
        const double beta = task.contenders[c].beta;
        unit[c].regret.back() *= beta == 0.2 ? 0.5 : 2;
        unit[c].paper.back() *= 10;
      }
    }
    result.units.push_back(std::move(units));
  }
  return result;
}

ScalingAnalysis power_analysis(const Powers& powers, std::uint32_t runs) {
  const Scaling scaling = scaling_experiment({.functions = {"branin"}, .runs = runs});
  return analyse_scaling(scaling, power_result(scaling, powers), fake_gain);
}

std::size_t count_in_scaling(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Scaling, EveryPointOnceAndTheLargestFirst) {
  const Scaling scaling = scaling_experiment({});
  // 9 horizons and 7 numbers of agents share one point; three functions.
  ASSERT_EQ(scaling.points.size(), 3u * (9 + 7 - 1));
  ASSERT_EQ(num_shown(scaling.experiment), scaling.points.size());
  EXPECT_EQ(scaling.experiment.seeds.size(), kScalingRuns);
  EXPECT_TRUE(std::is_sorted(
      scaling.points.begin(), scaling.points.end(),
      [](const ScalingPoint& a, const ScalingPoint& b) { return a.queries() > b.queries(); }));
  for (const Sweep sweep : {Sweep::kHorizon, Sweep::kAgents}) {
    const auto in_sweep = std::count_if(scaling.points.begin(), scaling.points.end(),
                                        [&](const ScalingPoint& point) { return point.in(sweep); });
    EXPECT_EQ(in_sweep, 3 * static_cast<std::ptrdiff_t>(sweep_values(sweep, false).size()));
  }
}

TEST(Scaling, TheInstanceIsTheStatedOne) {
  const Instance instance = scaling_instance({"rkhs-matern52", 3, 7}, 5);
  const protocol::Study& study = *instance.simulation.study;
  EXPECT_EQ(study.agents, 3u);
  EXPECT_EQ(study.horizon, 7u);
  EXPECT_EQ(study.beta, kScalingBeta);
  EXPECT_EQ(study.domain->candidates().rows(), static_cast<Eigen::Index>(kScalingCandidates));
  EXPECT_EQ(study.kernel.family, kernel::Family::kMatern52);
  EXPECT_EQ(instance.simulation.problem->facts().norm.value(), 2);
  const Instance other = scaling_instance({"rkhs-matern52", 3, 7}, 6);
  EXPECT_NE(study.domain->candidates(), other.simulation.study->domain->candidates());
  EXPECT_THROW(scaling_instance({"h1", 3, 7}, 5), base::Error);
  EXPECT_THROW(scaling_experiment({.functions = {"h1"}}), base::Error);
  EXPECT_THROW(scaling_experiment({.runs = 0}), base::Error);
}

TEST(UniformGain, EqualsTheGainOfEveryPointTwice) {
  const kernel::Kernel kernel{.lengthscales = {0.3}};
  const Points points = Points::Random(6, 2);
  const double lambda = 0.2;
  Points twice(12, 2);
  twice << points, points;
  const Eigen::MatrixXd gram = kernel::gram(kernel, twice);
  const Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(12, 12) + gram / lambda;
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
  const double gain = factor.matrixLLT().diagonal().array().log().sum();
  // Twelve eigenvalues of a well-conditioned matrix: rounding is some units of 1e-16.
  EXPECT_NEAR(UniformGain(kernel, points, lambda)(12), gain, 1e-12 * gain);
}

TEST(UniformGain, OnePointByHandAndRefusals) {
  const kernel::Kernel kernel{};
  const Points point = Points::Zero(1, 2);
  EXPECT_NEAR(UniformGain(kernel, point, 0.5)(8), 0.5 * std::log(17.0), 1e-15);
  EXPECT_THROW(UniformGain(kernel, point, 0), base::Error);
}

TEST(LogSlope, ExactPowersAndRefusals) {
  EXPECT_NEAR(log_slope({1, 2, 4}, {3, 3 * std::sqrt(2.0), 6}), 0.5, 1e-15);
  EXPECT_NEAR(log_slope({1, 10}, {5, 5}), 0, 1e-15);
  EXPECT_THROW(log_slope({1}, {1}), base::Error);
  EXPECT_THROW(log_slope({1, 2}, {1, 0}), base::Error);
  EXPECT_THROW(log_slope({2, 2}, {1, 3}), base::Error);
}

TEST(ScalingAnalysis, RecoversExponents) {
  const ScalingAnalysis analysis = power_analysis({.regret = 0.9, .reals = 1.3}, 4);
  ASSERT_EQ(analysis.fits.size(), 2u * 2 * 2);
  for (const SlopeFit& fit : analysis.fits) {
    const bool regret = fit.growth == Growth::kRegret;
    EXPECT_NEAR(fit.slope, regret ? 0.9 : 1.3, 1e-12);
    EXPECT_EQ(fit.verdict, regret ? SlopeVerdict::kBelow : SlopeVerdict::kAbove);
    EXPECT_EQ(fit.runs, 4u);
  }
  EXPECT_EQ(analysis.fit("branin", Sweep::kHorizon, Growth::kRegret, false)->sizes, 9u);
  EXPECT_EQ(analysis.fit("branin", Sweep::kHorizon, Growth::kRegret, true)->sizes, 5u);
  EXPECT_EQ(analysis.fit("branin", Sweep::kAgents, Growth::kRegret, true)->sizes, 4u);
}

TEST(ScalingAnalysis, SpreadOverSeedsWidensTheInterval) {
  // Slopes 0.9 +- 0.2, three above and three below: one is inside every interval.
  const ScalingAnalysis analysis = power_analysis({.regret = 0.9, .reals = 0.9, .wobble = 0.2}, 6);
  ASSERT_EQ(analysis.fits.size(), 8u);
  for (const SlopeFit& fit : analysis.fits) {
    EXPECT_NEAR(fit.slope, 0.9, 1e-12);
    // t quantile of 5 degrees of freedom, 2.570582 (tables), times sd / sqrt(6).
    const double half = 2.570582 * 0.2 * std::sqrt(6.0 / 5) / std::sqrt(6.0);
    EXPECT_NEAR(fit.interval->high, 0.9 + half, 1e-6);
    EXPECT_EQ(fit.verdict, SlopeVerdict::kOpen);
  }
}

std::string text_of(const ScalingAnalysis& analysis) {
  return report::to_text(scaling_findings(analysis, {}).summary);
}

TEST(Scaling, OthersStandBesideDuets) {
  const auto labels = [](const ScalingPoint& point) {
    std::vector<std::string> out;
    for (const Contender& c : scaling_contenders(point)) {
      if (out.empty() || out.back() != c.grid_label()) out.push_back(c.grid_label());
    }
    return out;
  };
  EXPECT_EQ(
      labels({"rkhs-se", 10, 12800}),
      (std::vector<std::string>{"DUETS", "DUETS (chosen beta)", "DUETS (auto)", "DUETS (earn)",
                                "DUETS (safe)", "DUETS (theory)", "DisKernelUCB", "uniform"}));
  EXPECT_EQ(labels({"branin", 10, 12800}),
            (std::vector<std::string>{"DUETS", "DUETS (chosen beta)", "DUETS (auto)",
                                      "DUETS (earn)", "DUETS (safe)", "DisKernelUCB", "uniform"}))
      << "its norm is not known";
  // The first is the fixed beta, and everybody can run.
  const Instance instance = scaling_instance({"rkhs-se", 3, 12}, 1);
  std::vector<double> regrets;
  for (const Contender& c : scaling_contenders({"rkhs-se", 3, 12})) {
    regrets.push_back(c.run(instance).regret.back());
  }
  EXPECT_EQ(regrets.front(), play_duets(instance, *instance.simulation.study).regret.back());
  EXPECT_EQ(regrets[0], regrets[4]) << "beta = 1 is of the grid, too";
}

TEST(ScalingAnalysis, OthersAreChosenOnOtherSeeds) {
  const ScalingAnalysis analysis = power_analysis({}, 5);
  ASSERT_FALSE(analysis.rivals.empty());
  for (const ScalingRival& rival : analysis.rivals) {
    const bool chooses = rival.name == "DUETS (chosen beta)" || rival.name == "DisKernelUCB";
    EXPECT_EQ(rival.setting.starts_with("beta = 0.2"), chooses) << rival.name;
    EXPECT_EQ(rival.setting.empty(), !chooses) << rival.name;
  }
  const report::CsvTable table(to_csv(scaling_findings(analysis, {}).table("rivals")));
  EXPECT_EQ(table.num_rows(), analysis.rivals.size());
  // Ten times the reals and twice the regret at every size have the same slope.
  for (const SlopeFit& fit : analysis.rival_fits) EXPECT_NEAR(fit.slope, 1, 1e-9) << fit.name;
  const auto rival_slopes = [&](const std::string& name) {
    return std::ranges::count_if(analysis.rival_fits,
                                 [&](const SlopeFit& fit) { return fit.name == name; });
  };
  EXPECT_EQ(rival_slopes("DUETS (auto)"), 4);
  EXPECT_EQ(rival_slopes("DUETS (theory)"), 0) << "not known for branin";
  const report::CsvTable slopes(to_csv(scaling_findings(analysis, {}).table("rival_slopes")));
  EXPECT_EQ(slopes.num_rows(), analysis.rival_fits.size());
  const std::string frontier = frontier_figure(analysis);
  EXPECT_NE(frontier.find(">plain ask and tell at T = "), std::string::npos);
  const std::string answers = scaling_answers(analysis);
  EXPECT_NE(answers.find(">optimum lost, % of the runs<"), std::string::npos);
  EXPECT_EQ(count_in_scaling(answers, "nan"), 0u);
  for (const char* name : {"DUETS, beta = 1", "DUETS (auto)", "DisKernelUCB"}) {
    EXPECT_NE(frontier.find(name), std::string::npos) << name;
  }
  EXPECT_NE(text_of(analysis).find("plain ask and tell"), std::string::npos);
}

TEST(ScalingAnalysis, OneRunDecidesNothing) {
  const ScalingAnalysis analysis = power_analysis({.regret = 2}, 1);
  ASSERT_EQ(analysis.fits.size(), 8u);
  for (const SlopeFit& fit : analysis.fits) {
    EXPECT_EQ(fit.verdict, SlopeVerdict::kUnknown);
    EXPECT_FALSE(fit.interval);
  }
  EXPECT_NE(text_of(analysis).find("nothing is decided"), std::string::npos);
}

TEST(ScalingAnalysis, RefusesWhatIsNotComplete) {
  const Scaling scaling = scaling_experiment({.functions = {"branin"}, .runs = 2});
  EXPECT_THROW(analyse_scaling(scaling, {}, fake_gain), base::Error);
  ExperimentResult zero = power_result(scaling, {});
  zero.units[0][1][0].regret = {0};
  EXPECT_THROW(analyse_scaling(scaling, zero, fake_gain), base::Error);
}

TEST(ScalingOutput, VerdictNamesWhatIsTooSteep) {
  const std::string text = text_of(power_analysis({.regret = 0.9, .reals = 1.3}, 4));
  EXPECT_NE(text.find("Regret against sqrt(N T gamma): none of 4"), std::string::npos) << text;
  EXPECT_NE(text.find("above 1 in branin over T"), std::string::npos) << text;
}

report::CsvCells scaling_cells_of(const ScalingSummary& size) {
  const double gain = size.gain;
  const double root = std::sqrt(static_cast<double>(size.point.agents * size.point.horizon) * gain);
  return {{"function", size.point.function},
          {"agents", size.point.agents},
          {"horizon", size.point.horizon},
          {"queries", size.point.agents * size.point.horizon},
          {"exchanges", size.exchanges},
          {"gamma", gain},
          {"sqrt_n_t_gamma", root},
          {"runs", size.regret.runs},
          {"regret_mean", size.regret.mean},
          {"regret_std", size.regret.stddev},
          {"regret_low", test::low_of(size.regret.interval)},
          {"regret_high", test::high_of(size.regret.interval)},
          {"communication_paper", size.communication[0].mean},
          {"communication_figure", size.communication[1].mean},
          {"communication_links", size.communication[2].mean},
          {"communication_indices", size.communication[3].mean},
          {"communication_literal", size.communication[4].mean},
          {"rounds", size.rounds},
          {"recommendation_regret_mean", size.recommendation.regret.mean},
          {"recommendation_regret_std", size.recommendation.regret.stddev},
          {"recommendation_regret_low", test::low_of(size.recommendation.regret.interval)},
          {"recommendation_regret_high", test::high_of(size.recommendation.regret.interval)},
          {"lost", size.recommendation.lost},
          {"regret_ratio", size.regret.mean / root},
          {"communication_ratio", size.communication[0].mean / gain}};
}

report::CsvCells scaling_cells_of(const SlopeFit& fit) {
  return {{"function", fit.function},
          {"sweep", base::name_of(fit.sweep)},
          {"measure", base::name_of(fit.growth)},
          {"sizes_used", fit.upper_half ? "upper half" : "all"},
          {"sizes", fit.sizes},
          {"runs", fit.runs},
          {"slope", fit.slope},
          {"slope_std", fit.stddev},
          {"low", test::low_of(fit.interval)},
          {"high", test::high_of(fit.interval)},
          {"verdict", base::name_of(fit.verdict)}};
}

// One run has no deviation and no interval: those fields are empty.
TEST(ScalingOutput, TablesReadBackByColumn) {
  for (const std::uint32_t runs : {1u, 5u}) {
    const ScalingAnalysis analysis = power_analysis({.reals = 1.2, .wobble = 0.05}, runs);
    const report::CsvTable sizes(to_csv(scaling_findings(analysis, {}).table("scaling")));
    ASSERT_EQ(sizes.num_rows(), 15u);
    for (std::size_t i = 0; i < 15; ++i) {
      EXPECT_EQ(sizes.difference(i, scaling_cells_of(analysis.sizes[i])), "");
    }
    const report::CsvTable slopes(to_csv(scaling_findings(analysis, {}).table("slopes")));
    ASSERT_EQ(slopes.num_rows(), 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(slopes.difference(i, scaling_cells_of(analysis.fits[i])), "");
    }
  }
}

TEST(ScalingOutput, FigureHasFourPanelsWithTheirSlopes) {
  for (const std::uint32_t runs : {1u, 5u}) {
    const ScalingAnalysis analysis = power_analysis({.regret = 0.9, .reals = 1.3}, runs);
    const std::string figure = scaling_figure(analysis);
    for (const char* title :
         {"Regret, N = ", "Communication, N = ", "Regret, T = ", "Communication, T = "}) {
      EXPECT_EQ(count_in_scaling(figure, std::string(">") + title), 1u) << title;
    }
    EXPECT_EQ(count_in_scaling(figure, ">branin, slope 0.90<"), 2u);
    EXPECT_EQ(count_in_scaling(figure, ">branin, slope 1.30<"), 2u);
    EXPECT_EQ(count_in_scaling(figure, ">slope 1<"), 4u);
    EXPECT_EQ(count_in_scaling(figure, ">plain ask and tell<"), 2u);
    EXPECT_EQ(count_in_scaling(figure, "nan") + count_in_scaling(figure, "inf\""), 0u);
    EXPECT_NE(figure, scaling_figure(power_analysis({.regret = 0.8, .reals = 1.3}, runs)));
  }
  EXPECT_EQ(count_in_scaling(scaling_figure({}), "Nothing was run."), 4u);
}

// The cells of every row of every table, without their tags.
std::vector<std::vector<std::string>> html_rows(const std::string& page) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = page.find("<tr>"); at != std::string::npos; at = page.find("<tr>", at)) {
    const std::size_t end = page.find("</tr>", at);
    std::vector<std::string> row;
    while ((at = page.find("<t", at + 1)) < end) {
      const std::size_t begin = page.find('>', at) + 1;
      row.push_back(page.substr(begin, page.find("</t", begin) - begin));
    }
    rows.push_back(row);
    at = end;
  }
  return rows;
}

TEST(ScalingOutput, ThePageHasEverySlopeWithItsVerdict) {
  for (const std::uint32_t runs : {1u, 5u}) {
    const ScalingAnalysis analysis =
        power_analysis({.regret = 0.9, .reals = 1.3, .wobble = 0.01}, runs);
    const auto rows = html_rows(to_html(scaling_findings(analysis, {.title = "t"}).page));
    std::size_t found = 0;
    for (const SlopeFit& fit : analysis.fits) {
      if (fit.upper_half) continue;
      const SlopeFit* half = analysis.fit(fit.function, fit.sweep, fit.growth, true);
      const std::vector<std::string> row = {fit.function,
                                            std::string(base::name_of(fit.sweep)),
                                            std::string(base::name_of(fit.growth)),
                                            slope_with_interval(fit),
                                            std::string(base::name_of(fit.verdict)),
                                            slope_with_interval(*half),
                                            std::string(base::name_of(half->verdict))};
      found += static_cast<std::size_t>(std::count(rows.begin(), rows.end(), row));
    }
    EXPECT_EQ(found, 4u);
  }
}

TEST(ScalingOutput, ThePageQuotesWhatItIsGiven) {
  const ScalingAnalysis analysis = power_analysis({.wobble = 0.05}, 5);
  const std::string page =
      to_html(scaling_findings(analysis, {.title = "a <b>", .lead = "&"}).page);
  EXPECT_NE(page.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find(scaling_figure(analysis)), std::string::npos);
  EXPECT_NE(page.find(frontier_figure(analysis)), std::string::npos);
}

}  // namespace
}  // namespace duets::lab
