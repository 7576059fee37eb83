#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/progress.h"
#include "duets/cli/run_manifest.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_simulation.h"
#include "duets/cli/summary.h"
#include "duets/harness/run_tables.h"
#include "duets/harness/simulate.h"
#include "duets/harness/trials_test_support.h"
#include "duets/protocol/variance.h"
#include "duets/report/csv_test_support.h"

namespace duets::cli {
namespace {

using domain::Parameter;
using domain::ParameterType;

std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

harness::RunResult small_result() {
  harness::RunResult r;
  r.study_name = "a, \"b\"";
  r.objective = "rkhs";
  r.direction = "minimize";
  r.domain = "box";
  r.coordinate_names = {"x", "mode", "layers"};
  r.parameters = {
      {.name = "x"},
      {.name = "mode", .type = ParameterType::kCategorical, .choices = {"fast", "slow"}},
      {.name = "layers", .type = ParameterType::kInt, .low = 0, .high = 1e7}};
  r.agents = 2;
  r.horizon = 3;
  r.lengths = {2, 1};
  r.cumulative_regret = {0.5, 0.75, 0.875};
  harness::CommunicationPoint point;
  point.paper = 10;
  point.links = 40;
  r.communication = {point};
  r.recommendation = protocol::Found{
      .values = {0.25, 1, 4}, .value = -1.5, .low = -1.75, .high = -1.25, .true_value = -1.625};
  r.best_trial = protocol::Found{
      .values = {0.5, 0, 1234567}, .value = -2.0, .agent = 1, .epoch = 1, .slot = 0};
  protocol::EpochReport report;
  report.epoch = base::EpochId{1};
  report.smallest_margin = std::numeric_limits<double>::infinity();
  r.epochs = {report};
  r.smallest_margin = std::numeric_limits<double>::infinity();
  r.run_digest = "00ff";
  return r;
}

TEST(Csv, TrialsNameChoicesWriteIntsWholeAndMarkHoles) {
  const auto domain = domain::Domain::box(
      {Parameter{.name = "x"},
       Parameter{.name = "mode", .type = ParameterType::kCategorical, .choices = {"a,1", "b"}},
       Parameter{.name = "bytes", .type = ParameterType::kInt, .low = 0, .high = 1e8}});
  harness::Trial trial{1, 2, 3, 4, {0.1, 0, 20000000}, false, 0.5, 0.25};
  const harness::TrialTable table(domain);
  const auto row_of = [&](const harness::Trial& one) {
    std::string row;
    table.append(row, one);
    return row;
  };
  EXPECT_EQ(table.head(), "agent,epoch,slot,t,x,mode,bytes,state,value,regret\n");
  EXPECT_EQ(row_of(trial), "1,2,3,4,0.1,\"a,1\",20000000,reward,0.5,0.25\n");
  trial.hole = true;
  EXPECT_EQ(row_of(trial), "1,2,3,4,0.1,\"a,1\",20000000,hole,,\n");
}

// A report in which no two numbers are equal: swapping any two columns would be detected.
protocol::EpochReport report_of_different_numbers() {
  protocol::EpochReport r;
  double next = 100;
  const auto fill = [&next](auto&... fields) {
    ((fields = static_cast<std::remove_reference_t<decltype(fields)>>(++next)), ...);
  };
  const auto fill_fractions = [&next](auto&... fields) { ((fields = ++next + 0.1), ...); };
  std::uint32_t epoch = 0;
  fill(epoch, r.planned_length, r.length, r.num_points, r.num_distinct, r.num_participants,
       r.num_holes, r.region_points, r.survivors, r.membership_tests, r.num_selected,
       r.num_inducing, r.variance_rank, r.num_clamped);
  r.epoch = base::EpochId{epoch};
  r.kernel.lengthscales = {0.5, 0.25};
  fill_fractions(r.region_fraction, r.cut_acceptance, r.sigma2_max_open, r.sigma2_max,
                 r.p_unclipped, r.p, r.information_gain, r.variance_tolerance, r.kernel.variance,
                 r.lambda, r.reward_offset, r.surprise, r.width, r.max_stddev, r.max_mean, r.tau,
                 r.printed_tau, r.kept_share, r.shortfall, r.lost, r.smallest_margin, r.mean_error);
  r.sampler.method = region::Method::kCover;
  r.variance_path = protocol::VariancePath::kLowRank;
  r.missed = 0.375;
  r.lost_chance = 0.625;
  r.gap_bound = 1.375;
  r.pieces = 77;
  r.run_digest = {1, 2};
  r.state_digest = {3, 4};
  return r;
}

report::CsvCells cells_of(const protocol::EpochReport& r) {
  return {{"epoch", base::value(r.epoch)},
          {"planned_length", r.planned_length},
          {"length", r.length},
          {"points", r.num_points},
          {"distinct_points", r.num_distinct},
          {"participants", r.num_participants},
          {"holes", r.num_holes},
          {"region_fraction", r.region_fraction},
          {"cut_acceptance", r.cut_acceptance},
          {"region_points", r.region_points},
          {"survivors", r.survivors},
          {"sampler", base::name_of(r.sampler.method)},
          {"membership_tests", r.membership_tests},
          {"sigma2_max_open", r.sigma2_max_open},
          {"sigma2_max", r.sigma2_max},
          {"p_unclipped", r.p_unclipped},
          {"p", r.p},
          {"selected", r.num_selected},
          {"inducing", r.num_inducing},
          {"information_gain", r.information_gain},
          {"variance_path", base::name_of(r.variance_path)},
          {"variance_rank", r.variance_rank},
          {"variance_tolerance", r.variance_tolerance},
          {"clamped", r.num_clamped},
          {"lengthscale", fmt::format("{}", fmt::join(r.kernel.lengthscales, " "))},
          {"signal_variance", r.kernel.variance},
          {"lambda", r.lambda},
          {"reward_offset", r.reward_offset},
          {"surprise", r.surprise},
          {"width", r.width},
          {"max_stddev", r.max_stddev},
          {"max_mean", r.max_mean},
          {"tau", r.tau},
          {"printed_tau", r.printed_tau},
          {"kept_share", r.kept_share},
          {"shortfall", r.shortfall},
          {"lost", r.lost},
          {"smallest_margin", finite(r.smallest_margin)},
          {"mean_error", r.mean_error},
          {"missed", r.missed},
          {"lost_chance", r.lost_chance},
          {"gap_bound", r.gap_bound},
          {"pieces", r.pieces},
          {"run_digest", base::to_hex(r.run_digest)},
          {"state_digest", base::to_hex(r.state_digest)}};
}

TEST(Csv, EpochsReadBackByColumn) {
  harness::RunResult r = small_result();
  r.epochs.push_back(report_of_different_numbers());
  const report::CsvTable table(to_csv(harness::epochs_table(r)));
  ASSERT_EQ(table.num_rows(), 2U);
  EXPECT_EQ(table.difference(0, cells_of(r.epochs[0])), "");  // no margin: an empty field
  EXPECT_EQ(table.difference(1, cells_of(r.epochs[1])), "");
}

// A short curve is shown completely.
TEST(Csv, RegretReadsBackByColumn) {
  const harness::RunResult r = small_result();
  const report::CsvTable table(to_csv(harness::regret_table(r)));
  ASSERT_EQ(table.num_rows(), r.cumulative_regret.size());
  for (std::size_t t = 1; t <= table.num_rows(); ++t) {
    EXPECT_EQ(
        table.difference(t - 1, {{"t", t}, {"cumulative_regret", r.cumulative_regret[t - 1]}}), "");
  }
}

TEST(Csv, CommunicationReadsBackByColumn) {
  harness::RunResult r = small_result();
  r.communication.push_back({2, 3, 10.5, 20, 30, 40, 50});
  const report::CsvTable table(to_csv(harness::communication_table(r)));
  ASSERT_EQ(table.num_rows(), 2U);
  for (std::size_t row = 0; row < 2; ++row) {
    const harness::CommunicationPoint& p = r.communication[row];
    EXPECT_EQ(table.difference(row, {{"epoch", p.epoch},
                                     {"t", p.t},
                                     {"paper", p.paper},
                                     {"figure", p.figure},
                                     {"links", p.links},
                                     {"closing", p.closing},
                                     {"bytes", p.bytes},
                                     {"ask_tell", 8.0 * p.t}}),  // two agents, three coordinates
              "");
  }
}

// A whole simulated run: its tables match its result.
TEST(Csv, TablesOfARunReadBackByColumn) {
  const StudyFile file = parse_study(
      "[study]\nname = \"s\"\ndirection = \"maximize\"\nagents = 2\nhorizon = 12\nseed = 3\n"
      "[space]\ndomain = \"box\"\ndimension = 2\n[duets]\nt1 = 2\nbeta = 0.5\n"
      "[objective]\nbuiltin = \"branin\"\nnoise = 0.1\n",
      "s.toml", {});
  harness::Trials trials;
  const harness::RunResult r =
      harness::simulate(simulation_of(file, {}), base::SerialExecutor(), trials);
  const report::CsvTable epochs(to_csv(harness::epochs_table(r)));
  ASSERT_EQ(epochs.num_rows(), r.epochs.size());
  ASSERT_GE(epochs.num_rows(), 2U);
  for (std::size_t i = 0; i < epochs.num_rows(); ++i) {
    EXPECT_EQ(epochs.difference(i, cells_of(r.epochs[i])), "");
  }
  const harness::TrialTable rows(*file.study.domain);
  std::string text = rows.head();
  for (const harness::Trial& trial : trials.all) rows.append(text, trial);
  const report::CsvTable table(text);
  ASSERT_EQ(table.num_rows(), 2U * 12);
  for (std::size_t i = 0; i < table.num_rows(); ++i) {
    const harness::Trial& trial = trials.all[i];
    EXPECT_EQ(table.difference(i, {{"agent", trial.agent},
                                   {"epoch", trial.epoch},
                                   {"slot", trial.slot},
                                   {"t", trial.t},
                                   {r.coordinate_names[0], trial.values[0]},
                                   {r.coordinate_names[1], trial.values[1]},
                                   {"state", "reward"},
                                   {"value", trial.value},
                                   {"regret", trial.regret}}),
              "");
  }
}

TEST(Manifest, IsJsonAndHasNullForNoMargin) {
  const auto json = nlohmann::json::parse(manifest_json(small_result(), 2));
  EXPECT_EQ(json["study"], "a, \"b\"");
  EXPECT_TRUE(json["smallest_margin"].is_null());
  EXPECT_EQ(json["build"]["threads"], 2);
  EXPECT_EQ(json["run_digest"], "00ff");
}

TEST(Summary, DistinguishesRecommendationAndBestTrial) {
  const auto json = nlohmann::json::parse(run_summary(small_result(), Format::kJson, "out"));
  EXPECT_EQ(json["recommendation"]["params"]["mode"], "slow");
  EXPECT_EQ(json["recommendation"]["low"], -1.75);
  EXPECT_EQ(json["best_trial"]["value"], -2.0);
  EXPECT_EQ(json["cumulative_regret"], 0.875);
  const std::string table = run_summary(small_result(), Format::kTable, "out");
  EXPECT_NE(table.find("mode = slow"), std::string::npos);
  EXPECT_NE(table.find("out/report.html"), std::string::npos);
}

report::CsvCells summary_cells(const harness::RunResult& r) {
  const harness::CommunicationPoint& sent = r.communication.back();
  const auto& recommended = r.recommendation;
  const auto of_recommended = [&](double protocol::Found::*field) {
    return recommended ? std::optional((*recommended).*field) : std::nullopt;
  };
  report::CsvCells cells{{"agents", r.agents},
                         {"horizon", r.horizon},
                         {"seed", r.seed},
                         {"regret", r.cumulative_regret.back()},
                         {"paper", sent.paper},
                         {"figure", sent.figure},
                         {"links", sent.links},
                         {"closing", sent.closing},
                         {"bytes", sent.bytes},
                         {"mean", of_recommended(&protocol::Found::value)},
                         {"low", of_recommended(&protocol::Found::low)},
                         {"high", of_recommended(&protocol::Found::high)},
                         {"best_value", r.best_trial->value},
                         {"run_digest", r.run_digest},
                         {"state_digest", r.state_digest},
                         {"true_value", recommended ? recommended->true_value : std::nullopt},
                         {"best_possible", r.optimum}};
  const std::vector<std::string> shown =  // of small_result()
      recommended ? std::vector<std::string>{"0.25", "slow", "4"} : std::vector<std::string>(3);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    cells.emplace_back("params." + r.coordinate_names[k], shown[k]);
  }
  return cells;
}

TEST(Summary, IntegersHaveNoFraction) {
  const auto json = nlohmann::json::parse(run_summary(small_result(), Format::kJson, "out"));
  EXPECT_EQ(json["recommendation"]["params"]["layers"].dump(), "4");
  EXPECT_EQ(json["best_trial"]["params"]["layers"].dump(), "1234567");
  const std::string table = run_summary(small_result(), Format::kTable, "out");
  EXPECT_NE(table.find("layers = 1234567"), std::string::npos) << table;
}

TEST(Summary, SaysWhyThereIsNoRecommendation) {
  harness::RunResult r = small_result();
  r.recommendation.reset();
  EXPECT_NE(run_summary(r, Format::kTable, "out").find("none: no epoch was closed"),
            std::string::npos);
  EXPECT_TRUE(
      nlohmann::json::parse(run_summary(r, Format::kJson, "out"))["recommendation"].is_null());
  const report::CsvTable table(run_summary(r, Format::kCsv, "out"));
  EXPECT_EQ(table.difference(0, summary_cells(r)), "");
}

TEST(Summary, CsvReadsBackByColumn) {
  harness::RunResult r = small_result();
  r.seed = 7;
  r.communication.push_back({2, 3, 10.5, 20, 30, 40, 50});
  r.state_digest = "ee";
  const report::CsvTable table(run_summary(r, Format::kCsv, "out"));
  ASSERT_EQ(table.num_rows(), 1U);
  EXPECT_EQ(table.difference(0, summary_cells(r)), "");
}

TEST(Summary, CsvHasTheRecommendedParametersByName) {
  harness::RunResult r = small_result();
  r.coordinate_names = {"x", "speed, or mode"};
  r.optimum = -2.5;
  const std::string csv = run_summary(r, Format::kCsv, "out");
  EXPECT_NE(csv.find(",true_value,best_possible,params.x,\"params.speed, or mode\"\n"),
            std::string::npos);
  EXPECT_NE(csv.find(",-1.625,-2.5,0.25,slow\n"), std::string::npos);
}

TEST(Summary, JsonHasTheBestPossibleValueAndNullWhereThereIsNone) {
  harness::RunResult r = small_result();
  EXPECT_TRUE(
      nlohmann::json::parse(run_summary(r, Format::kJson, "out"))["best_possible"].is_null());
  r.optimum = -2.5;
  EXPECT_EQ(nlohmann::json::parse(run_summary(r, Format::kJson, "out"))["best_possible"], -2.5);
}

TEST(Progress, TheLineOfAClosingEpochNamesNoCut) {
  protocol::EpochEnded ended{base::EpochId{3}, true, true, {}};
  ended.report.epoch = ended.epoch;
  ended.report.length = 2;
  ended.report.num_points = 8;
  ended.report.region_fraction = 0.5;
  ended.report.cut_acceptance = 0.25;
  ended.report.num_inducing = 6;
  ended.report.max_mean = 1.5;
  EXPECT_EQ(epoch_line(ended, false),
            "epoch 3: 2 queries per agent, 8 points; region 50 % of the domain, the cut keeps "
            "25 %; 6 inducing points; best mean 1.5");
  ended.cuts = false;
  EXPECT_EQ(epoch_line(ended, false),
            "epoch 3: 2 queries per agent, 8 points; region 50 % of the domain, the closing epoch "
            "cuts nothing; 6 inducing points; best mean 1.5");
}

TEST(Progress, DurationsAreReadable) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

TEST(ExitCode, FollowsTheDocumentedTable) {
  EXPECT_EQ(exit_code_of(base::ErrorKind::kInvalid), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(base::ErrorKind::kDiverged), ExitCode::kDiverged);
  EXPECT_EQ(exit_code_of(CodedError(ExitCode::kStorage, "")), ExitCode::kStorage);
  EXPECT_EQ(exit_code_of(base::Error(base::ErrorKind::kQuorum, "")), ExitCode::kQuorum);
  EXPECT_EQ(exit_code_of(std::runtime_error("")), ExitCode::kRunFailed);
  EXPECT_EQ(exit_code_of(base::ErrorKind::kExhausted), ExitCode::kRunFailed);
}

}  // namespace
}  // namespace duets::cli
