// Tests durability: this program intercepts every fsync, also those of SQLite.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "duets/storage/secret_file.h"
#include "duets/storage/sqlite/opening.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

// The names of the files and directories that were synced since the last clear(), in order.
class SyncLog {
 public:
  void note(int fd) {
    std::array<char, 4096> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const ssize_t size = readlink(link.c_str(), name.data(), name.size());
    const std::lock_guard lock(mutex_);
    if (size > 0) names_.push_back(Path(std::string(name.data(), static_cast<std::size_t>(size))));
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    names_.clear();
  }
  // The position of this file's last sync; -1: none.
  std::ptrdiff_t place(const std::string& name) {
    const std::lock_guard lock(mutex_);
    for (auto place = std::ssize(names_) - 1; place >= 0; --place) {
      if (names_[static_cast<std::size_t>(place)].filename() == name) return place;
    }
    return -1;
  }

 private:
  std::mutex mutex_;
  std::vector<Path> names_;
};

SyncLog& sync_log() {
  static SyncLog log;
  return log;
}

}  // namespace
}  // namespace duets::storage::sqlite

// Replaces the C library's functions: the shared SQLite calls these too.
extern "C" int fsync(int fd) {
  duets::storage::sqlite::sync_log().note(fd);
  return static_cast<int>(syscall(SYS_fsync, fd));
}
extern "C" int fdatasync(int fd) {
  duets::storage::sqlite::sync_log().note(fd);
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace duets::storage::sqlite {
namespace {

class DurabilityTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
  std::string directory_name_ = file_.parent_path().filename();
};

// A new store is on disk before it gets its name, and the name after that.
TEST_F(DurabilityTest, ANewStoreIsSyncedBeforeItIsNamed) {
  sync_log().clear();
  const auto store = open_store(file_, Access::kWrite);
  const std::ptrdiff_t contents = sync_log().place("duets.db-new");
  const std::ptrdiff_t name = sync_log().place(directory_name_);
  EXPECT_GE(contents, 0);
  EXPECT_GT(name, contents);
}

TEST_F(DurabilityTest, EveryWriteIsSyncedWhenItReturns) {
  const auto store = open_store(file_, Access::kWrite);
  const auto expect_synced = [](const char* what, const std::function<void()>& write) {
    sync_log().clear();
    write();
    EXPECT_GE(sync_log().place("duets.db-wal"), 0) << what;
  };
  expect_synced("create", [&] { store->create("a", {}); });
  expect_synced("append", [&] { store->append("a", Entries{bytes_of("1")}); });
  expect_synced("append again", [&] { store->append("a", Entries{bytes_of("2")}); });
  expect_synced("set_fact", [&] { store->set_fact("a", "k", bytes_of("v")); });
  expect_synced("remove", [&] { store->remove("a"); });
}

TEST_F(DurabilityTest, WhatIsAppendedSoonIsSyncedByTheNextAppend) {
  const auto store = open_store(file_, Access::kWrite);
  store->create("a", {});
  const std::string noted = read_file(file_.string() + "-lock");
  sync_log().clear();
  store->append_soon("a", Entries{bytes_of("1")});
  EXPECT_EQ(sync_log().place("duets.db-wal"), -1);
  // Otherwise a power failure would look like a lost file.
  EXPECT_EQ(read_file(file_.string() + "-lock"), noted);
  store->append("a", Entries{bytes_of("2")});
  EXPECT_GE(sync_log().place("duets.db-wal"), 0);
  EXPECT_NE(read_file(file_.string() + "-lock"), noted);
}

// 2 is FULL. These are the settings that the tests above rely on.
TEST_F(DurabilityTest, AWriterIsOpenedWithFullSyncAndAWal) {
  for (int opening = 0; opening < 2; ++opening) {  // a new store, and an existing one
    const Opened opened = open_database(file_, Access::kWrite);
    EXPECT_EQ(opened.connection->number("PRAGMA synchronous"), 2);
    EXPECT_EQ(opened.connection->text("PRAGMA journal_mode"), "wal");
  }
}

TEST_F(DurabilityTest, ASecretIsSyncedWithItsName) {
  sync_log().clear();
  write_secret_file(directory_ / "secret", "s");
  EXPECT_EQ(sync_log().place(directory_name_), 1);  // after the file under its first name
}

}  // namespace
}  // namespace duets::storage::sqlite
