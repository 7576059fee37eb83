#include "duets/cli/study_definition.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/cli/builtin_objective.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"

namespace duets::cli {
namespace {

const std::string kDefinedStudy = R"([study]
name = "fleet"
direction = "minimize"
agents = 3
horizon = 12
seed = 5

[space.x]
type = "float"
low = 1.0
high = 100.0
log = true

[space.color]
type = "categorical"
choices = ["red", "green"]

[duets]
t1 = 2
beta = 0.5
)";

const std::string kDefinedCommand = kDefinedStudy + R"(
[objective]
command = ["./measure", "-v"]
timeout = 7.0
retries = 2
infeasible_value = 9.0
offset = 1.5
scale = 2.0

[coordinator]
quorum = 2
deadline = 3.0
)";

const std::string kDefinedBuiltin = kDefinedStudy + R"(
[objective]
builtin = "rkhs"
noise = 0.3
offset = -1.0
scale = 4.0
)";

StudyFile parse_defined(const std::string& text) { return parse_study(text, "fleet.toml", {}); }

TEST(StudyDefinitionTest, EverythingAServiceNeedsIsTakenFromTheFile) {
  const service::Definition definition = definition_of(parse_defined(kDefinedCommand));
  EXPECT_EQ(definition.study->name, "fleet");
  EXPECT_EQ(definition.objective.direction, Direction::kMinimize);
  EXPECT_EQ(definition.objective.offset, 1.5);
  EXPECT_EQ(definition.objective.scale, 2.0);
  EXPECT_EQ(definition.objective.infeasible_value, 9.0);
  EXPECT_EQ(definition.objective.timeout_seconds, 7.0);
  EXPECT_EQ(definition.objective.retries, 2U);
  EXPECT_EQ(definition.objective.command, (std::vector<std::string>{"./measure", "-v"}));
  EXPECT_EQ(definition.policy.quorum, 2U);
  EXPECT_EQ(definition.policy.deadline, 3.0);
  EXPECT_NO_THROW(service::validate(definition));
}

TEST(StudyDefinitionTest, ByDefaultAnEpochWaitsForEverybody) {
  const service::Definition definition = definition_of(parse_defined(kDefinedBuiltin));
  EXPECT_EQ(definition.policy.quorum, 0U);
  EXPECT_EQ(definition.policy.deadline, 0.0);
  EXPECT_TRUE(definition.objective.command.empty());
}

TEST(StudyDefinitionTest, TheFileInsideGivesTheSameStudy) {
  for (const std::string& text : {kDefinedCommand, kDefinedBuiltin}) {
    const service::Definition definition = definition_of(parse_defined(text));
    const StudyFile file = study_file_of(definition);
    EXPECT_EQ(protocol::study_digest(file.study), protocol::study_digest(*definition.study));
    EXPECT_EQ(resolved_toml(file), definition.toml);
  }
}

TEST(StudyDefinitionTest, AnotherStudyInsideIsNoticed) {
  service::Definition definition = definition_of(parse_defined(kDefinedBuiltin));
  auto other = std::make_shared<protocol::Study>(*definition.study);
  other->beta *= 2;
  definition.study = other;
  try {
    study_file_of(definition);
    FAIL() << "taken";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDiverged);
  }
}

class DefinitionTrials final : public harness::Observer {
 public:
  void trial(const harness::Trial& trial) override { list.push_back(trial); }
  std::vector<harness::Trial> list;
};

TEST(BuiltinObjectiveTest, AnAgentObservesTheValuesOfTheSimulation) {
  // Floats without a logarithm: values are latents, so that the simulation's points can be asked.
  const StudyFile file = parse_study(
      "[study]\ndirection = \"minimize\"\nagents = 3\nhorizon = 12\nseed = 8\n"
      "[space]\ndomain = \"box\"\ndimension = 3\n[objective]\nbuiltin = \"rkhs\"\n"
      "noise = 0.3\noffset = 2.0\nscale = 3.0\n",
      "s.toml", {});
  DefinitionTrials trials;
  harness::simulate(simulation_of(file), base::SerialExecutor(), trials);
  ASSERT_EQ(trials.list.size(), 36U);
  const auto function = std::make_shared<const BuiltinFunction>(study_file_of(definition_of(file)));
  BuiltinObjective objective(function);
  const std::atomic<bool> abandon{false};
  for (const harness::Trial& trial : trials.list) {
    const service::Query query{trial.agent, trial.epoch,  trial.slot,
                               trial.t,     trial.values, trial.values};
    const service::Answer answer = objective.ask(query, abandon);
    EXPECT_EQ(std::get<service::Value>(answer).value, trial.value);
  }
}

TEST(BuiltinObjectiveTest, ACommandIsNoFunction) {
  EXPECT_THROW(BuiltinFunction(parse_defined(kDefinedCommand)), base::Error);
}

}  // namespace
}  // namespace duets::cli
