#include "duets/service/program.h"

#include <gmock/gmock.h>

#include "duets/base/error.h"
#include "duets/service/program_test_support.h"

namespace duets::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const ProgramOptions& options) {
  try {
    const Program program(options);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(accepted)";
}

TEST_F(ProgramTest, AnswersWithAValue) {
  EXPECT_EQ(value_of(ask_once(shell(R"(read line; echo '{"value": 1.5}')"))), 1.5);
}

TEST_F(ProgramTest, GetsTheQueryOnOneLine) {
  ASSERT_EQ(value_of(ask_once(shell(R"(read line; echo "$line" > got; echo '{"value":1}')"))), 1);
  EXPECT_EQ(contents(file("got")),
            R"({"trial":"3-2-0","agent":3,"epoch":2,"slot":0,"params":{"x1":0.25,"x2":0.0}})"
            "\n");
}

TEST_F(ProgramTest, APythonProgramAnswersLineByLine) {
  Program program(options(write("#!/usr/bin/env python3", R"(
import json, sys
for line in sys.stdin:
    query = json.loads(line)
    print(json.dumps({"value": query["params"]["x2"] * 2, "trial": query["trial"]}), flush=True)
)")));
  for (std::uint32_t slot = 0; slot < 20; ++slot) {
    EXPECT_EQ(value_of(ask(program, slot)), 2.0 * slot);
  }
}

TEST_F(ProgramTest, MayCallAPointInfeasible) {
  const Answer answer = ask_once(shell(R"(read line; echo '{"infeasible":"too hot"}')"));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer)) << why(answer);
  EXPECT_EQ(std::get<Infeasible>(answer).why, "too hot");
}

TEST_F(ProgramTest, TheLastLineMayLackItsLineFeed) {
  EXPECT_EQ(value_of(ask_once(shell(R"(read line; printf '\n{"value":2}')"))), 2);
}

TEST_F(ProgramTest, ACrashIsAFailureThatNamesTheExitCodeAndKeepsTheTail) {
  const Answer answer = ask_once(shell("read line; echo 'sensor is dead' >&2; exit 3"));
  EXPECT_EQ(why(answer), "the program ended with exit code 3 before it answered");
  EXPECT_EQ(std::get<Failure>(answer).stderr_tail, "sensor is dead\n");
}

TEST_F(ProgramTest, ASignalIsNamed) {
  EXPECT_THAT(why(ask_once(shell("read line; kill -9 $$"))), HasSubstr("signal 9 (Killed)"));
}

TEST_F(ProgramTest, TheTailIsTheEndOfTheLastAttempt) {
  ProgramOptions chosen = shell(
      "echo x >> count; seq 1 3000 >&2; echo \"attempt $(wc -l < count)\" >&2; read line; exit 1");
  chosen.retries = 1;
  const Answer answer = ask_once(chosen);
  const std::string& tail = std::get<Failure>(answer).stderr_tail;
  EXPECT_EQ(tail.size(), 4096);
  EXPECT_THAT(tail, HasSubstr("2999\n3000\nattempt 2\n"));
  EXPECT_THAT(tail, Not(HasSubstr("attempt 1")));
}

TEST_F(ProgramTest, SilenceIsATimeoutAndCostsItsOwnQueryOnly) {
  ProgramOptions chosen = shell(R"(while read line; do
    case "$line" in *3-2-0*) sleep 1000;; esac
    echo '{"value":7}'
  done)");
  chosen.timeout_seconds = 0.3;
  Program slow(chosen);
  EXPECT_EQ(why(ask(slow, 0)), "no answer within 0.3 s");
  chosen.timeout_seconds = 60;
  Program program(chosen);
  EXPECT_EQ(value_of(ask(program, 1)), 7);
}

TEST_F(ProgramTest, AfterATimeoutTheNextQueryIsAnsweredByAFreshProcess) {
  ProgramOptions chosen = shell(R"(read line
    test -e hung || { touch hung; sleep 1000; }
    echo '{"value":8}')");
  chosen.timeout_seconds = 5;
  Program program(chosen);
  EXPECT_EQ(why(ask(program, 0)), "no answer within 5 s");
  EXPECT_EQ(value_of(ask(program, 1)), 8);
}

TEST_F(ProgramTest, GarbageIsShown) {
  EXPECT_THAT(why(ask_once(shell("read line; echo hello"))),
              AllOf(HasSubstr("not a JSON object"), HasSubstr("\"hello\"")));
}

TEST_F(ProgramTest, NothingButAnEndIsAFailure) {
  EXPECT_EQ(why(ask_once(shell("read line"))),
            "the program ended with exit code 0 before it answered");
}

TEST_F(ProgramTest, ALineLongerThanOneMebibyteIsAFailure) {
  const Answer answer =
      ask_once(shell("read line; head -c 3000000 /dev/zero | tr '\\0' x; sleep 1000"));
  EXPECT_EQ(why(answer), "the answer is longer than 1048576 bytes");
}

TEST_F(ProgramTest, TwoLinesAtOnceAreAFailureThatShowsBoth) {
  EXPECT_THAT(why(ask_once(shell(R"(read line; printf '{"value":1}\n{"value":2}\n')"))),
              AllOf(HasSubstr("more than one line"), HasSubstr(R"({"value":1})"),
                    HasSubstr(R"({"value":2})")));
}

TEST_F(ProgramTest, RetriesUntilOneAttemptSucceeds) {
  ProgramOptions chosen = shell(R"(echo x >> count; read line
    test $(wc -l < count) -ge 3 || exit 1
    echo '{"value":4}')");
  chosen.retries = 2;
  EXPECT_EQ(value_of(ask_once(chosen)), 4);
  EXPECT_EQ(contents(file("count")), "x\nx\nx\n");
}

TEST_F(ProgramTest, RetriesAreCounted) {
  ProgramOptions chosen = shell("echo x >> count; exit 1");
  chosen.retries = 2;
  EXPECT_THAT(why(ask_once(chosen)), HasSubstr("exit code 1"));
  EXPECT_EQ(contents(file("count")), "x\nx\nx\n");
}

TEST_F(ProgramTest, InfeasibleIsAnAnswerAndNotTriedAgain) {
  ProgramOptions chosen = shell(R"(echo x >> count; read line; echo '{"infeasible":"no"}')");
  chosen.retries = 5;
  EXPECT_TRUE(std::holds_alternative<Infeasible>(ask_once(chosen)));
  EXPECT_EQ(contents(file("count")), "x\n");
}

TEST_F(ProgramTest, StandardErrorIsPassedOnWithTheAgentBeforeEachLine) {
  ::testing::internal::CaptureStderr();
  const Answer answer =
      ask_once(shell(R"(read line; echo one >&2; printf two >&2; echo '{"value":1}')"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "agent 3: one\nagent 3: two\n");
  EXPECT_EQ(value_of(answer), 1);
}

TEST_F(ProgramTest, AFloodOnStandardErrorNeitherBlocksTheProgramNorFillsOurLog) {
  ::testing::internal::CaptureStderr();
  const Answer answer =
      ask_once(shell(R"(read line; seq 1 200000 >&2; sleep 0.1; echo '{"value":1}')"));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(value_of(answer), 1);
  EXPECT_THAT(log, HasSubstr("agent 3: 100\n"));
  EXPECT_THAT(log, Not(HasSubstr("agent 3: 101\n")));
  EXPECT_THAT(log, HasSubstr("more lines of the program left out"));
}

TEST_F(ProgramTest, IsRefusedWhenThereIsNoSuchProgram) {
  EXPECT_THAT(refusal(options("no-such-program-at-all")),
              HasSubstr("there is no program no-such-program-at-all in PATH"));
  EXPECT_THAT(refusal(options("./nowhere/x")), HasSubstr("there is no program ./nowhere/x"));
  EXPECT_THAT(refusal(options("/tmp")), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(ProgramOptions{}), HasSubstr("objective.command is empty"));
  ProgramOptions chosen = shell("exit 0");
  ::chmod(chosen.command.front().c_str(), 0644);
  EXPECT_THAT(refusal(chosen), HasSubstr("is not executable: chmod +x "));
  chosen.timeout_seconds = 0;
  EXPECT_THAT(refusal(chosen), HasSubstr("objective.timeout = 0: must be > 0"));
}

TEST_F(ProgramTest, IsFoundByPath) {
  ProgramOptions chosen = options("echo");
  chosen.command = {"echo", R"({"value":5})"};
  EXPECT_EQ(value_of(ask_once(chosen)), 5);
}

TEST_F(ProgramTest, AnExecThatFailsIsToldAtTheFirstQuery) {
  Program headless(options(write("", "echo 1")));
  Program orphan(options(write("#!/no/such/interpreter", "")));
  const auto error_of = [](Program& program) -> std::string {
    try {
      ask(program);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      return error.what();
    }
    return "(ran)";
  };
  EXPECT_THAT(error_of(headless), HasSubstr("a script needs a first line such as #!/bin/sh"));
  EXPECT_THAT(error_of(orphan), HasSubstr("the interpreter in its first line"));
}

}  // namespace
}  // namespace duets::service
