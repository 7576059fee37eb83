#include "duets/service/program.h"

#include <gmock/gmock.h>

#include "duets/base/error.h"
#include "duets/service/program_test_support.h"

namespace duets::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string refusal(const ProgramOptions& options) {
  try {
    const Program program(options);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(accepted)";
}

// For use in double quotes of the shell.
std::string escaped(const std::string& line) {
  std::string result;
  for (const char c : line) result += c == '"' ? "\\\"" : std::string(1, c);
  return result;
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

TEST_F(ProgramTest, MayReportAPointAsInfeasible) {
  const Answer answer = ask_once(shell(R"(read line; echo '{"infeasible":"too hot"}')"));
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer)) << why(answer);
  EXPECT_EQ(std::get<Infeasible>(answer).why, "too hot");
}

TEST_F(ProgramTest, TheLastLineMayHaveNoLineFeed) {
  EXPECT_EQ(value_of(ask_once(shell(R"(read line; printf '\n{"value":2}')"))), 2);
}

TEST_F(ProgramTest, ACrashIsAFailureWithTheExitCodeAndTheTail) {
  const Answer answer = ask_once(shell("read line; echo 'sensor is dead' >&2; exit 3"));
  EXPECT_EQ(why(answer), "the program ended with exit code 3 before it answered");
  EXPECT_EQ(std::get<Failure>(answer).log_tail, "sensor is dead\n");
}

TEST_F(ProgramTest, ASignalIsNamed) {
  EXPECT_THAT(why(ask_once(shell("read line; kill -9 $$"))), HasSubstr("signal 9 (Killed)"));
}

TEST_F(ProgramTest, TheTailIsTheEndOfTheLastAttempt) {
  ProgramOptions chosen = shell(
      "echo x >> count; seq 1 3000 >&2; echo \"attempt $(wc -l < count)\" >&2; read line; exit 1");
  chosen.retries = 1;
  const Answer answer = ask_once(chosen);
  const std::string& tail = std::get<Failure>(answer).log_tail;
  EXPECT_EQ(tail.size(), 4096);
  EXPECT_THAT(tail, HasSubstr("2999\n3000\nattempt 2\n"));
  EXPECT_THAT(tail, Not(HasSubstr("attempt 1")));
}

TEST_F(ProgramTest, ATimeoutAffectsOnlyItsOwnQuery) {
  ProgramOptions chosen = shell(R"(while read line; do
    case "$line" in *3-2-0*) sleep 1000;; esac
    echo '{"value":7}'
  done)");
  chosen.timeout_seconds = 0.3;
  Program slow(chosen);
  EXPECT_EQ(why(ask(slow, 0)), "timed out: no answer within 0.3 s");
  chosen.timeout_seconds = 60;
  Program program(chosen);
  EXPECT_EQ(value_of(ask(program, 1)), 7);
}

TEST_F(ProgramTest, AfterATimeoutANewProcessAnswersTheNextQuery) {
  ProgramOptions chosen = shell(R"(read line
    test -e hung || { touch hung; sleep 1000; }
    echo '{"value":8}')");
  chosen.timeout_seconds = 5;
  Program program(chosen);
  EXPECT_EQ(why(ask(program, 0)), "timed out: no answer within 5 s");
  EXPECT_EQ(value_of(ask(program, 1)), 8);
}

TEST_F(ProgramTest, LinesThatAreNotAnswersAreItsLog) {
  ::testing::internal::CaptureStderr();
  const Answer answer = ask_once(shell(
      R"(read line; echo loading; echo "epoch 3"; echo "{'loss': 1}"; echo '{"value":2}'; echo bye)"));
  EXPECT_EQ(value_of(answer), 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              StartsWith("agent 3: loading\nagent 3: epoch 3\nagent 3: {'loss': 1}\n"));
}

TEST_F(ProgramTest, ALogAfterTheAnswerIsHarmless) {
  Program program(shell(R"(while read line; do echo "{\"value\":$$}"; echo "done with it"; done)"));
  const double first = value_of(ask(program, 0));
  for (std::uint32_t slot = 1; slot < 20; ++slot) EXPECT_EQ(value_of(ask(program, slot)), first);
}

TEST_F(ProgramTest, ABareNumberIsAValue) {
  Program program(shell(R"(while read line; do echo measuring; echo 0.93; done)"));
  EXPECT_EQ(value_of(ask(program, 0)), 0.93);
  EXPECT_EQ(value_of(ask(program, 1)), 0.93);
}

TEST_F(ProgramTest, GarbageIsShownAndItsTailKept) {
  const Answer answer = ask_once(shell("read line; echo starting; echo 'accuracy: 0.93'"));
  EXPECT_EQ(
      why(answer),
      "the program ended with exit code 0 before it answered; the last line it printed is not an "
      "answer: \"accuracy: 0.93\"");
  EXPECT_EQ(std::get<Failure>(answer).log_tail, "starting\naccuracy: 0.93\n");
}

TEST_F(ProgramTest, AnInvalidAnswerFailsImmediately) {
  for (const char* line : {R"({"value": NaN})", "{'value': 0.5}", "nan", "inf", R"({"loss": 1})"}) {
    EXPECT_THAT(why(ask_once(shell("read line; echo \"" + escaped(line) + "\"; sleep 1000"))),
                HasSubstr(line));
  }
}

TEST_F(ProgramTest, ATimeoutShowsTheLogWithTheIncompleteLine) {
  ProgramOptions chosen = shell("read line; echo loading; printf '40 %%'; sleep 1000");
  chosen.timeout_seconds = 1;
  const Answer answer = ask_once(chosen);
  EXPECT_EQ(
      why(answer),
      "timed out: no answer within 1 s; the last line it printed is not an answer: \"loading\"");
  EXPECT_EQ(std::get<Failure>(answer).log_tail, "loading\n40 %\n");
}

TEST_F(ProgramTest, AFloodOnStandardOutputNeitherBlocksTheProgramNorFillsOurLog) {
  ::testing::internal::CaptureStderr();
  const Answer answer =
      ask_once(shell(R"(read line; seq -f "line %.0f" 200000; echo '{"value":1}')"));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(value_of(answer), 1);
  EXPECT_THAT(log, HasSubstr("agent 3: line 100\n"));
  EXPECT_THAT(log, Not(HasSubstr("agent 3: line 101\n")));
  EXPECT_THAT(log, HasSubstr("(199900 more lines of the program omitted)"));
}

TEST_F(ProgramTest, HasTheQueryInItsEnvironment) {
  ProgramOptions chosen = shell(R"(while read line; do
    echo "$DUETS_STUDY $DUETS_AGENT $DUETS_EPOCH $DUETS_TRIAL" >> got; echo 1
  done)");
  chosen.study = "tune";
  Program program(chosen);
  ask(program, 0);
  ask(program, 1);
  EXPECT_EQ(contents(file("got")), "tune 3 2 3-2-0\ntune 3 2 3-2-0\n")
      << "a program that keeps running has those of its first query";
}

TEST_F(ProgramTest, AProgramStartedForEachQueryHasThatQuery) {
  ProgramOptions chosen = shell(R"(cat >/dev/null; echo "$DUETS_TRIAL" >> got; echo 1)");
  chosen.once = true;
  Program program(chosen);
  ask(program, 0);
  ask(program, 1);
  EXPECT_EQ(contents(file("got")), "3-2-0\n3-2-1\n");
}

TEST_F(ProgramTest, OurEnvironmentIsPassedOnExceptForTheQuery) {
  ::setenv("DUETS_TRIAL", "another", 1);
  ::setenv("DUETS_TEST_OTHER", "kept", 1);
  const Answer answer = ask_once(shell(
      R"(read line; env | grep -c '^DUETS_TRIAL=' > got; echo "$DUETS_TRIAL $DUETS_TEST_OTHER" >> got; echo 1)"));
  ::unsetenv("DUETS_TRIAL");
  ::unsetenv("DUETS_TEST_OTHER");
  EXPECT_EQ(value_of(answer), 1);
  EXPECT_EQ(contents(file("got")), "1\n3-2-0 kept\n");
}

TEST_F(ProgramTest, PlaceholdersOfItsCommandAreReplaced) {
  ProgramOptions chosen = options("env");
  chosen.study = "tune";
  chosen.command = {
      "env",
      "GPU={agent}",
      "sh",
      "-c",
      "while read line; do echo \"$GPU $0 $1\" >> " + file("got").string() + "; echo 1; done",
      "{study}",
      "{other}"};
  Program program(chosen);
  EXPECT_EQ(value_of(ask(program, 0)), 1);
  EXPECT_EQ(value_of(ask(program, 1)), 1);
  EXPECT_EQ(contents(file("got")), "3 tune {other}\n3 tune {other}\n");
}

TEST_F(ProgramTest, ACommandThatNamesTheTrialIsStartedForEachQuery) {
  ProgramOptions chosen = shell(R"(while read line; do echo "$2 $$" >> got; echo 1; done)");
  chosen.command.emplace_back("out-{trial}-{epoch}.txt");
  Program program(chosen);
  EXPECT_EQ(value_of(ask(program, 0)), 1);
  EXPECT_EQ(value_of(ask(program, 1)), 1);
  std::istringstream got(contents(file("got")));
  std::string first, first_pid, second, second_pid;
  got >> first >> first_pid >> second >> second_pid;
  EXPECT_EQ(first, "out-3-2-0-2.txt");
  EXPECT_EQ(second, "out-3-2-1-2.txt");
  EXPECT_NE(first_pid, second_pid);
}

TEST_F(ProgramTest, TheProgramsNameMayHaveAPlaceholder) {
  ProgramOptions chosen = shell("read line; echo 5");
  std::filesystem::rename(chosen.command.front(), file("measure-3"));
  chosen.command.front() = file("measure-").string() + "{agent}";
  EXPECT_EQ(value_of(ask_once(chosen)), 5);
  std::filesystem::remove(file("measure-3"));
  Program missing(chosen);
  EXPECT_THROW(ask(missing), base::Error);
}

TEST_F(ProgramTest, AnExitWithoutOutputIsAFailure) {
  EXPECT_EQ(why(ask_once(shell("read line"))),
            "the program ended with exit code 0 before it answered");
}

TEST_F(ProgramTest, AnAnswerLongerThanOneMebibyteFailsImmediately) {
  const Answer answer = ask_once(
      shell(R"(read line; printf '{"value":'; head -c 3000000 /dev/zero | tr '\0' 1; sleep 1000)"));
  EXPECT_THAT(why(answer), StartsWith("the answer is longer than 1048576 bytes"));
}

TEST_F(ProgramTest, ALogLineMayBeLongerThanOneMebibyte) {
  EXPECT_EQ(value_of(ask_once(shell(
                R"(read line; head -c 3000000 /dev/zero | tr '\0' x; echo; echo '{"value":1}')"))),
            1);
}

TEST_F(ProgramTest, TwoAnswersAtOnceAreAFailureThatShowsBoth) {
  EXPECT_THAT(why(ask_once(shell(R"(read line; printf '{"value":1}\nlog\n{"value":2}\n')"))),
              AllOf(HasSubstr("more than one answer"), HasSubstr(R"({"value":1})"),
                    HasSubstr(R"({"value":2})")));
  EXPECT_THAT(why(ask_once(shell("read line; printf '0.5\\n0.93\\n'"))),
              HasSubstr(R"(more than one answer: "0.5" and then "0.93")"));
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

TEST_F(ProgramTest, InfeasibleIsAnAnswerAndNotRetried) {
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
  EXPECT_THAT(log, HasSubstr("more lines of the program omitted"));
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

TEST_F(ProgramTest, AFailedExecIsReportedAtTheFirstQuery) {
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

// One program may get the queries of several agents; what its command says must be true.
TEST_F(ProgramTest, ACommandThatNamesTheAgentGetsItsOwnProcess) {
  ProgramOptions named = shell("while read -r line; do echo \"$(($2 * 100 + (n += 1)))\"; done");
  named.command.emplace_back("{agent}");
  Program program(named);
  const std::atomic<bool> never{false};
  Query other = query();
  other.agent = 4;
  EXPECT_EQ(value_of(ask(program)), 301);
  EXPECT_EQ(value_of(ask(program)), 302);
  EXPECT_EQ(value_of(program.ask(other, never)), 401);
  EXPECT_EQ(value_of(ask(program)), 301);
}

}  // namespace
}  // namespace duets::service
