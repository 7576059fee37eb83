#include "duets/cli/builtin_objective.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"
#include "duets/harness/trials_test_support.h"
#include "duets/service/definition.h"

namespace duets::cli {
namespace {

TEST(BuiltinObjectiveTest, AnAgentObservesTheValuesOfTheSimulation) {
  // Floats without a logarithm: values are latents, so that the simulation's points can be used.
  const StudyFile file = parse_study(
      "[study]\ndirection = \"minimize\"\nagents = 3\nhorizon = 12\nseed = 8\n"
      "[space]\ndomain = \"box\"\ndimension = 3\n[objective]\nbuiltin = \"rkhs\"\n"
      "noise = 0.3\noffset = 2.0\nscale = 3.0\n",
      "s.toml", {});
  harness::Trials trials;
  harness::simulate(simulation_of(file, {}), base::SerialExecutor(), trials);
  ASSERT_EQ(trials.all.size(), 36U);
  const auto function = std::make_shared<const BuiltinFunction>(
      *service::decode_definition(service::encode_definition(service::definition_of(file))).file);
  BuiltinObjective objective(function);
  const std::atomic<bool> abandon{false};
  for (const harness::Trial& trial : trials.all) {
    const service::Query query{trial.agent, trial.epoch,  trial.slot,
                               trial.t,     trial.values, trial.values};
    const service::Answer answer = objective.ask(query, abandon);
    EXPECT_EQ(std::get<service::Value>(answer).value, trial.value);
  }
}

TEST(BuiltinObjectiveTest, ACommandIsNotAFunction) {
  const StudyFile file = parse_study(
      "[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 2\n[space]\ndomain = \"box\"\n"
      "dimension = 1\n[objective]\ncommand = [\"./measure\"]\n",
      "s.toml", {});
  EXPECT_THROW(BuiltinFunction{file}, base::Error);
}

}  // namespace
}  // namespace duets::cli
