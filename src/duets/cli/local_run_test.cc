// A study gives the same run whether its function is simulated or asked for query by query.
#include "duets/cli/local_run.h"

#include <gtest/gtest.h>

#include "duets/cli/builtin_objective.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"
#include "duets/harness/threads.h"
#include "duets/service/local_loop.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::cli {
namespace {

void expect_the_simulated_run(const std::string& text) {
  const StudyFile file = parse_study(text, "s.toml", {});
  harness::Observer nobody;
  const harness::ThreadExecutor executor(2);
  const harness::RunResult simulated = harness::simulate(simulation_of(file, {}), executor, nobody);
  const service::Scratch scratch;
  service::LocalOptions options;
  options.storage = scratch.path() / "journal";
  options.secret_text = service::seed_secret_text(file.seed);
  service::LocalStudy study(service::definition_of(file), options, executor);
  const auto function = std::make_shared<const BuiltinFunction>(file);
  std::vector<std::unique_ptr<service::Objective>> programs;
  for (int i = 0; i < 3; ++i) programs.push_back(std::make_unique<BuiltinObjective>(function));
  const std::atomic<bool> never{false};
  ASSERT_TRUE(service::run_local(study, programs, never, never, {}));
  EXPECT_EQ(base::to_hex(study.summary().run_digest()), simulated.run_digest);
  EXPECT_EQ(base::to_hex(study.summary().state_digest()), simulated.state_digest);
}

TEST(LocalRun, HasTheDigestsOfTheSimulationWithTheSettingsOfThePaper) {
  expect_the_simulated_run(
      "[study]\ndirection = \"minimize\"\nagents = 4\nhorizon = 30\nseed = 3\n"
      "[space]\ndomain = \"box\"\ndimension = 2\n[kernel]\nlengthscale = 0.3\n"
      "[objective]\nbuiltin = \"branin\"\noffset = -1.0\nscale = 2.0\n");
}

TEST(LocalRun, HasTheDigestsOfTheSimulationThatTunesItself) {
  expect_the_simulated_run(
      "[study]\ndirection = \"maximize\"\nagents = 6\nhorizon = 20\nseed = 9\n"
      "[duets]\npreset = \"auto\"\ngoal = \"find\"\n[objective]\nbuiltin = \"branin\"\n");
}

}  // namespace
}  // namespace duets::cli
