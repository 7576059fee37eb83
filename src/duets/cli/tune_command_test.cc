#include "duets/cli/tune_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

TuneFlags some_tuning() {
  TuneFlags flags;
  flags.parameters = {"lr=1e-5..1e-1 log", "layers=1..4 int", "opt=sgd|adam|lion"};
  flags.program = {"python3", "train.py", "--fast"};
  return flags;
}

StudyFile file_from(const TuneFlags& flags) { return parse_study(tune_toml(flags), "t.toml", {}); }

TEST(TuneCommand, TheStudyFileSaysWhatTheOptionsSay) {
  TuneFlags flags = some_tuning();
  flags.agents = 5;
  flags.horizon = 30;
  flags.minimize = true;
  flags.common.seed = 7;
  flags.infeasible_value = -1;
  flags.local.program.timeout = 2.5;
  flags.local.program.retries = 2;
  const StudyFile file = file_from(flags);
  EXPECT_EQ(file.study.name, "train");
  EXPECT_EQ(file.study.agents, 5U);
  EXPECT_EQ(file.study.horizon, 30U);
  EXPECT_EQ(file.seed, 7U);
  EXPECT_EQ(file.goal, protocol::Goal::kFind);
  EXPECT_EQ(file.preset->name, "auto");
  EXPECT_EQ(file.objective.direction, Direction::kMinimize);
  EXPECT_EQ(file.objective.command, flags.program);
  EXPECT_EQ(file.objective.timeout, 2.5);
  EXPECT_EQ(file.objective.retries, 2U);
  EXPECT_EQ(file.objective.infeasible_value, -1);
  ASSERT_EQ(file.study.domain->parameters().size(), 3U);
  EXPECT_TRUE(file.study.domain->parameters()[0].log);
  flags.goal = protocol::Goal::kEarn;
  EXPECT_EQ(file_from(flags).goal, protocol::Goal::kEarn);
}

TEST(TuneCommand, AnyNameOfAParameterAndAnyWordOfACommandFit) {
  TuneFlags flags = some_tuning();
  flags.parameters = {"learning rate=0..1", "a.b=0..1", "q%=x|\\|'|\""};
  flags.program = {"./a b", "--x=\"1\"", "{lr}", "\n"};
  const StudyFile file = file_from(flags);
  EXPECT_EQ(file.objective.command, flags.program);
  std::vector<std::string> names;
  for (const auto& parameter : file.study.domain->parameters()) names.push_back(parameter.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("learning rate", "a.b", "q%"));
}

TEST(TuneCommand, TwoParametersOfOneNameAreRefused) {
  TuneFlags flags = some_tuning();
  flags.parameters.emplace_back("lr=0..1");
  try {
    tune_toml(flags);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_THAT(error.what(), testing::HasSubstr("there is another parameter 'lr'"));
  }
}

TEST(TuneCommand, TheNameComesFromTheProgram) {
  EXPECT_EQ(study_name_of({"python3", "train.py"}), "train");
  EXPECT_EQ(study_name_of({"python3", "-u", "dir/my train.py", "--lr=0.1"}), "my-train");
  EXPECT_EQ(study_name_of({"./measure"}), "measure");
  EXPECT_EQ(study_name_of({"/usr/bin/env", "A=b.c", "Rscript", "fit.R"}), "fit");
  EXPECT_EQ(study_name_of({"./..."}), "tune");
  EXPECT_EQ(study_name_of({"é"}), "tune");
}

}  // namespace
}  // namespace duets::cli
