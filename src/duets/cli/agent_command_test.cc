#include "duets/cli/agent_command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

using CommandWords = std::vector<std::string>;

AgentFlags flags_for(const std::string& server, bool insecure) {
  AgentFlags flags;
  flags.peer.server = server;
  flags.peer.insecure = insecure;
  return flags;
}

service::Definition with_command() {
  return service::definition_of(parse_study(
      "[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 2\n[space]\ndomain = \"box\"\n"
      "dimension = 1\n[objective]\ncommand = [\"./measure.py\", \"--fast\"]\n",
      "s.toml", {}));
}

TEST(AgentCommand, RunsTheStudysCommandOfAnAuthenticatedCoordinator) {
  const CommandWords command = with_command().objective().command;
  EXPECT_EQ(program_of(flags_for("tuner.example:7117", false), with_command()), command);
  EXPECT_EQ(program_of(flags_for("127.0.0.1:7117", true), with_command()), command);
  EXPECT_EQ(program_of(flags_for("[::1]:7117", true), with_command()), command);
}

// Otherwise anyone who can send packets could run programs on every agent's machine.
TEST(AgentCommand, OverPlaintextTheProgramMustBePassed) {
  AgentFlags flags = flags_for("10.0.0.7:7117", true);
  try {
    program_of(flags, with_command());
    ADD_FAILURE() << "the study's command was accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_NE(std::string(error.what()).find("after --"), std::string::npos);
  }
  flags.program = {"./mine"};
  EXPECT_EQ(program_of(flags, with_command()), CommandWords{"./mine"});
}

TEST(AgentCommand, ABuiltInFunctionNeedsNoProgram) {
  const auto definition = service::definition_of(
      parse_study("[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 2\n[objective]\n"
                  "builtin = \"branin\"\n",
                  "s.toml", {}));
  EXPECT_EQ(program_of(flags_for("10.0.0.7:7117", true), definition), CommandWords{});
}

TEST(AgentCommand, AStudyWithoutObjectiveNeedsTheAgentsProgram) {
  const auto definition = service::definition_of(
      parse_study("[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 2\n[space]\n"
                  "domain = \"box\"\ndimension = 1\n",
                  "s.toml", {}, {.measures = true}));
  AgentFlags flags = flags_for("127.0.0.1:7117", true);
  EXPECT_THROW(program_of(flags, definition), base::Error);
  flags.program = {"./mine"};
  EXPECT_EQ(program_of(flags, definition), CommandWords{"./mine"});
}

}  // namespace
}  // namespace duets::cli
