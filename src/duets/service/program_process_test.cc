// Tests how the user's processes start and end.
#include "duets/service/program_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>

#include "duets/service/program_test_support.h"

namespace duets::service {
namespace {

using ::testing::HasSubstr;

/// Answers each query with its own process number, and keeps running.
constexpr const char* kPidServer =
    R"(while read line; do echo $$ >> pids; echo "{\"value\":$$}"; done)";

TEST_F(ProgramTest, ALongRunningProgramIsStartedOnce) {
  Program program(shell(kPidServer));
  const double first = value_of(ask(program, 0));
  EXPECT_EQ(value_of(ask(program, 1)), first);
  EXPECT_EQ(value_of(ask(program, 2)), first);
}

TEST_F(ProgramTest, AProgramThatEndsAfterItsAnswerIsStartedAgain) {
  for (const char* code : {"0", "3"}) {
    Program program(shell(std::string(R"(read line; echo "{\"value\":$$}"; exit )") + code));
    std::vector<double> pids;
    // Some of these queries reach a process that is about to exit.
    for (std::uint32_t slot = 0; slot < 50; ++slot) pids.push_back(value_of(ask(program, slot)));
    EXPECT_EQ(std::adjacent_find(pids.begin(), pids.end()), pids.end());
  }
}

TEST_F(ProgramTest, OnceModeClosesTheInputAfterEachQuery) {
  ProgramOptions chosen = shell(R"(cat > got; echo "{\"value\":$$}")");
  chosen.once = true;
  Program program(chosen);
  const double first = value_of(ask(program, 0));
  EXPECT_NE(value_of(ask(program, 1)), first);
  EXPECT_THAT(contents(file("got")), HasSubstr("3-2-1"));
}

TEST_F(ProgramTest, OnceModeDetectsASecondAnswer) {
  ProgramOptions chosen =
      shell(R"(cat > got; echo '{"value":1}'; sleep 0.2; echo log; echo '{"value":2}')");
  chosen.once = true;
  EXPECT_THAT(why(ask_once(chosen)), HasSubstr("more than one answer"));
}

TEST_F(ProgramTest, OnceModeTakesABareNumberOnlyWhenNoOtherFollows) {
  // Slower than the time that a program gets after an answer with an object.
  ProgramOptions chosen = shell("cat > got; echo 0.71; sleep 1; echo 0.93");
  chosen.once = true;
  chosen.kill_seconds = 0.1;
  EXPECT_THAT(why(ask_once(chosen)), HasSubstr(R"("0.71" and then "0.93")"));
  chosen = shell("cat > got; echo 0.71; sleep 1; echo bye");
  chosen.once = true;
  chosen.kill_seconds = 0.1;
  EXPECT_EQ(value_of(ask_once(chosen)), 0.71);
  chosen = shell("cat > got; echo 0.71; sleep 1000");
  chosen.once = true;
  chosen.timeout_seconds = 0.5;
  EXPECT_EQ(why(ask_once(chosen)), "the program printed \"0.71\" but did not exit within 0.5 s");
}

TEST_F(ProgramTest, OnceModeReadsALongLogAfterTheAnswer) {
  ProgramOptions chosen =
      shell(R"(cat > got; echo '{"value":1}'; seq -f "line %.0f" 100000; echo done > finished)");
  chosen.once = true;
  EXPECT_EQ(value_of(ask_once(chosen)), 1);
  EXPECT_TRUE(has_text("finished"));
}

TEST_F(ProgramTest, OnceModeDoesNotWaitLongForAProgramThatHasAnswered) {
  ProgramOptions chosen = shell(R"(cat > got; echo '{"value":1}'; sleep 1000)");
  chosen.once = true;
  chosen.kill_seconds = 0.1;
  EXPECT_EQ(value_of(ask_once(chosen)), 1);
}

TEST_F(ProgramTest, ANumberWrittenBeforeTheQueryWasReadIsNotItsAnswer) {
  // Exits after one query, but prints three numbers: the second arrives with the next query.
  Program program(shell(R"(read line; echo $$ >> pids; echo 1
    while ! test -e go; do sleep 0.01; done
    sleep 0.3; echo 666; sleep 0.1; echo 667)"));
  EXPECT_EQ(value_of(ask(program, 0)), 1);
  std::ofstream(file("go")).close();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(value_of(ask(program, 1)), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("after it had answered; restarting it"));
  const std::string pids = contents(file("pids"));
  EXPECT_EQ(std::count(pids.begin(), pids.end(), '\n'), 2) << "a new process has answered";
}

// A program that prints numbers before it answers with an object: whatever the timing, at most the
// first number counts.
TEST_F(ProgramTest, NumbersAreLogWhereTheProgramAnswersWithObjects) {
  const char* together = R"(while read line; do printf '0.5\n{"value":1}\n0.7\n'; done)";
  const char* apart = R"(while read line; do echo 0.5; sleep 0.05; echo '{"value":1}'; done)";
  Program both(shell(together));
  for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_EQ(value_of(ask(both, slot)), 1) << slot;
  Program late(shell(apart));
  ::testing::internal::CaptureStderr();
  ask(late, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (std::uint32_t slot = 1; slot < 4; ++slot) EXPECT_EQ(value_of(ask(late, slot)), 1) << slot;
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("to an earlier query"));
  ProgramOptions once = shell(R"(cat > got; echo 0.5; sleep 0.05; echo '{"value":1}'; echo 0.7)");
  once.once = true;
  EXPECT_EQ(value_of(ask_once(once)), 1);
}

TEST_F(ProgramTest, AnIncompleteLineMeansANewProcess) {
  Program program(shell(R"(read line; echo "{\"value\":$$}"; printf 'next> '; echo x > said
    read line; echo 666)"));
  const double first = value_of(ask(program, 0));
  ASSERT_TRUE(comes_true([&] { return has_text("said"); }));
  const double second = value_of(ask(program, 1));
  EXPECT_NE(second, first);
  EXPECT_NE(second, 666);
}

TEST_F(ProgramTest, ALateSecondLineIsNeverTheAnswerOfTheNextQuery) {
  Program program(shell(R"(while read line; do
    echo '{"value":1}'
    test -e late && continue
    while ! test -e go; do sleep 0.01; done
    echo '{"value":666}'; echo done > late
  done)"));
  EXPECT_EQ(value_of(ask(program, 0)), 1);
  std::ofstream(file("go")).close();
  ASSERT_TRUE(comes_true([&] { return has_text("late"); }));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(value_of(ask(program, 1)), 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("to an earlier query"));
}

TEST_F(ProgramTest, AnAnswerOfAnotherTrialIsRefused) {
  EXPECT_THAT(why(ask_once(shell(R"(read line; echo '{"value":1,"trial":"3-2-9"}')"))),
              HasSubstr("not for trial 3-2-0"));
}

TEST_F(ProgramTest, AProgramThatClosesItsOutputAndKeepsRunningFails) {
  EXPECT_THAT(why(ask_once(shell("read line; exec >&-; sleep 1000"))),
              HasSubstr("closed its output without an answer"));
}

TEST_F(ProgramTest, AProgramThatNeverReadsMayStillAnswer) {
  Program program(shell(R"(exec <&-; echo '{"value":3}'; sleep 1000)"));
  EXPECT_EQ(value_of(ask(program, 0)), 3);
  EXPECT_EQ(value_of(ask(program, 1)), 3);
}

TEST_F(ProgramTest, AProgramThatClosesItsInputAfterAnAnswerIsStartedAgain) {
  Program program(shell(R"(read line; exec <&-; echo "{\"value\":$$}"; sleep 1000)"));
  const double first = value_of(ask(program, 0));
  EXPECT_NE(value_of(ask(program, 1)), first);
}

TEST_F(ProgramTest, AProgramThatWritesWithoutReadingIsStopped) {
  ProgramOptions chosen = shell("exec yes");
  chosen.timeout_seconds = 3;
  EXPECT_THAT(why(ask_once(chosen)), HasSubstr("timed out: no answer within 3 s"));
}

TEST_F(ProgramTest, AQueryLargerThanAPipeArrivesWhole) {
  ProgramOptions chosen = shell(R"(read line; echo "{\"value\":${#line}}")");
  chosen.dimension = 20000;
  Query large = query();
  large.values.assign(chosen.dimension, 0.1234567890123);
  Program program(chosen);
  const std::atomic<bool> abandon{false};
  EXPECT_GT(value_of(program.ask(large, abandon)), 400000);
}

TEST_F(ProgramTest, AGrandchildThatHoldsThePipeDoesNotHideTheEnd) {
  EXPECT_THAT(why(ask_once(shell("read line; sleep 1000 & exit 4"))), HasSubstr("exit code 4"));
}

TEST_F(ProgramTest, AnUnfinishedQueryEndsWithTheWholeGroup) {
  ProgramOptions chosen =
      shell("(trap '' TERM; exec sleep 1000) & echo $! > grandchild; echo $$ > pid; sleep 1000");
  const Answer answer = ask_until("pid", chosen);
  EXPECT_TRUE(std::holds_alternative<Interrupted>(answer)) << why(answer);
  EXPECT_TRUE(is_gone(number_in("pid")));
  EXPECT_TRUE(comes_true([&] { return is_gone(number_in("grandchild")); }));
}

TEST_F(ProgramTest, ATimeoutEndsTheProgram) {
  ProgramOptions chosen = shell("echo $$ > pid; sleep 1000");
  chosen.timeout_seconds = 5;
  EXPECT_THAT(why(ask_once(chosen)), HasSubstr("timed out: no answer within 5 s"));
  EXPECT_TRUE(is_gone(number_in("pid")));
}

TEST_F(ProgramTest, AProgramThatIgnoresSigtermIsKilled) {
  ProgramOptions chosen = shell("trap '' TERM; echo $$ > pid; while true; do sleep 0.1; done");
  chosen.kill_seconds = 0.2;
  ask_until("pid", chosen);
  EXPECT_TRUE(is_gone(number_in("pid")));
}

TEST_F(ProgramTest, SigtermLeavesTimeToCleanUp) {
  ProgramOptions chosen = shell(
      "trap 'sleep 0.2; echo tidy > tidied; exit 0' TERM; echo $$ > pid; while true; do sleep "
      "0.05; done");
  chosen.kill_seconds = 60;
  ask_until("pid", chosen);
  EXPECT_EQ(contents(file("tidied")), "tidy\n");
}

TEST_F(ProgramTest, TheDestructorEndsTheProgram) {
  {
    Program program(shell(std::string(kPidServer) + "; echo bye > bye"));
    ask(program);
  }
  EXPECT_TRUE(is_gone(number_in("pids")));
  EXPECT_EQ(contents(file("bye")), "bye\n") << "its input was closed: it could exit by itself";
}

TEST_F(ProgramTest, AnAbandonedQueryIsNotStarted) {
  Program program(shell("touch started; sleep 1000"));
  const std::atomic<bool> abandon{true};
  EXPECT_TRUE(std::holds_alternative<Interrupted>(program.ask(query(), abandon)));
  EXPECT_FALSE(std::filesystem::exists(file("started")));
}

TEST_F(ProgramTest, TheProgramOutlivesTheThreadThatAskedFirst) {
  Program program(shell(kPidServer));
  double first = 0;
  std::thread([&] { first = value_of(ask(program, 0)); }).join();
  EXPECT_EQ(value_of(ask(program, 1)), first);
}

TEST_F(ProgramTest, AKilledAgentLeavesNoProgramBehind) {
  const ProgramOptions chosen = shell("echo $$ > pid; exec sleep 1000");
  const pid_t agent = ::fork();
  if (agent == 0) {
    ask_once(chosen);
    ::_exit(1);
  }
  ASSERT_TRUE(comes_true([&] { return has_text("pid"); }));
  EXPECT_FALSE(is_gone(number_in("pid")));
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return is_gone(number_in("pid")); }));
}

TEST_F(ProgramTest, StartsWithDefaultSignalsAndWithoutOurFiles) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // not closed on exec
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old_handler = ::signal(SIGPIPE, SIG_IGN);
  Program program(options(write("#!/usr/bin/env python3", R"(
import json, os, signal, sys
sys.stdin.readline()
files = [f for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f)]
status = open("/proc/self/status").read()
blocked = status.split("SigBlk:")[1].split()[0]
print(json.dumps({"infeasible": "%s files, blocked %s, leader %s" % (
    len(files), int(blocked, 16), os.getpgid(0) == os.getpid())}), flush=True)
)")));
  const Answer answer = ask(program);
  ::signal(SIGPIPE, old_handler);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(leaked);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer)) << why(answer);
  EXPECT_EQ(std::get<Infeasible>(answer).why, "3 files, blocked 0, leader True");
}

TEST_F(ProgramTest, LeavesNoDescriptorOpen) {
  const auto num_open = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = num_open();
  for (int i = 0; i < 5; ++i) {
    ask_once(shell(R"(read line; echo '{"value":1}')"));
    ask_once(shell("exit 1"));
  }
  EXPECT_EQ(num_open(), before);
}

}  // namespace
}  // namespace duets::service
