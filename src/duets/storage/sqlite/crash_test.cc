// Tests a writer that is killed around its commit.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "duets/storage/fail_plan_test_support.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

// Runs the action in a separate process.
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
    const auto store = open_store(file, Access::kWrite);
    store->create("a", {});
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(open_store(file, Access::kWrite)->contains("a"));
}

TEST(Crash, AnotherProcessIsLockedOut) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const auto store = open_store(file, Access::kWrite);
  const std::string pid = std::to_string(getpid());
  const int status = status_of_child([&] {
    const auto failure = failure_of_opening(file, Access::kWrite);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
    EXPECT_THAT(failure->text, testing::HasSubstr(pid));
  });
  EXPECT_EQ(status, 0);
}

// Appends 1, 2, 3, ... each with a fact.
void append_nine_times(const Path& file) {
  const auto store = open_store(file, Access::kWrite);
  store->create("a", {});
  for (int i = 1; i < 10; ++i) {
    const base::Bytes bytes = bytes_of(std::to_string(i));
    store->append("a", Entries{bytes, bytes}, std::vector<Store::Fact>{{"count", bytes}});
  }
}

class KillTest : public testing::TestWithParam<std::pair<std::string, int>> {};

TEST_P(KillTest, ExactlyTheCommittedEntriesAreStored) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const auto& [plan, expected] = GetParam();
  const int status = status_of_child([&] {
    install_fail_plan(plan);
    append_nine_times(file);
  });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const auto store = open_store(file, Access::kWrite);
  const std::vector<base::Bytes> entries = store->entries("a");
  ASSERT_EQ(entries.size(), 2 * static_cast<std::size_t>(expected));
  for (int i = 0; i < expected; ++i) {
    EXPECT_EQ(entries[static_cast<std::size_t>(2 * i + 1)], bytes_of(std::to_string(i + 1)));
  }
  const auto count = store->fact("a", "count");
  EXPECT_EQ(count.has_value(), expected > 0);
  if (count) {
    EXPECT_EQ(*count, bytes_of(std::to_string(expected)));
  }
  store->append("a", entries);
}

INSTANTIATE_TEST_SUITE_P(Points, KillTest,
                         testing::Values(std::pair("append.before:1:kill", 0),
                                         std::pair("append.after:1:kill", 1),
                                         std::pair("append.before:4:kill", 3),
                                         std::pair("append.after:4:kill", 4)));

TEST(FailPoint, FailsFromTheFirstToTheLastCountAndStoresNothing) {
  const TemporaryDirectory directory;
  const auto store = open_store(directory / "duets.db", Access::kWrite);
  store->create("a", {});
  install_fail_plan("append.before:2-3:fail");
  std::string seen;
  for (int i = 1; i <= 5; ++i) {
    const auto failure = failure_of([&] { store->append("a", Entries{bytes_of("x")}); });
    seen += failure && failure->cause == StorageError::Cause::kUnwritable ? 'f' : '.';
  }
  install_fail_point(nullptr);
  EXPECT_EQ(seen, ".ff..");
  EXPECT_EQ(store->size("a"), 3U);
}

TEST(FailPoint, AnInvalidPlanIsRefused) {
  for (const char* plan :
       {"append.before", "append.before:0:kill", "append.before:x:fail", "append.before:1:explode",
        "append.before:3-2:fail", "append.before:1-2:kill", "append.before::kill"}) {
    EXPECT_EQ(kind_of([&] { parse_fail_plan(plan); }), base::ErrorKind::kInvalid) << plan;
  }
}

TEST(FailPoint, TheStorageReadsNoEnvironmentVariable) {
  const TemporaryDirectory directory;
  const int status = status_of_child([&] {
    setenv("DUETS_FAIL_POINT", "append.before:1:kill", 1);
    const auto store = open_store(directory / "duets.db", Access::kWrite);
    store->create("a", {});
    store->append("a", {});
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace duets::storage::sqlite
