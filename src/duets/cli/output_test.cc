#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/progress.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/summary.h"

namespace duets::cli {
namespace {

using domain::Parameter;
using domain::ParameterType;

harness::RunResult small_result() {
  harness::RunResult r;
  r.study_name = "a, \"b\"";
  r.objective = "rkhs";
  r.direction = "minimize";
  r.domain = "box";
  r.coordinate_names = {"x", "mode"};
  r.coordinate_choices = {{}, {"fast", "slow"}};
  r.agents = 2;
  r.horizon = 3;
  r.lengths = {2, 1};
  r.cumulative_regret = {0.5, 0.75, 0.875};
  harness::CommunicationPoint point;
  point.paper = 10;
  point.links = 40;
  r.communication = {point};
  r.recommendation = harness::RecommendationView{{0.25, 1}, -1.5, -1.75, -1.25, -1.625};
  r.best_trial = harness::BestTrialView{1, 1, 0, {0.5, 0}, -2.0};
  protocol::EpochReport report;
  report.epoch = base::EpochId{1};
  report.smallest_margin = std::numeric_limits<double>::infinity();
  r.epochs = {report};
  r.smallest_margin = std::numeric_limits<double>::infinity();
  r.run_digest = "00ff";
  return r;
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(Csv, TrialsNameChoicesAndMarkHoles) {
  const auto domain = domain::Domain::box(
      {Parameter{.name = "x"},
       Parameter{.name = "mode", .type = ParameterType::kCategorical, .choices = {"a,1", "b"}}});
  harness::Trial trial{1, 2, 3, 4, {0.1, 0}, false, 0.5, 0.25};
  EXPECT_EQ(trials_head(domain), "agent,epoch,slot,t,x,mode,state,value,regret\n");
  EXPECT_EQ(trials_row(domain, trial), "1,2,3,4,0.1,\"a,1\",reward,0.5,0.25\n");
  trial.hole = true;
  EXPECT_EQ(trials_row(domain, trial), "1,2,3,4,0.1,\"a,1\",hole,,\n");
}

TEST(Csv, EveryRowHasAsManyFieldsAsItsHead) {
  const harness::RunResult r = small_result();
  for (const std::string& text : {epochs_csv(r), regret_csv(r), communication_csv(r)}) {
    const auto end = text.find('\n');
    const auto commas = [](const std::string& line) {
      return std::count(line.begin(), line.end(), ',');
    };
    EXPECT_EQ(commas(text.substr(0, end)),
              commas(text.substr(end + 1, text.find('\n', end + 1) - end)));
  }
}

TEST(Manifest, IsJsonAndHasNullForNoMargin) {
  const auto json = nlohmann::json::parse(manifest_json(small_result(), 2));
  EXPECT_EQ(json["study"], "a, \"b\"");
  EXPECT_TRUE(json["smallest_margin"].is_null());
  EXPECT_EQ(json["build"]["threads"], 2);
  EXPECT_EQ(json["run_digest"], "00ff");
}

TEST(Summary, TellsRecommendationAndBestTrialApart) {
  const auto json = nlohmann::json::parse(run_summary(small_result(), Format::kJson, "out"));
  EXPECT_EQ(json["recommendation"]["params"]["mode"], "slow");
  EXPECT_EQ(json["recommendation"]["low"], -1.75);
  EXPECT_EQ(json["best_trial"]["value"], -2.0);
  EXPECT_EQ(json["cumulative_regret"], 0.875);
  const std::string table = run_summary(small_result(), Format::kTable, "out");
  EXPECT_NE(table.find("mode = slow"), std::string::npos);
  EXPECT_NE(table.find("out/report.html"), std::string::npos);
}

TEST(Summary, SaysWhyThereIsNoRecommendation) {
  harness::RunResult r = small_result();
  r.recommendation.reset();
  EXPECT_NE(run_summary(r, Format::kTable, "out").find("none: no epoch was closed"),
            std::string::npos);
  EXPECT_TRUE(
      nlohmann::json::parse(run_summary(r, Format::kJson, "out"))["recommendation"].is_null());
  const std::string csv = run_summary(r, Format::kCsv, "out");
  const std::string head = csv.substr(0, csv.find('\n'));
  const std::string row = csv.substr(csv.find('\n') + 1);
  EXPECT_EQ(std::count(head.begin(), head.end(), ','), std::count(row.begin(), row.end(), ','));
}

TEST(Progress, DurationsReadLikeAPersonWritesThem) {
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
