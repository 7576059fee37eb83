// Tests what the file of a SQLite store guarantees in addition to the contract of every store.
#include "duets/storage/sqlite/sqlite_store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

using testing::HasSubstr;

class SqliteStoreTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
};

unsigned mode_of(const Path& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST_F(SqliteStoreTest, ASecondWriterIsRefusedWithFileAndProcess) {
  const auto store = open_store(file_, Access::kWrite);
  const auto failure = failure_of_opening(file_, Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
  EXPECT_THAT(failure->text, HasSubstr(file_.string()));
  EXPECT_THAT(failure->text, HasSubstr(std::to_string(getpid())));
}

TEST_F(SqliteStoreTest, ASecondWriterIsRefusedUnderAnotherNameOfTheFileToo) {
  const auto store = open_store(file_, Access::kWrite);
  std::filesystem::create_symlink(file_, directory_ / "link.db");
  const auto failure = failure_of_opening(directory_ / "link.db", Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
}

TEST_F(SqliteStoreTest, AReaderCreatesNoFile) {
  EXPECT_EQ(kind_of([&] { open_store(file_, Access::kRead); }), base::ErrorKind::kInvalid);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SqliteStoreTest, OnlyTheOwnerCanReadNewFiles) {
  const Path file = directory_ / "new" / "deeper" / "duets.db";
  const auto store = open_store(file, Access::kWrite);
  store->create("a", {});
  EXPECT_EQ(mode_of(directory_ / "new"), 0700);
  EXPECT_EQ(mode_of(file.parent_path()), 0700);
  for (const char* ending : {"", "-wal", "-shm", "-lock"}) {
    EXPECT_EQ(mode_of(file.string() + ending), 0600) << ending;
  }
}

// has_writer takes the lock for microseconds: a writer that starts at that moment is not refused.
TEST_F(SqliteStoreTest, CheckingForAWriterExcludesNone) {
  { const auto made = open_store(file_, Access::kWrite); }
  std::atomic<bool> done = false;
  std::thread looks([&] {
    while (!done) {
      has_writer(file_);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_NO_THROW(open_store(file_, Access::kWrite)) << i;
  done = true;
  looks.join();
}

}  // namespace
}  // namespace duets::storage::sqlite
