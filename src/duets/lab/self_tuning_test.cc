#include "duets/lab/self_tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <set>

#include "duets/base/error.h"
#include "duets/lab/self_tuning_figure.h"
#include "duets/lab/self_tuning_findings.h"
#include "duets/lab/tables_test_support.h"
#include "duets/problems/development.h"
#include "duets/problems/held_out.h"
#include "duets/problems/held_out_mixed.h"

namespace duets::lab {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

Contender named(const std::string& algorithm, double beta, const std::string& variant) {
  return {.algorithm = algorithm, .beta = beta, .variant = variant, .run = {}};
}

Curves ending_at(double regret, double reals) {
  return {.t = {50},
          .regret = {regret},
          .paper = {reals},
          .figure = {5 * reals},
          .links = {10 * reals},
          .recommendation_regret = regret / 100,
          .lost = regret > 60};
}

// Two settings of the rival, the second better; auto with half its regret at a tenth of its reals
// on branin, and a quarter and a fifth on camel; an ingredient that doubles auto's regret.
struct Made {
  Experiment experiment{};
  ExperimentResult result{};
};

Made made() {
  Made out;
  out.experiment.seeds = {1, 2};
  for (const auto& [function, regret, reals] :
       {std::tuple{"branin", 0.5, 0.1}, std::tuple{"camel", 0.25, 0.2}}) {
    out.experiment.tasks.push_back(
        {.preset = "finite",
         .function = function,
         .make = {},
         .contenders = {named("DisKernelUCB", 0.5, lambda_variant(0.2)),
                        named("DisKernelUCB", 1, lambda_variant(1)), named("DUETS", 0, "auto"),
                        named("DUETS", 0, "auto without floor")}});
    std::vector<Unit> units;
    for (const double hard : {1.0, 3.0}) {
      units.push_back({ending_at(50 * hard, 900), ending_at(40 * hard, 1000),
                       ending_at(40 * hard * regret, 1000 * reals),
                       ending_at(80 * hard * regret, 500 * reals)});
    }
    out.result.units.push_back(units);
  }
  return out;
}

TEST(SelfTuning, ConditionsHaveDifferentKeysAndKnownFunctions) {
  std::set<std::string_view> keys;
  for (const Condition& condition : self_tuning_conditions()) {
    EXPECT_TRUE(keys.insert(condition.key).second) << condition.key;
    EXPECT_EQ(&find_condition(condition.key), &condition);
    EXPECT_FALSE(functions_of(condition).empty());
  }
  EXPECT_EQ(functions_of(find_condition("finite")).size(),
            4 + problems::development_functions().size());
  EXPECT_THROW(find_condition("none"), base::Error);
}

TEST(SelfTuning, HeldOutFunctionsRunOnlyWhenTheyAreNamed) {
  const Experiment usual = self_tuning_experiment({});
  for (const problems::Formula& formula : problems::held_out_functions()) {
    for (const Task& task : usual.tasks) EXPECT_NE(task.function, formula.name);
  }
  for (const problems::Formula& formula : problems::held_out_mixed_functions()) {
    for (const Task& task : usual.tasks) EXPECT_NE(task.function, formula.name);
  }
  const Experiment kept = self_tuning_experiment({.conditions = {"held-out"}});
  EXPECT_EQ(kept.tasks.size(), problems::held_out_functions().size());
  EXPECT_EQ(seeds_of(kept, kept.tasks[0]).size(), kSelfTuningRuns);
  EXPECT_EQ(self_tuning_experiment({.conditions = {"held-out-mixed"}}).tasks.size(), 4u);
}

// A mixed function is played on its own space, against its known maximum.
TEST(SelfTuning, MixedFunctionsBringTheirSpace) {
  const Instance instance = self_tuning_instance(find_condition("mixed"), "trainer", 1);
  const harness::Simulation& simulation = instance.simulation;
  EXPECT_EQ(simulation.study->domain->parameters(), simulation.problem->parameters());
  EXPECT_EQ(*simulation.reference, simulation.problem->maximum());
}

TEST(SelfTuning, TheExperimentHasTheWholeGridAndEveryPreset) {
  const Experiment experiment = self_tuning_experiment({});
  const Task& finite = experiment.tasks.front();
  const auto with = [&](std::string_view algorithm) {
    return static_cast<std::size_t>(
        std::count_if(finite.contenders.begin(), finite.contenders.end(),
                      [&](const Contender& c) { return c.algorithm == algorithm; }));
  };
  EXPECT_EQ(with("DisKernelUCB"), 18u);
  EXPECT_EQ(with("DUETS"), protocol::presets().size() + 7);
  EXPECT_EQ(seeds_of(experiment, finite).size(), 50u);
  EXPECT_EQ(seeds_of(experiment, experiment.tasks.back()).size(), 20u);
  EXPECT_THROW(self_tuning_experiment({.runs = 0}), base::Error);
  EXPECT_THROW(self_tuning_experiment({.functions = {"none"}}), base::Error);
  EXPECT_THROW(self_tuning_experiment({.conditions = {"units"}, .functions = {"h2"}}), base::Error);
}

TEST(SelfTuning, EveryIngredientChangesTheStudyAndLeavesItValid) {
  const Condition& condition = find_condition("finite");
  const Instance instance = self_tuning_instance(condition, "camel", 1);
  const protocol::Study automatic =
      preset_study(condition, *instance.simulation.study, *protocol::find_preset("auto"));
  std::set<std::string> digests{base::to_hex(protocol::study_digest(automatic))};
  const auto ingredients = changed_ingredients(automatic);
  ASSERT_EQ(ingredients.size(), 7u);
  for (const Ingredient& ingredient : ingredients) {
    EXPECT_NO_THROW(protocol::validate(ingredient.study)) << ingredient.name;
    EXPECT_TRUE(digests.insert(base::to_hex(protocol::study_digest(ingredient.study))).second)
        << ingredient.name;
  }
}

TEST(SelfTuning, WhoKnowsWhichLengthScale) {
  const Condition& twice = find_condition("lengthscale-double");
  const Instance instance = self_tuning_instance(twice, "branin", 1);
  const protocol::Study& study = *instance.simulation.study;
  EXPECT_EQ(study.kernel.lengthscales, std::vector{0.4});
  EXPECT_EQ(preset_study(twice, study, *protocol::find_preset("paper")).kernel.lengthscales,
            std::vector{0.4});
  EXPECT_EQ(preset_study(twice, study, *protocol::find_preset("auto")).kernel.lengthscales,
            std::vector{2 * protocol::guessed_lengthscale(*study.domain)});
}

// The rewards are 1000 y + 50; the regret stays in the function's units.
TEST(SelfTuning, UnitsReachTheModel) {
  const Instance instance = self_tuning_instance(find_condition("units"), "branin", 1);
  const harness::Simulation& simulation = instance.simulation;
  const double y = 0.25;
  EXPECT_NEAR((y - simulation.offset) / simulation.scale, 300, 1e-9);
  EXPECT_EQ(*simulation.reference,
            *self_tuning_instance(find_condition("finite"), "branin", 1).simulation.reference);
}

TEST(SelfTuning, ASmallExperimentRuns) {
  const Experiment experiment = self_tuning_experiment(
      {.conditions = {"finite"}, .functions = {"branin", "camel"}, .runs = 2, .quick = true});
  NoStore store;
  ExperimentObserver nobody;
  const std::atomic<bool> go_on = false;
  const ExperimentResult result =
      run_experiment(experiment, base::SerialExecutor(), store, nobody, go_on);
  const SelfTuningAnalysis analysis = analyse_self_tuning(experiment, result);
  ASSERT_EQ(analysis.tasks.size(), 2u);
  for (const SelfTuningTask& task : analysis.tasks) {
    EXPECT_EQ(task.entries.size(), 1 + protocol::presets().size() + 7);
    // Alone on its seed a preset has the same curve: nothing of the others reaches it.
    const Condition& condition = find_condition("finite");
    const Instance instance = self_tuning_instance(condition, task.function, 2);
    const Curves alone = play_duets(instance, preset_study(condition, *instance.simulation.study,
                                                           *protocol::find_preset("auto")));
    EXPECT_EQ(task.find("auto")->final_regret[1], alone.regret.back());
  }
}

TEST(SelfTuningAnalysis, RatiosAndTheirMeansByHand) {
  const Made m = made();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const SelfTuningTask& branin = analysis.tasks[0];
  ASSERT_EQ(branin.entries.size(), 3u);
  EXPECT_EQ(branin.entries[0].setting, "beta = 1, lambda = 1");
  EXPECT_EQ(branin.entries[0].regret.mean, 80);
  EXPECT_DOUBLE_EQ(branin.find("auto")->ratios[0]->value, 0.5);
  EXPECT_DOUBLE_EQ(branin.find("auto")->ratios[1]->value, 0.1);
  EXPECT_DOUBLE_EQ(branin.find("auto without floor")->ratios[0]->value, 2);
  EXPECT_EQ(branin.find("auto without floor")->reference, "auto");

  const SelfTuningMean* all = analysis.find("finite", "all", "auto");
  ASSERT_NE(all, nullptr);
  EXPECT_DOUBLE_EQ(all->ratios[0]->value, std::sqrt(0.5 * 0.25));
  EXPECT_DOUBLE_EQ(all->ratios[1]->value, std::sqrt(0.1 * 0.2));
  EXPECT_DOUBLE_EQ(analysis.find("finite", "paper", "auto")->ratios[0]->value, 0.5);
  EXPECT_DOUBLE_EQ(analysis.find("finite", "added", "auto")->ratios[0]->value, 0.25);
  EXPECT_EQ(analysis.find("finite", "added", "DisKernelUCB"), nullptr);
  EXPECT_THROW(analyse_self_tuning(m.experiment, {}), base::Error);
}

TEST(SelfTuningAnalysis, NothingSentHasNoRatio) {
  Made m = made();
  for (Unit& unit : m.result.units[0]) unit[1].paper = {0};
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  EXPECT_FALSE(analysis.tasks[0].find("auto")->ratios[1]);
  EXPECT_TRUE(analysis.tasks[0].find("auto")->ratios[0]);
  EXPECT_FALSE(analysis.find("finite", "all", "auto")->ratios[1]);
}

void append_ratios(report::CsvCells& cells, const Ratios& ratios) {
  const std::array names = {"regret", "paper", "links", "recommendation"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = std::string(names[i]) + "_ratio";
    const auto& ratio = ratios[i];
    const auto interval = ratio ? ratio->interval : std::nullopt;
    cells.emplace_back(name, ratio ? std::optional(ratio->value) : std::nullopt);
    cells.emplace_back(name + "_low", test::low_of(interval));
    cells.emplace_back(name + "_high", test::high_of(interval));
  }
}

report::CsvCells cells_of(const SelfTuningTask& task, const SelfTuningEntry& entry) {
  report::CsvCells cells = {
      {"condition", task.condition},
      {"function", task.function},
      {"name", entry.name},
      {"setting", entry.setting},
      {"runs", entry.regret.runs},
      {"regret_mean", entry.regret.mean},
      {"regret_std", entry.regret.stddev},
      {"regret_low", test::low_of(entry.regret.interval)},
      {"regret_high", test::high_of(entry.regret.interval)},
      {"communication_paper", entry.communication[0].mean},
      {"communication_figure", entry.communication[1].mean},
      {"communication_links", entry.communication[2].mean},
      {"recommendation_regret_mean", entry.recommendation.regret.mean},
      {"recommendation_regret_std", entry.recommendation.regret.stddev},
      {"recommendation_regret_low", test::low_of(entry.recommendation.regret.interval)},
      {"recommendation_regret_high", test::high_of(entry.recommendation.regret.interval)},
      {"lost", entry.recommendation.lost},
      {"reference", entry.reference}};
  append_ratios(cells, entry.ratios);
  return cells;
}

report::CsvCells cells_of(const SelfTuningMean& mean) {
  report::CsvCells cells = {{"condition", mean.condition}, {"group", mean.group},
                            {"name", mean.name},           {"reference", mean.reference},
                            {"functions", mean.functions}, {"runs", mean.runs}};
  append_ratios(cells, mean.ratios);
  return cells;
}

TEST(SelfTuningOutput, TablesReadBackByColumn) {
  Made m = made();
  for (Unit& unit : m.result.units[0]) unit[1].links = {0};  // a ratio that is not there
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const report::CsvTable entries(to_csv(self_tuning_findings(analysis, {}).table("self_tuning")));
  ASSERT_EQ(entries.num_rows(), 2u * 3);
  std::size_t row = 0;
  for (const SelfTuningTask& task : analysis.tasks) {
    for (const SelfTuningEntry& entry : task.entries) {
      EXPECT_EQ(entries.difference(row++, cells_of(task, entry)), "");
    }
  }
  EXPECT_EQ(row, entries.num_rows());
  const report::CsvTable means(to_csv(self_tuning_findings(analysis, {}).table("means")));
  ASSERT_EQ(means.num_rows(), 3u * 2);
  ASSERT_EQ(analysis.means.size(), 3u * 2);
  for (std::size_t i = 0; i < means.num_rows(); ++i) {
    EXPECT_EQ(means.difference(i, cells_of(analysis.means[i])), "");
  }
}

TEST(SelfTuningOutput, TextShowsRatiosAndIngredients) {
  const Made m = made();
  const std::string text = report::to_text(
      self_tuning_findings(analyse_self_tuning(m.experiment, m.result), {}).summary);
  EXPECT_NE(text.find("0.50 / 0.10"), std::string::npos) << text;
  EXPECT_NE(text.find("auto without floor"), std::string::npos) << text;
  // The rival recommends 0.4 and 1.2 below the best point, and has lost it once.
  EXPECT_NE(text.find("0.8, 50 %"), std::string::npos) << text;
}

TEST(SelfTuningOutput, TheFigureHasNoBadNumber) {
  Made m = made();
  for (Unit& unit : m.result.units[0]) unit[1].paper = {0};  // a ratio that is not there
  m.experiment.tasks[1].preset = "units";
  const std::string figure = self_tuning_figure(analyse_self_tuning(m.experiment, m.result));
  EXPECT_EQ(count(figure, "nan") + count(figure, "inf\""), 0u);
  EXPECT_NE(figure.find("stress cases"), std::string::npos);
}

TEST(SelfTuningOutput, ThePageIsWhole) {
  const Made m = made();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const std::string page = to_html(self_tuning_findings(analysis, {.title = "a <b>"}).page);
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("auto without floor"), std::string::npos);
  EXPECT_NE(page.find("beta = 1, lambda = 1"), std::string::npos);
}

}  // namespace
}  // namespace duets::lab
