// What every store promises, one property a test.
#include "duets/storage/store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "duets/storage/store_test_support.h"
#include "duets/storage/writer_lock.h"

namespace duets::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
  const std::vector<base::Bytes> three_ = {bytes_of("one"), {}, bytes_of("three")};
};

unsigned mode_of(const Path& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST_F(StoreTest, StartsWithoutJournals) {
  const Store store(file_, Access::kWrite);
  EXPECT_THAT(store.names(), IsEmpty());
  EXPECT_FALSE(store.contains("a"));
}

TEST_F(StoreTest, NamesIncrease) {
  Store store(file_, Access::kWrite);
  for (const char* name : {"b", "c", "a", "B"}) store.create(name, {});
  EXPECT_THAT(store.names(), ElementsAre("B", "a", "b", "c"));
  EXPECT_TRUE(store.contains("c"));
  EXPECT_FALSE(store.contains("d"));
}

TEST_F(StoreTest, EntriesComeBackInOrderByteForByte) {
  Store store(file_, Access::kWrite);
  store.create("a", {});
  base::Bytes all(70'000);
  std::iota(all.begin(), all.end(), std::uint8_t{0});
  store.append("a", three_);
  store.append("a", Entries{all});
  EXPECT_EQ(store.size("a"), 4);
  EXPECT_THAT(store.entries("a"), ElementsAre(three_[0], three_[1], three_[2], all));
}

TEST_F(StoreTest, APartOfTheEntriesCanBeRead) {
  Store store(file_, Access::kWrite);
  store.create("a", {});
  store.append("a", three_);
  EXPECT_THAT(store.entries("a", 1), ElementsAre(three_[1], three_[2]));
  EXPECT_THAT(store.entries("a", 1, 1), ElementsAre(three_[1]));
  EXPECT_THAT(store.entries("a", 0, 0), IsEmpty());
  EXPECT_THAT(store.entries("a", 3), IsEmpty());
  EXPECT_THAT(store.entries("a", UINT64_MAX), IsEmpty());
  EXPECT_THAT(store.entries("a", 2, UINT64_MAX), ElementsAre(three_[2]));
}

TEST_F(StoreTest, JournalsDoNotMix) {
  Store store(file_, Access::kWrite);
  store.create("a", std::vector<Store::Fact>{{"k", bytes_of("of a")}});
  store.create("b", std::vector<Store::Fact>{{"k", bytes_of("of b")}});
  store.append("a", Entries{bytes_of("1")});
  store.append("b", Entries{bytes_of("2")});
  store.append("a", Entries{bytes_of("3")});
  EXPECT_THAT(store.entries("a"), ElementsAre(bytes_of("1"), bytes_of("3")));
  EXPECT_THAT(store.entries("b"), ElementsAre(bytes_of("2")));
  EXPECT_EQ(store.fact("b", "k"), bytes_of("of b"));
  store.remove("a");
  EXPECT_THAT(store.names(), ElementsAre("b"));
  EXPECT_THAT(store.entries("b"), ElementsAre(bytes_of("2")));
  EXPECT_EQ(store.fact("b", "k"), bytes_of("of b"));
}

TEST_F(StoreTest, ARemovedJournalLeavesNothingToANewOneOfItsName) {
  Store store(file_, Access::kWrite);
  store.create("a", std::vector<Store::Fact>{{"k", bytes_of("v")}});
  store.append("a", three_);
  store.remove("a");
  EXPECT_FALSE(store.contains("a"));
  store.create("a", {});
  EXPECT_EQ(store.size("a"), 0);
  EXPECT_EQ(store.fact("a", "k"), std::nullopt);
}

TEST_F(StoreTest, AFactIsWhatWasSetLast) {
  Store store(file_, Access::kWrite);
  store.create("a", std::vector<Store::Fact>{{"k", bytes_of("1")}, {"empty", {}}});
  EXPECT_EQ(store.fact("a", "k"), bytes_of("1"));
  EXPECT_EQ(store.fact("a", "empty"), base::Bytes());
  EXPECT_EQ(store.fact("a", "other"), std::nullopt);
  store.set_fact("a", "k", bytes_of("2"));
  store.append("a", three_, std::vector<Store::Fact>{{"other", bytes_of("3")}});
  EXPECT_EQ(store.fact("a", "k"), bytes_of("2"));
  EXPECT_EQ(store.fact("a", "other"), bytes_of("3"));
}

TEST_F(StoreTest, NamesAndKeysMayHoldAnyCharacters) {
  const std::string odd("'; DROP TABLE journals; -- \0 \xc3\xa4", 30);
  Store store(file_, Access::kWrite);
  store.create(odd, std::vector<Store::Fact>{{odd, bytes_of("v")}});
  store.append(odd, three_);
  EXPECT_THAT(store.names(), ElementsAre(odd));
  EXPECT_EQ(store.fact(odd, odd), bytes_of("v"));
  EXPECT_EQ(store.size(odd), 3);
}

TEST_F(StoreTest, EverythingIsThereAfterOpeningAgain) {
  const std::vector<std::string> keys = {"k", "l", "none"};
  std::vector<Content> before;
  {
    Store store(file_, Access::kWrite);
    store.create("a", std::vector<Store::Fact>{{"k", bytes_of("1")}, {"l", {}}});
    store.create("b", {});
    store.append("a", three_);
    store.set_fact("b", "k", bytes_of("2"));
    before = content_of(store, keys);
  }
  EXPECT_EQ(content_of(Store(file_, Access::kRead), keys), before);
  EXPECT_EQ(content_of(Store(file_, Access::kWrite), keys), before);
}

TEST_F(StoreTest, ATakenOrUnknownNameIsRefusedAndChangesNothing) {
  Store store(file_, Access::kWrite);
  store.create("a", {});
  const std::vector<std::function<void()>> actions = {
      [&] {
        store.create("a", std::vector<Store::Fact>{{"k", bytes_of("v")}});
      },
      [&] { store.append("b", three_); },
      [&] { store.remove("b"); },
      [&] { store.set_fact("b", "k", {}); },
      [&] { store.size("b"); },
      [&] { store.entries("b"); },
      [&] { store.fact("b", "k"); },
  };
  for (const auto& action : actions) EXPECT_EQ(kind_of(action), base::ErrorKind::kInvalid);
  EXPECT_THAT(store.names(), ElementsAre("a"));
  EXPECT_EQ(store.fact("a", "k"), std::nullopt);
}

TEST_F(StoreTest, ASecondWriterIsRefusedWithFileAndProcess) {
  const Store store(file_, Access::kWrite);
  const auto failure = failure_of_opening(file_, Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
  EXPECT_THAT(failure->text, HasSubstr(file_.string()));
  EXPECT_THAT(failure->text, HasSubstr(std::to_string(getpid())));
}

TEST_F(StoreTest, ASecondWriterIsRefusedUnderAnotherNameOfTheFileToo) {
  const Store store(file_, Access::kWrite);
  std::filesystem::create_symlink(file_, directory_ / "link.db");
  const auto failure = failure_of_opening(directory_ / "link.db", Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
}

TEST_F(StoreTest, TheNextWriterFollowsTheFirst) {
  { const Store store(file_, Access::kWrite); }
  EXPECT_FALSE(failure_of_opening(file_, Access::kWrite));
}

TEST_F(StoreTest, AReaderSeesWhatALiveWriterAppended) {
  Store writer(file_, Access::kWrite);
  writer.create("a", {});
  const Store reader(file_, Access::kRead);
  EXPECT_EQ(reader.size("a"), 0);
  writer.append("a", three_);
  EXPECT_EQ(reader.entries("a"), three_);
  EXPECT_EQ(Store(file_, Access::kRead).entries("a"), three_);
}

TEST_F(StoreTest, ReadersOpenAndCloseBesideABusyWriter) {
  Store writer(file_, Access::kWrite);
  writer.create("a", {});
  std::thread appending([&] {
    for (int i = 0; i < 500; ++i) writer.append("a", three_);
  });
  std::uint64_t before = 0;
  while (before < 1500) {
    const Store reader(file_, Access::kRead);
    const std::uint64_t now = reader.entries("a").size();
    EXPECT_GE(now, before);
    EXPECT_EQ(now % 3, 0) << "half an append is visible";
    before = now;
  }
  appending.join();
}

TEST_F(StoreTest, AReaderCannotWriteAndMakesNoFile) {
  EXPECT_EQ(kind_of([&] { const Store store(file_, Access::kRead); }), base::ErrorKind::kInvalid);
  EXPECT_FALSE(std::filesystem::exists(file_));
  { Store(file_, Access::kWrite).create("a", {}); }
  Store reader(file_, Access::kRead);
  EXPECT_EQ(kind_of([&] { reader.append("a", three_); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind_of([&] { reader.create("b", {}); }), base::ErrorKind::kInvalid);
}

TEST_F(StoreTest, OnlyTheOwnerMayReadWhatIsMade) {
  const Path file = directory_ / "new" / "deeper" / "duets.db";
  Store store(file, Access::kWrite);
  store.create("a", {});
  EXPECT_EQ(mode_of(directory_ / "new"), 0700);
  EXPECT_EQ(mode_of(file.parent_path()), 0700);
  for (const char* ending : {"", "-wal", "-shm", "-lock"}) {
    EXPECT_EQ(mode_of(file.string() + ending), 0600) << ending;
  }
}

TEST_F(StoreTest, ItCanBeToldWhetherThereIsAWriter) {
  EXPECT_FALSE(has_writer(file_)) << "there is not even a file";
  {
    const Store store(file_, Access::kWrite);
    EXPECT_TRUE(has_writer(file_));
  }
  EXPECT_FALSE(has_writer(file_));
  const Store reader(file_, Access::kRead);
  EXPECT_FALSE(has_writer(file_)) << "who reads keeps nobody out";
}

// A look takes the lock for microseconds: a writer that begins just then is not refused.
TEST_F(StoreTest, LookingForAWriterKeepsNoneOut) {
  { const Store made(file_, Access::kWrite); }
  std::atomic<bool> done = false;
  std::thread looks([&] {
    while (!done) {
      has_writer(file_);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_NO_THROW(Store(file_, Access::kWrite)) << i;
  done = true;
  looks.join();
}

TEST_F(StoreTest, ThreadsMayShareAStore) {
  Store store(file_, Access::kWrite);
  store.create("a", {});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) store.append("a", three_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.entries("a").size(), 600);
}

}  // namespace
}  // namespace duets::storage
