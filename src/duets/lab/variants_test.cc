#include "duets/lab/variants.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "duets/base/error.h"
#include "duets/lab/hindsight_test_support.h"
#include "duets/lab/tables_test_support.h"
#include "duets/lab/variants_figure.h"
#include "duets/lab/variants_findings.h"

namespace duets::lab {
namespace {

// Finals of one contender by seed.
struct Finals {
  std::string algorithm;
  std::string variant;
  double beta;
  std::vector<double> regret;
  std::vector<double> reals;
};

struct MadeVariants {
  Experiment experiment;
  ExperimentResult result;
};

MadeVariants made_of(const std::vector<Finals>& all) {
  MadeVariants made;
  Task task{.preset = "variants", .function = "branin", .make = {}, .contenders = {}};
  std::vector<Unit> units(all.front().regret.size());
  for (const Finals& finals : all) {
    task.contenders.push_back({finals.algorithm, finals.beta, finals.variant, {}});
    for (std::size_t seed = 0; seed < units.size(); ++seed) {
      Curves curves;
      curves.t = {50};
      curves.regret = {finals.regret[seed]};
      curves.paper = {finals.reals[seed]};
      curves.figure = {5 * finals.reals[seed]};
      curves.links = {9 * finals.reals[seed]};
      curves.indices = {3 * finals.reals[seed]};
      curves.literal = {4 * finals.reals[seed]};
      curves.rounds = 5;
      units[seed].push_back(curves);
    }
  }
  made.experiment.tasks = {task};
  for (std::size_t seed = 0; seed < units.size(); ++seed) made.experiment.seeds.push_back(seed + 1);
  made.result.units = {units};
  test::choose_by_shown(made.experiment, made.result);
  return made;
}

VariantsAnalysis analysis_of(const std::vector<Finals>& all) {
  const MadeVariants made = made_of(all);
  return analyse_variants(made.experiment, made.result);
}

std::size_t count_in_variants(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

// Cheap and good; dear and bad; as bad as cheap in regret on average, but with great spread; and
// DisKernelUCB with two betas.
std::vector<Finals> usual() {
  return {{"DUETS", "printed", 0.2, {10, 11, 10, 11, 10, 11}, {100, 101, 99, 100, 101, 99}},
          {"DUETS", "ceil", 0.2, {20, 22, 21, 20, 22, 21}, {200, 201, 199, 200, 201, 199}},
          {"DUETS", "greedy", 0.2, {1, 30, 2, 31, 1, 20}, {120, 121, 119, 120, 121, 119}},
          {"DisKernelUCB", "D = 10", 0.2, {9, 9, 9, 9, 9, 9}, {300, 300, 300, 300, 300, 300}},
          {"DisKernelUCB", "D = 10", 0.5, {5, 6, 5, 6, 5, 6}, {400, 401, 400, 401, 400, 401}}};
}

TEST(Variants, NamesAreDifferentAndFitIntoTables) {
  std::set<std::string_view> names;
  for (const Variant& variant : duets_variants()) {
    EXPECT_TRUE(names.insert(variant.name).second) << variant.name;
    EXPECT_EQ(variant.name.find_first_of(",\"\n"), std::string_view::npos) << variant.name;
    EXPECT_EQ(&find_variant(variant.name), &variant);
  }
  EXPECT_THROW(find_variant("none"), base::Error);
}

TEST(Variants, CostsByHand) {
  EXPECT_EQ(epochs_text(find_variant("printed")), "2, 10, 22, 16");
  EXPECT_EQ(epochs_text(find_variant("ceil")), "2, 10, 23, 15");
  EXPECT_EQ(epochs_text(find_variant("paired-doubling")), "1, 1, 2, 2, 4, 4, 8, 8, 20");
  EXPECT_EQ(epochs_text(find_variant("doubling from 1")), "1, 2, 4, 8, 16, 19");
  EXPECT_EQ(num_exchanges(find_variant("paired-doubling + greedy"), 50), 8u);
  EXPECT_EQ(exchange_growth(find_variant("public")), "log log T");
  EXPECT_EQ(theorem_left(find_variant("printed")), "regret order and communication order");
  EXPECT_NE(theorem_left(find_variant("rewards")).find("Communication order lost"),
            std::string::npos);
  EXPECT_NE(theorem_left(find_variant("greedy")).find("0.1 sigma2_max"), std::string::npos);
  EXPECT_NE(theorem_left(find_variant("public")).find("a quarter of a reward"), std::string::npos);
}

// Settings come from the preset's own table: nothing of it is copied here.
TEST(Variants, PresetsAreThoseOfAStudyFile) {
  const Instance instance = variants_instance("branin", 1);
  const protocol::Study& given = *instance.simulation.study;
  std::size_t presets = 0;
  for (const Variant& variant : duets_variants()) {
    if (!variant.preset) continue;
    ++presets;
    protocol::Study expected = given;
    protocol::apply_preset(*variant.preset, expected);
    if (variant.name != "preset earn") protocol::apply_goal(variant.preset->goal, expected);
    expected.kernel.lengthscales = {protocol::guessed_lengthscale(*given.domain)};
    EXPECT_EQ(protocol::study_digest(variant_study(given, variant)),
              protocol::study_digest(expected))
        << variant.name;
    EXPECT_EQ(num_exchanges(variant, 50), protocol::lengths(expected).size() - 1) << variant.name;
    EXPECT_EQ(theorem_left(variant).substr(0, 19), "nothing is proved: ") << variant.name;
    EXPECT_GT(theorem_left(variant).size(), 30u) << variant.name;
  }
  EXPECT_GE(presets, 2u);
}

TEST(Variants, AnUploadRuleChangesReals) {
  const Instance instance = variants_instance("branin", 1);
  const auto run = [&](std::string_view name) {
    return play_duets(instance, variant_study(*instance.simulation.study, find_variant(name)));
  };
  const Curves printed = run("printed");
  const Curves automatic = run("auto");
  const Curves rewards = run("rewards");
  EXPECT_EQ(printed.regret, automatic.regret);
  EXPECT_EQ(printed.regret, rewards.regret);
  EXPECT_LT(automatic.paper.back(), printed.paper.back());
  EXPECT_LE(automatic.paper.back(), rewards.paper.back());
}

TEST(Variants, TheExperimentHasEveryThresholdAtEveryBeta) {
  const Experiment experiment = variants_experiment({});
  ASSERT_EQ(num_shown(experiment), 4u);
  ASSERT_EQ(experiment.tasks.size(), 8u);
  EXPECT_EQ(experiment.tasks[4].contenders.size(),
            frontier_thresholds(false).size() * frontier_betas(false).size())
      << "DUETS has nothing to choose";
  EXPECT_EQ(
      experiment.tasks[0].contenders.size(),
      duets_variants().size() + frontier_thresholds(false).size() * frontier_betas(false).size());
  EXPECT_EQ(frontier_thresholds(false).back(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(experiment.tasks[0].contenders.back().variant, "D = infinity");
  EXPECT_THROW(variants_experiment({.functions = {"rkhs"}}), base::Error);
  EXPECT_THROW(variants_experiment({.runs = 0}), base::Error);
  EXPECT_THROW(variants_instance("rkhs", 1), base::Error);
}

TEST(VariantsAnalysis, TheChosenBetaOfAThreshold) {
  const VariantsAnalysis analysis = analysis_of(usual());
  ASSERT_EQ(analysis.tasks[0].results.size(), 4u);
  const VariantResult* dis = analysis.tasks[0].find("DisKernelUCB", "D = 10");
  ASSERT_NE(dis, nullptr);
  EXPECT_EQ(dis->beta, 0.5);
  EXPECT_TRUE(dis->at_edge);
  EXPECT_EQ(dis->communication[0].mean, 400.5);
}

TEST(VariantsAnalysis, Standings) {
  const VariantsAnalysis analysis = analysis_of(usual());
  const VariantsTask& task = analysis.tasks[0];
  const VariantResult* printed = task.find("DUETS", "printed");
  const VariantResult* ceil = task.find("DUETS", "ceil");
  EXPECT_EQ(ceil->standing, Standing::kDominated);
  EXPECT_EQ(ceil->dominated_by, printed->label());
  // Less regret than printed at more reals, and the other way round: both stay.
  EXPECT_EQ(task.find("DisKernelUCB", "D = 10")->standing, Standing::kOpen)
      << "greedy's spread leaves open whether it has less regret at fewer reals";
  EXPECT_EQ(task.find("DUETS", "greedy")->standing, Standing::kOpen);
  EXPECT_EQ(printed->standing, Standing::kFrontier);
}

TEST(VariantsAnalysis, SameRegretBitForBitIsNotMore) {
  const VariantsAnalysis analysis =
      analysis_of({{"DUETS", "printed", 0.2, {1, 30, 2}, {100, 101, 99}},
                   {"DUETS", "auto", 0.2, {1, 30, 2}, {80, 81, 79}}});
  EXPECT_EQ(analysis.tasks[0].results[0].standing, Standing::kDominated);
  EXPECT_EQ(analysis.tasks[0].results[1].standing, Standing::kFrontier);
}

TEST(VariantsAnalysis, OneRunEstablishesNothing) {
  const VariantsAnalysis analysis =
      analysis_of({{"DUETS", "printed", 0.2, {1}, {1}}, {"DUETS", "auto", 0.2, {2}, {2}}});
  ASSERT_EQ(analysis.tasks[0].results.size(), 2u);
  for (const VariantResult& result : analysis.tasks[0].results) {
    EXPECT_EQ(result.standing, Standing::kOpen);
  }
  const MadeVariants made = made_of(usual());
  EXPECT_THROW(analyse_variants(made.experiment, {}), base::Error);
}

report::CsvCells variant_cells_of(const VariantsTask& task, const VariantResult& r) {
  const std::string exchanges =
      r.is_duets() ? std::to_string(num_exchanges(find_variant(r.variant), 50)) : "";
  return {{"function", task.function},
          {"algorithm", r.algorithm},
          {"variant", r.variant},
          {"beta", r.beta},
          {"at_edge", r.at_edge ? "1" : "0"},
          {"runs", r.regret.runs},
          {"regret_mean", r.regret.mean},
          {"regret_std", r.regret.stddev},
          {"regret_low", test::low_of(r.regret.interval)},
          {"regret_high", test::high_of(r.regret.interval)},
          {"communication_paper", r.communication[0].mean},
          {"communication_figure", r.communication[1].mean},
          {"communication_links", r.communication[2].mean},
          {"communication_indices", r.communication[3].mean},
          {"communication_literal", r.communication[4].mean},
          {"rounds", 5},
          {"recommendation_regret_mean", r.recommendation.regret.mean},
          {"recommendation_regret_std", r.recommendation.regret.stddev},
          {"recommendation_regret_low", test::low_of(r.recommendation.regret.interval)},
          {"recommendation_regret_high", test::high_of(r.recommendation.regret.interval)},
          {"lost", r.recommendation.lost},
          {"exchanges", exchanges},
          {"standing", base::name_of(r.standing)},
          {"dominated_by", r.dominated_by}};
}

report::CsvCells variant_cells_of(const VariantsTask& task, const VariantPair& pair,
                                  const std::string& measure, const PairedDifference& d) {
  return {{"function", task.function},
          {"measure", measure},
          {"first", task.results[pair.first].label()},
          {"second", task.results[pair.second].label()},
          {"runs", d.runs},
          {"mean", d.mean},
          {"std", d.stddev},
          {"low", test::low_of(d.interval)},
          {"high", test::high_of(d.interval)},
          {"verdict", base::name_of(d.order)}};
}

TEST(VariantsOutput, ResultsReadBackByColumn) {
  const VariantsAnalysis analysis = analysis_of(usual());
  const VariantsTask& task = analysis.tasks[0];
  const report::CsvTable table(to_csv(variants_findings(analysis, {}).table("variants")));
  ASSERT_EQ(table.num_rows(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(table.difference(i, variant_cells_of(task, task.results[i])), "");
  }
}

// Each of the six pairs once, the first before the second.
TEST(VariantsOutput, DifferencesReadBackByColumn) {
  const VariantsAnalysis analysis = analysis_of(usual());
  const VariantsTask& task = analysis.tasks[0];
  const report::CsvTable table(to_csv(variants_findings(analysis, {}).table("differences")));
  ASSERT_EQ(table.num_rows(), 3u * 6);
  std::size_t row = 0;
  for (const VariantPair& pair : task.pairs) {
    if (pair.first > pair.second) continue;
    EXPECT_EQ(table.difference(row++, variant_cells_of(task, pair, "regret", pair.regret)), "");
    EXPECT_EQ(
        table.difference(row++, variant_cells_of(task, pair, "communication_paper", pair.reals)),
        "");
    EXPECT_EQ(table.difference(row++, variant_cells_of(task, pair, "recommendation_regret",
                                                       pair.recommendation)),
              "");
  }
  EXPECT_EQ(row, table.num_rows());
}

TEST(VariantsOutput, CostsReadBackByColumn) {
  const report::CsvTable table(to_csv(variants_findings({}, {}).table("costs")));
  ASSERT_EQ(table.num_rows(), duets_variants().size());
  std::size_t row = 0;
  for (const Variant& variant : duets_variants()) {
    EXPECT_EQ(table.difference(row++, {{"variant", variant.name},
                                       {"epochs", epochs_text(variant)},
                                       {"exchanges", num_exchanges(variant, 50)},
                                       {"exchange_growth", exchange_growth(variant)},
                                       {"theorem_left", theorem_left(variant)}}),
              "");
  }
}

TEST(VariantsOutput, TextShowsRegretRealsAndStanding) {
  const std::string text = report::to_text(variants_findings(analysis_of(usual()), {}).summary);
  EXPECT_NE(text.find("10 / 100 *"), std::string::npos) << text;
  EXPECT_NE(text.find("21 / 200 -"), std::string::npos) << text;
  EXPECT_NE(text.find("simple regret, lost"), std::string::npos) << text;
}

TEST(VariantsOutput, FigureAndPageAreWhole) {
  std::vector<Finals> finals = usual();
  finals.push_back(
      {"DisKernelUCB", "D = infinity", 1, {50, 51, 50, 51, 50, 51}, {0, 0, 0, 0, 0, 0}});
  const VariantsAnalysis analysis = analysis_of(finals);
  const std::string figure = variants_figure(analysis);
  EXPECT_NE(figure, variants_figure(analysis_of(usual())));
  EXPECT_EQ(count_in_variants(figure, "nan"), 0u);
  EXPECT_NE(figure.find("nothing sent"), std::string::npos);
  const std::string answers = variants_answers(analysis);
  EXPECT_EQ(count_in_variants(answers, "nan"), 0u);
  EXPECT_NE(answers.find("optimum lost"), std::string::npos);
  EXPECT_NE(answers.find("nothing sent, at the left: DisKernelUCB"), std::string::npos);
  const std::string page = to_html(variants_findings(analysis, {.title = "a <b>"}).page);
  EXPECT_EQ(page.find("a <b>"), std::string::npos);
  EXPECT_NE(page.find("dominated by printed"), std::string::npos);
  EXPECT_NE(page.find("regret order and communication order"), std::string::npos);
}

}  // namespace
}  // namespace duets::lab
