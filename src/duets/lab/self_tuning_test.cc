#include "duets/lab/self_tuning.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <set>

#include "duets/base/error.h"
#include "duets/lab/hindsight_test_support.h"
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
  Contender out{.algorithm = algorithm, .beta = beta, .variant = variant, .run = {}};
  if (algorithm == "DisKernelUCB") out.grid = algorithm;
  return out;
}

Curves ending_at(double regret, double reals) {
  return {.t = {50},
          .regret = {regret},
          .paper = {reals},
          .figure = {5 * reals},
          .links = {10 * reals},
          .indices = {2 * reals},
          .literal = {3 * reals},
          .rounds = 7,
          .recommendation_regret = regret / 100,
          .lost = regret > 60};
}

// Two settings of the rival, the second better; auto with half its regret at a tenth of its reals
// on branin, and a quarter and a fifth on camel; find with three times auto's regret; an ingredient
// that doubles it.
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
         .contenders = {named("DisKernelUCB", 0.5, rival_variant(0.2, 10)),
                        named("DisKernelUCB", 1, rival_variant(1, 2)), named("DUETS", 0, "auto"),
                        named("DUETS", 0, "earn"), named("DUETS", 0, "auto without floor")}});
    std::vector<Unit> units;
    for (const double hard : {1.0, 3.0}) {
      units.push_back({ending_at(50 * hard, 900), ending_at(40 * hard, 1000),
                       ending_at(40 * hard * regret, 1000 * reals),
                       ending_at(120 * hard * regret, 2000 * reals),
                       ending_at(80 * hard * regret, 500 * reals)});
    }
    out.result.units.push_back(units);
  }
  test::choose_by_shown(out.experiment, out.result);
  return out;
}

// Beside batch-gp, with enough seeds for intervals: auto has about twice its regret on the box and
// half on the mixed space, and recommends better; random sends nothing.
Made made_beside_peers() {
  Made out;
  out.experiment.seeds = {1, 2, 3, 4, 5, 6};
  for (const auto& [function, regret] : {std::pair{"camel", 2.0}, std::pair{"trainer", 0.5}}) {
    out.experiment.tasks.push_back(
        {.preset = "peers",
         .function = function,
         .make = {},
         .contenders = {named("batch-gp", 0, {}), named("random", 0, {}), named("DUETS", 0, "auto"),
                        named("DUETS", 0, "earn")}});
    std::vector<Unit> units;
    for (const double hard : {1.0, 1.1, 1.2, 1.3, 1.4, 1.5}) {
      const double odd = hard * hard;
      units.push_back({ending_at(40 * hard, 1000), ending_at(400 * odd, 0),
                       ending_at(40 * odd * regret, 100), ending_at(60 * odd * regret, 200)});
      units.back()[2].recommendation_regret = 0.1 * odd * hard * regret;
    }
    out.result.units.push_back(units);
  }
  return out;
}

std::vector<std::string> labels_of(const Task& task) {
  std::vector<std::string> out;
  for (const Contender& c : task.contenders) {
    out.push_back(c.algorithm == "DUETS" ? c.variant : c.algorithm);
  }
  return out;
}

std::string digest_of(const protocol::Study& study) {
  return base::to_hex(protocol::study_digest(study));
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
  std::vector<std::string_view> keys;
  for (const Condition& condition : held_out_conditions()) keys.push_back(condition.key);
  EXPECT_EQ(keys,
            (std::vector<std::string_view>{"held-out", "held-out-peers", "held-out-categories"}));
  const Experiment kept = self_tuning_experiment({.conditions = {"held-out"}});
  EXPECT_EQ(num_shown(kept), problems::held_out_functions().size());
  EXPECT_EQ(seeds_of(kept, kept.tasks[0]).size(), kSelfTuningRuns);
}

// As "peers" and "categories", on other functions.
TEST(SelfTuning, HeldOutPeersDifferInTheirFunctionsOnly) {
  for (const std::string_view key : {"peers", "categories"}) {
    const Condition& known = find_condition(key);
    const Condition& kept = find_condition(fmt::format("held-out-{}", key));
    EXPECT_TRUE(known.peers && kept.peers);
    EXPECT_TRUE(known.continuous && kept.continuous);
    EXPECT_EQ(known.agents, kept.agents);
    EXPECT_EQ(known.horizon, kept.horizon);
    EXPECT_EQ(known.noise, 0.1);
    EXPECT_EQ(kept.noise, 0.1);
  }
  const auto peers = functions_of(find_condition("held-out-peers"));
  EXPECT_EQ(peers.size(),
            problems::held_out_functions().size() + problems::held_out_mixed_functions().size());
  EXPECT_EQ(std::ranges::count_if(peers, is_mixed), 4);
  EXPECT_EQ(functions_of(find_condition("held-out-categories")).size(),
            problems::held_out_mixed_functions().size());
}

TEST(SelfTuning, PeersMeetOnBoxesAndMixedSpaces) {
  const auto num_mixed = [](const std::vector<std::string>& functions) {
    return std::ranges::count_if(functions, is_mixed);
  };
  const auto peers = functions_of(find_condition("peers"));
  EXPECT_EQ(peers.size(), 16u);
  EXPECT_EQ(num_mixed(peers), 4);
  const Condition& categories = find_condition("categories");
  EXPECT_EQ(num_mixed(functions_of(categories)), 4);
  EXPECT_EQ(functions_of(categories).size(), 4u);
  EXPECT_EQ(categories.agents, 8u);
  EXPECT_EQ(categories.horizon, 25u);
  const Experiment experiment = self_tuning_experiment({.conditions = {"peers", "categories"}});
  for (const Task& task : experiment.tasks) {
    EXPECT_EQ(labels_of(task), (std::vector<std::string>{"batch-gp", "random", "auto", "earn"}));
    const Instance instance = task.make(1);
    EXPECT_EQ(instance.simulation.problem->parameters().empty(), !is_mixed(task.function));
    EXPECT_FALSE(instance.simulation.study->domain->is_finite());
  }
}

// A mixed function is played on its own space, against its known maximum.
TEST(SelfTuning, MixedFunctionsBringTheirSpace) {
  const Instance instance = self_tuning_instance(find_condition("peers"), "trainer", 1);
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
  EXPECT_EQ(with("DisKernelUCB"), 72u);
  EXPECT_EQ(with("DisKernelUCB fitted"), 24u);
  EXPECT_EQ(with("DUETS"), protocol::presets().size() + 1 + 7);
  EXPECT_EQ(seeds_of(experiment, finite).size(), 50u);
  EXPECT_EQ(seeds_of(experiment, experiment.tasks[num_shown(experiment) - 1]).size(), 20u);
  const Task& chooser = experiment.tasks[num_shown(experiment)];
  EXPECT_EQ(chooser.contenders.size(), 72u + 24u) << "DUETS has nothing to choose";
  EXPECT_EQ(chooser.contenders.front().tuned,
            (std::vector<std::pair<std::string, double>>{{"lambda", 0.04}, {"D", 0.1}}));
  EXPECT_THROW(self_tuning_experiment({.runs = 0}), base::Error);
  EXPECT_THROW(self_tuning_experiment({.functions = {"none"}}), base::Error);
  EXPECT_THROW(self_tuning_experiment({.conditions = {"units"}, .functions = {"h2"}}), base::Error);
}

// A small D makes agents pool their data more often.
TEST(SelfTuning, TheThresholdOfTheGridReachesTheRival) {
  const Experiment experiment =
      self_tuning_experiment({.conditions = {"finite"}, .functions = {"branin"}});
  const Task& task = experiment.tasks.front();
  const Instance instance = task.make(1);
  const auto reals = [&](const std::string& variant) {
    const auto found = std::ranges::find_if(
        task.contenders, [&](const Contender& c) { return c.beta == 0.5 && c.variant == variant; });
    return found->run(instance).paper.back();
  };
  EXPECT_GT(reals("lambda = 0.2, D = 0.1"), reals("lambda = 0.2, D = 10"));
}

TEST(SelfTuning, EarnIsAutoWithThatGoalBesideIt) {
  EXPECT_EQ(duets_names(), (std::vector<std::string>{"paper", "auto", "earn", "quick", "safe"}));
  for (const Task& task : self_tuning_experiment({}).tasks) {
    if (task.selects_for) continue;
    const std::array<std::string, 2> both{"auto", "earn"};
    const std::vector<std::string> labels = labels_of(task);
    EXPECT_FALSE(std::ranges::search(labels, both).empty()) << task.preset;
  }
  const Condition& condition = find_condition("lengthscale-double");
  const Instance instance = self_tuning_instance(condition, "camel", 1);
  protocol::Study study = duets_study(condition, *instance.simulation.study, "earn");
  protocol::apply_goal(protocol::Goal::kFind, study);
  EXPECT_EQ(digest_of(duets_study(condition, *instance.simulation.study, "auto")),
            digest_of(study));
}

TEST(SelfTuning, EveryIngredientChangesTheStudyAndLeavesItValid) {
  const Condition& condition = find_condition("finite");
  const Instance instance = self_tuning_instance(condition, "camel", 1);
  const auto study_of = [&](std::string_view name) {
    return duets_study(condition, *instance.simulation.study, name);
  };
  std::set<std::string> digests{digest_of(study_of("auto"))};
  ASSERT_EQ(ingredient_names().size(), 7u);
  for (const std::string& name : ingredient_names()) {
    const protocol::Study study = study_of(name);
    EXPECT_NO_THROW(protocol::validate(study)) << name;
    EXPECT_TRUE(digests.insert(digest_of(study)).second) << name;
  }
  EXPECT_THROW(study_of("auto with nothing"), base::Error);
}

TEST(SelfTuning, WhoKnowsWhichLengthScale) {
  const Condition& twice = find_condition("lengthscale-double");
  const Instance instance = self_tuning_instance(twice, "branin", 1);
  const protocol::Study& study = *instance.simulation.study;
  EXPECT_EQ(study.kernel.lengthscales, std::vector{0.4});
  EXPECT_EQ(duets_study(twice, study, "paper").kernel.lengthscales, std::vector{0.4});
  EXPECT_EQ(duets_study(twice, study, "auto").kernel.lengthscales,
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
    EXPECT_EQ(task.entries.size(), 2 + duets_names().size() + 7);
    EXPECT_EQ(task.entries[1].name, "DisKernelUCB fitted");
    EXPECT_EQ(task.entries[1].reference, "DisKernelUCB");
    EXPECT_TRUE(task.entries[1].setting.starts_with("beta = ")) << task.entries[1].setting;
    EXPECT_NE(task.entries[1].final_regret, task.entries[0].final_regret);
    // Alone on its seed a preset has the same curve: nothing of the others reaches it.
    const Condition& condition = find_condition("finite");
    const Instance instance = self_tuning_instance(condition, task.function, 2);
    const Curves alone =
        play_duets(instance, duets_study(condition, *instance.simulation.study, "auto"));
    EXPECT_EQ(task.find("auto")->final_regret[1], alone.regret.back());
  }
}

// 50 rounds of 10 points in the plane and the mean reward: 1050, where the rival sends 1000.
TEST(SelfTuningAnalysis, AskTellBesideTheRival) {
  Made m = made();
  EXPECT_FALSE(analyse_self_tuning(m.experiment, m.result).ask_tell_ratio("finite"));
  for (std::size_t i = 0; i < 2; ++i) {
    m.experiment.tasks[i].ask_tell = AskTell{.agents = 10, .horizon = 50, .dimension = 2};
  }
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const auto ratio = analysis.ask_tell_ratio("finite");
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->paper, 1.05);
  EXPECT_DOUBLE_EQ(ratio->links, 0.15);
  EXPECT_NE(self_tuning_figure(analysis).find("plain ask and tell"), std::string::npos);
  const std::string text = report::to_text(self_tuning_findings(analysis, {}).summary);
  EXPECT_NE(text.find("plain ask and tell, to the rival's reals"), std::string::npos) << text;
}

TEST(SelfTuningAnalysis, AnswersHaveAFigure) {
  const Made m = made_beside_peers();
  const std::string svg = self_tuning_answers(analyse_self_tuning(m.experiment, m.result));
  EXPECT_NE(svg.find("simple regret, ratio to batch-gp"), std::string::npos);
  EXPECT_NE(svg.find("optimum lost by batch-gp"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(SelfTuningAnalysis, RatiosAndTheirMeansByHand) {
  const Made m = made();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const SelfTuningTask& branin = analysis.tasks[0];
  ASSERT_EQ(branin.entries.size(), 4u);
  EXPECT_EQ(branin.entries[0].setting, "beta = 1, lambda = 1, D = 2");
  EXPECT_EQ(branin.entries[0].regret.mean, 80);
  EXPECT_DOUBLE_EQ(branin.find("auto")->ratios[0]->value, 0.5);
  EXPECT_DOUBLE_EQ(branin.find("auto")->ratios[1]->value, 0.1);
  EXPECT_DOUBLE_EQ(branin.find("auto without floor")->ratios[0]->value, 2);
  EXPECT_EQ(branin.find("auto without floor")->reference, "auto");
  EXPECT_DOUBLE_EQ(branin.find("earn")->ratios[0]->value, 1.5);
  EXPECT_EQ(branin.find("earn")->reference, "DisKernelUCB");

  const SelfTuningMean* all = analysis.find("finite", "all", "auto");
  ASSERT_NE(all, nullptr);
  EXPECT_DOUBLE_EQ(all->ratios[0]->value, std::sqrt(0.5 * 0.25));
  EXPECT_DOUBLE_EQ(all->ratios[1]->value, std::sqrt(0.1 * 0.2));
  EXPECT_DOUBLE_EQ(analysis.find("finite", "paper", "auto")->ratios[0]->value, 0.5);
  EXPECT_DOUBLE_EQ(analysis.find("finite", "added", "auto")->ratios[0]->value, 0.25);
  EXPECT_EQ(analysis.find("finite", "added", "DisKernelUCB"), nullptr);
  EXPECT_EQ(analysis.find("finite", "boxes", "auto"), nullptr);
  EXPECT_THROW(analyse_self_tuning(m.experiment, {}), base::Error);
}

TEST(SelfTuningAnalysis, TheFirstContenderIsTheRival) {
  const Made m = made_beside_peers();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const SelfTuningTask& camel = analysis.tasks[0];
  EXPECT_EQ(camel.rival().name, "batch-gp");
  EXPECT_EQ(camel.rival().setting, "");
  EXPECT_EQ(camel.rival().reference, "");
  for (const char* name : {"random", "auto", "earn"}) {
    EXPECT_EQ(camel.find(name)->reference, "batch-gp");
  }
  const auto& mean = analysis.find("peers", "all", "auto")->ratios[3];
  const auto& box = camel.find("auto")->ratios[3];
  const auto& mixed = analysis.tasks[1].find("auto")->ratios[3];
  EXPECT_NEAR(box->value / mixed->value, 4, 1e-12);
  EXPECT_DOUBLE_EQ(analysis.find("peers", "boxes", "auto")->ratios[3]->value, box->value);
  EXPECT_DOUBLE_EQ(analysis.find("peers", "mixed", "auto")->ratios[3]->value, mixed->value);
  EXPECT_NEAR(mean->value, std::sqrt(box->value * mixed->value), 1e-12);
  EXPECT_EQ(analysis.find("peers", "added", "auto"), nullptr);
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
      {"edge", entry.edge},
      {"runs", entry.regret.runs},
      {"regret_mean", entry.regret.mean},
      {"regret_std", entry.regret.stddev},
      {"regret_low", test::low_of(entry.regret.interval)},
      {"regret_high", test::high_of(entry.regret.interval)},
      {"communication_paper", entry.communication[0].mean},
      {"communication_figure", entry.communication[1].mean},
      {"communication_links", entry.communication[2].mean},
      {"communication_indices", entry.communication[3].mean},
      {"communication_literal", entry.communication[4].mean},
      {"rounds", entry.rounds},
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
                            {"functions", mean.functions}, {"runs", mean.runs},
                            {"lost", mean.lost},           {"lost_reference", mean.lost_reference}};
  append_ratios(cells, mean.ratios);
  return cells;
}

TEST(SelfTuningOutput, TablesReadBackByColumn) {
  Made m = made();
  for (Unit& unit : m.result.units[0]) unit[1].links = {0};  // a ratio that is not there
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const report::CsvTable entries(to_csv(self_tuning_findings(analysis, {}).table("self_tuning")));
  ASSERT_EQ(entries.num_rows(), 2u * 4);
  std::size_t row = 0;
  for (const SelfTuningTask& task : analysis.tasks) {
    for (const SelfTuningEntry& entry : task.entries) {
      EXPECT_EQ(entries.difference(row++, cells_of(task, entry)), "");
    }
  }
  EXPECT_EQ(row, entries.num_rows());
  const report::CsvTable means(to_csv(self_tuning_findings(analysis, {}).table("means")));
  ASSERT_EQ(means.num_rows(), 3u * 3);
  ASSERT_EQ(analysis.means.size(), 3u * 3);
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

TEST(SelfTuningOutput, TextBesidePeersShowsRecommendationsWithIntervals) {
  const Made m = made_beside_peers();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const std::string text = report::to_text(self_tuning_findings(analysis, {}).summary);
  const auto shown = [&](const char* group, Measure measure) {
    const Ratio& ratio =
        *analysis.find("peers", group, "auto")->ratios[static_cast<std::size_t>(measure)];
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio.value, ratio.interval->low,
                       ratio.interval->high);
  };
  for (const char* group : {"boxes", "mixed", "all"}) {
    const std::string cell =
        shown(group, Measure::kRegret) + " / " + shown(group, Measure::kRecommendation);
    EXPECT_NE(text.find(cell), std::string::npos) << cell << "\n" << text;
  }
  EXPECT_NE(text.find("batch-gp, regret / recommendation"), std::string::npos) << text;
  EXPECT_EQ(text.find("()"), std::string::npos) << text;
}

TEST(SelfTuningOutput, TheFigureHasNoBadNumber) {
  Made m = made();
  for (Unit& unit : m.result.units[0]) unit[1].paper = {0};  // a ratio that is not there
  m.experiment.tasks[1].preset = "units";
  const std::string figure = self_tuning_figure(analyse_self_tuning(m.experiment, m.result));
  EXPECT_EQ(count(figure, "nan") + count(figure, "inf\""), 0u);
  EXPECT_NE(figure.find("stress cases"), std::string::npos);
  EXPECT_NE(figure.find("regret, ratio to DisKernelUCB"), std::string::npos);
  EXPECT_EQ(count(figure, ">earn<"), 1u);
}

TEST(SelfTuningOutput, APanelNamesItsRival) {
  const Made m = made_beside_peers();
  const std::string figure = self_tuning_figure(analyse_self_tuning(m.experiment, m.result));
  EXPECT_NE(figure.find("regret, ratio to batch-gp"), std::string::npos);
  EXPECT_EQ(figure.find("DisKernelUCB"), std::string::npos);
  EXPECT_EQ(figure.find(">random<"), std::string::npos);
}

TEST(SelfTuningOutput, ThePageIsWhole) {
  const Made m = made();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const std::string page = to_html(self_tuning_findings(analysis, {.title = "a <b>"}).page);
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("auto without floor"), std::string::npos);
  EXPECT_NE(page.find("beta = 1, lambda = 1, D = 2"), std::string::npos);
}

TEST(SelfTuningOutput, ThePageNamesTheRivalOfACondition) {
  const Made m = made_beside_peers();
  const SelfTuningAnalysis analysis = analyse_self_tuning(m.experiment, m.result);
  const std::string page = to_html(self_tuning_findings(analysis, {}).page);
  EXPECT_NE(page.find(">batch-gp</th>"), std::string::npos);
  EXPECT_EQ(page.find(">DisKernelUCB</th>"), std::string::npos);
  EXPECT_EQ(count(page, "What each ingredient contributes"), 0u);
}

}  // namespace
}  // namespace duets::lab
