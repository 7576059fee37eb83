// A writer that is killed around its commit.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "duets/storage/store_test_support.h"

namespace duets::storage {
namespace {

// Runs the action in a process of its own.
int status_of_child(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Crash, ALockEndsWithItsProcess) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const int status = status_of_child([&] {
    Store store(file, Access::kWrite);
    store.create("a", {});
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(Store(file, Access::kWrite).contains("a"));
}

TEST(Crash, AnotherProcessIsLockedOut) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const Store store(file, Access::kWrite);
  const std::string pid = std::to_string(getpid());
  const int status = status_of_child([&] {
    const auto failure = failure_of_opening(file, Access::kWrite);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
    EXPECT_THAT(failure->text, testing::HasSubstr(pid));
  });
  EXPECT_EQ(status, 0);
}

// A death test in "threadsafe" style is a fresh process that runs the test again up to the deadly
// statement. It finds here the directory that the first process made and will remove.
class SharedDirectory {
 public:
  SharedDirectory() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (getenv(kName) != nullptr) return;
    own_.emplace();
    setenv(kName, (*own_ / "duets.db").c_str(), 1);
  }
  ~SharedDirectory() {
    if (own_) unsetenv(kName);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
  Path file() const { return getenv(kName); }

 private:
  static constexpr const char* kName = "DUETS_CRASH_TEST_FILE";
  std::optional<TemporaryDirectory> own_;
};

#ifdef DUETS_FAIL_POINTS

// Appends 1, 2, 3, ... each with a fact, until the fail point ends the process. Meant for a process
// in which no fail point was passed before: the variable is read once.
[[noreturn]] void append_until_killed(const Path& file, const std::string& plan) {
  setenv("DUETS_FAIL_POINT", plan.c_str(), 1);
  Store store(file, Access::kWrite);
  store.create("a", {});
  for (int i = 1; i < 10; ++i) {
    const base::Bytes bytes = bytes_of(std::to_string(i));
    store.append("a", Entries{bytes, bytes}, std::vector<Store::Fact>{{"count", bytes}});
  }
  _exit(0);
}

class KillTest : public testing::TestWithParam<std::pair<std::string, int>> {};

TEST_P(KillTest, WhatWasCommittedIsThereAndNothingElse) {
  const SharedDirectory directory;
  const Path file = directory.file();
  const auto& [plan, expected] = GetParam();
  EXPECT_EXIT(append_until_killed(file, plan), testing::KilledBySignal(SIGKILL), "");
  Store store(file, Access::kWrite);
  const std::vector<base::Bytes> entries = store.entries("a");
  ASSERT_EQ(entries.size(), 2 * static_cast<std::size_t>(expected));
  for (int i = 0; i < expected; ++i) {
    EXPECT_EQ(entries[static_cast<std::size_t>(2 * i + 1)], bytes_of(std::to_string(i + 1)));
  }
  const auto count = store.fact("a", "count");
  EXPECT_EQ(count.has_value(), expected > 0);
  if (count) {
    EXPECT_EQ(*count, bytes_of(std::to_string(expected)));
  }
  store.append("a", entries);
}

INSTANTIATE_TEST_SUITE_P(Points, KillTest,
                         testing::Values(std::pair("append.before:1:kill", 0),
                                         std::pair("append.after:1:kill", 1),
                                         std::pair("append.before:4:kill", 3),
                                         std::pair("append.after:4:kill", 4)));

// From the second append to the third, each fails once it is all but committed.
void expect_two_failures(const Path& file) {
  setenv("DUETS_FAIL_POINT", "append.before:2-3:fail", 1);
  Store store(file, Access::kWrite);
  store.create("a", {});
  std::string seen;
  for (int i = 1; i <= 5; ++i) {
    const auto failure = failure_of([&] { store.append("a", Entries{bytes_of("x")}); });
    seen += failure && failure->cause == StorageError::Cause::kUnwritable ? 'f' : '.';
  }
  if (seen == ".ff.." && store.size("a") == 3) _exit(0);
  _exit(1);
}

TEST(FailPoint, FailsFromTheFirstToTheLastCountAndStoresNothing) {
  const SharedDirectory directory;
  EXPECT_EXIT(expect_two_failures(directory.file()), testing::ExitedWithCode(0), "");
}

void append_with_plan(const Path& file, const std::string& plan) {
  setenv("DUETS_FAIL_POINT", plan.c_str(), 1);
  Store store(file, Access::kWrite);
  store.create("a", {});
  const auto append = [&] { store.append("a", {}); };
  _exit(kind_of(append) == base::ErrorKind::kInvalid ? 0 : 1);
}

TEST(FailPoint, APlanThatMakesNoSenseIsRefused) {
  for (const char* plan :
       {"append.before", "append.before:0:kill", "append.before:x:fail", "append.before:1:explode",
        "append.before:3-2:fail", "append.before:1-2:kill", "append.before::kill"}) {
    const SharedDirectory directory;
    EXPECT_EXIT(append_with_plan(directory.file(), plan), testing::ExitedWithCode(0), "") << plan;
  }
}

#else

void append_despite_plan(const Path& file) {
  setenv("DUETS_FAIL_POINT", "append.before:1:kill", 1);
  Store store(file, Access::kWrite);
  store.create("a", {});
  store.append("a", {});
  _exit(0);
}

TEST(FailPoint, IsNotObeyedUnlessBuiltIn) {
  const SharedDirectory directory;
  EXPECT_EXIT(append_despite_plan(directory.file()), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace duets::storage
