// Tests stores whose files were changed by something else: detected, named, and not changed.
#include <gmock/gmock.h>

#include <fstream>

#include "duets/storage/sqlite/connection.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

using testing::HasSubstr;

constexpr std::size_t kPage = 4096;

class DamageTest : public testing::Test {
 protected:
  DamageTest() {
    const auto store = open_store(file_, Access::kWrite);
    store->create("study", std::vector<Store::Fact>{{"definition", base::Bytes(300, 'd')}});
    for (int i = 0; i < 40; ++i) {
      const std::string text = "entry " + std::to_string(i) + std::string(400, '.');
      store->append("study", Entries{bytes_of(text)});
    }
    store->create("other", {});
    store->append("other", Entries{base::Bytes(3 * kPage, 'x')});
    content_ = content_of(*store, keys_);
  }

  // Opening fails with kDamaged, for reading and writing, and changes no byte.
  std::string expect_damaged(const std::string& what) {
    std::string text;
    for (const Access access : {Access::kRead, Access::kWrite}) {
      const std::string before = read_file(file_);
      const std::string wal_before = read_file(wal_);
      const auto failure = failure_of_opening(file_, access);
      EXPECT_TRUE(failure) << what;
      if (!failure) return {};
      EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged) << what << ": " << failure->text;
      EXPECT_THAT(failure->text, HasSubstr(file_.string())) << what;
      EXPECT_EQ(read_file(file_), before) << what;
      EXPECT_EQ(read_file(wal_), wal_before) << what;
      text = failure->text;
    }
    return text;
  }

  // Changes rows in ways that our programs never do, leaving a valid database.
  void change_rows(const std::string& sql) {
    Connection(file_, Connection::Mode::kReadWrite).execute(sql);
  }

  // The files as a killed writer leaves them: the last entries are only in the -wal.
  void leave_wal() {
    const TemporaryDirectory copies;
    {
      const auto store = open_store(file_, Access::kWrite);
      store->append("study", Entries{bytes_of("last but one")});
      store->append("study", Entries{bytes_of("last")});
      content_ = content_of(*store, keys_);
      for (const Path& path : {file_, wal_, lock_}) {
        std::filesystem::copy(path, copies / path.filename().c_str());
      }
    }
    for (const Path& path : {file_, wal_, lock_}) {
      std::filesystem::remove(path);
      std::filesystem::copy(copies / path.filename().c_str(), path);
    }
  }

  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
  Path wal_ = directory_ / "duets.db-wal";
  Path lock_ = directory_ / "duets.db-lock";
  std::vector<std::string> keys_ = {"definition"};
  std::vector<Content> content_;
};

// Found by fuzzing: SQLite calls this schema "out of memory".
TEST_F(DamageTest, ASchemaThatExhaustsSqliteIsDamaged) {
  const std::string bytes =
      read_file(DUETS_SOURCE_DIR "/tests/fuzz/corpus/fuzz_store/runs-out-of-memory");
  ASSERT_FALSE(bytes.empty());
  std::filesystem::remove(wal_);
  std::ofstream(file_, std::ios::binary) << bytes;
  EXPECT_THAT(expect_damaged("an exhausting schema"), HasSubstr("restore a copy"));
}

TEST_F(DamageTest, ACutFileIsDetected) {
  const std::string whole = read_file(file_);
  ASSERT_GT(whole.size(), 8 * kPage);
  for (std::size_t size = kPage; size < whole.size(); size += kPage) {
    write_file(file_, whole.substr(0, size));
    expect_damaged("cut to " + std::to_string(size));
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{99}, kPage - 1, kPage + 1}) {
    write_file(file_, whole.substr(0, size));
    expect_damaged("cut to " + std::to_string(size));
  }
}

// The end of the last page may be unused.
TEST_F(DamageTest, ACutByteIsDetectedOrChangesNothing) {
  const std::string whole = read_file(file_);
  write_file(file_, whole.substr(0, whole.size() - 1));
  failure_of([&] { EXPECT_EQ(content_of(*open_store(file_, Access::kRead), keys_), content_); });
}

TEST_F(DamageTest, AnEmptyFileIsNotTakenForANewStore) {
  write_file(file_, "");
  EXPECT_THAT(expect_damaged("empty"), HasSubstr("43 commits were made"));
  std::filesystem::remove(lock_);
  expect_damaged("empty, without a note");
}

// A removed file must not be replaced by an empty store.
TEST_F(DamageTest, AMissingFileIsNotRecreatedUntilItsNoteIsGone) {
  std::filesystem::remove(file_);
  for (int i = 0; i < 2; ++i) {
    const auto failure = failure_of_opening(file_, Access::kWrite);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged);
    EXPECT_THAT(failure->text, HasSubstr(file_.string() + ": is missing although 43 commits"));
    EXPECT_THAT(failure->text, HasSubstr("remove " + lock_.string()));
    EXPECT_FALSE(std::filesystem::exists(file_));
  }
  std::filesystem::remove(lock_);
  EXPECT_TRUE(open_store(file_, Access::kWrite)->names().empty());
}

// A crash right after the file was created: nothing was promised yet.
TEST_F(DamageTest, AStoreWithoutCommitsMayBeRecreated) {
  const Path other = directory_ / "other.db";
  { const auto store = open_store(other, Access::kWrite); }
  std::filesystem::remove(other);
  EXPECT_FALSE(failure_of_opening(other, Access::kWrite));
}

TEST_F(DamageTest, AnotherKindOfFileIsDetected) {
  write_file(file_, "[study]\nname = \"not a store\"\n");
  expect_damaged("short text");
  write_file(file_, std::string(10 * kPage, 'a'));
  expect_damaged("long text");
}

TEST_F(DamageTest, ADatabaseOfAnotherProgramIsDetected) {
  std::filesystem::remove(file_);
  write_file(file_, "");
  Connection(file_, Connection::Mode::kReadWrite)
      .execute("CREATE TABLE t (x); PRAGMA user_version = 1");
  expect_damaged("another database");
}

TEST_F(DamageTest, AnOverwrittenPageIsDetected) {
  const std::string whole = read_file(file_);
  for (std::size_t page = 0; page < whole.size() / kPage; ++page) {
    for (const char filling : {'\0', '\xa7'}) {
      std::string changed = whole;
      changed.replace(page * kPage, kPage, kPage, filling);
      write_file(file_, changed);
      expect_damaged("page " + std::to_string(page));
    }
  }
}

TEST_F(DamageTest, AFlippedByteInAnEntryNamesJournalAndEntry) {
  std::string changed = read_file(file_);
  const std::size_t position = changed.find("entry 17.");
  ASSERT_NE(position, std::string::npos);
  changed[position + 100] ^= 1;
  write_file(file_, changed);
  const std::string text = expect_damaged("flipped in entry 17");
  EXPECT_THAT(text, HasSubstr("journal 'study'"));
  EXPECT_THAT(text, HasSubstr("entry 17"));
}

TEST_F(DamageTest, AFlippedByteInAFactNamesJournalAndFact) {
  std::string changed = read_file(file_);
  const std::size_t position = changed.find("ddddddddd");
  ASSERT_NE(position, std::string::npos);
  changed[position + 100] ^= 1;
  write_file(file_, changed);
  const std::string text = expect_damaged("flipped in a fact");
  EXPECT_THAT(text, HasSubstr("journal 'study'"));
  EXPECT_THAT(text, HasSubstr("fact 'definition'"));
}

// Wherever a bit flips, either opening fails or the contents are those that were written.
TEST_F(DamageTest, NoFlippedBitChangesWhatIsRead) {
  const std::string whole = read_file(file_);
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += (i < 100 ? 1 : 97)) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    write_file(file_, changed);
    const auto failure = failure_of([&] {
      EXPECT_EQ(content_of(*open_store(file_, Access::kRead), keys_), content_) << "byte " << i;
    });
    if (failure) ++refused;
    EXPECT_EQ(read_file(file_), changed) << "byte " << i;
  }
  EXPECT_GT(refused, 100);
}

TEST_F(DamageTest, MissingAndForeignRowsAreDetected) {
  const std::string whole = read_file(file_);
  const std::vector<std::string> changes = {
      "DELETE FROM entries WHERE sequence = 39",
      "DELETE FROM entries WHERE sequence = 0",
      "DELETE FROM entries",
      "DELETE FROM facts",
      "DELETE FROM journals WHERE name = 'study'",
      "UPDATE journals SET name = 'renamed' WHERE name = 'other'",
      "UPDATE journals SET entries = entries - 1 WHERE name = 'study'",
      "UPDATE journals SET head = zeroblob(16) WHERE name = 'study'",
      "UPDATE journals SET facts = 0",
      "INSERT INTO facts VALUES (1, 'state', zeroblob(16), zeroblob(1))",
      "INSERT INTO entries VALUES (99, 0, zeroblob(16), zeroblob(1))",
      "UPDATE store SET commits = commits - 1",
      "CREATE INDEX more ON entries (bytes)",
      "DROP TABLE facts",
      "PRAGMA user_version = 0",
  };
  for (const std::string& change : changes) {
    write_file(file_, whole);
    change_rows(change);
    expect_damaged(change);
  }
}

TEST_F(DamageTest, AMissingLastEntryIsNamed) {
  change_rows("DELETE FROM entries WHERE sequence = 39");
  const std::string text = expect_damaged("the last entry is missing");
  EXPECT_THAT(text, HasSubstr("journal 'study'"));
  EXPECT_THAT(text, HasSubstr("entry 39"));
}

TEST_F(DamageTest, EveryReadIsCheckedAgain) {
  const auto store = open_store(file_, Access::kRead);
  change_rows(
      "UPDATE entries SET bytes = zeroblob(5) WHERE sequence = 7; UPDATE facts SET value = "
      "zeroblob(1)");
  const std::vector<std::function<void()>> readings = {
      [&] { store->entries("study"); },
      [&] { store->entries("study", 7, 1); },
      [&] { store->fact("study", "definition"); },
  };
  for (const auto& reading : readings) {
    const auto failure = failure_of(reading);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged);
  }
  EXPECT_EQ(store->entries("study", 8).size(), 32);
}

TEST_F(DamageTest, MissingEntriesAreDetectedInAPartialReadToo) {
  const auto store = open_store(file_, Access::kRead);
  change_rows("DELETE FROM entries WHERE sequence >= 30");
  EXPECT_EQ(store->entries("study", 5, 20).size(), 20);
  const auto failure = failure_of([&] { store->entries("study", 5, 30); });
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->text, HasSubstr("entry 30"));
}

TEST_F(DamageTest, APageOfTheFreeListIsCheckedBeforeItIsUsed) {
  { open_store(file_, Access::kWrite)->remove("other"); }
  std::string changed = read_file(file_);
  const auto page = static_cast<std::size_t>(static_cast<unsigned char>(changed[35]));
  ASSERT_GT(page, 0) << "the free list is empty";
  changed.replace((page - 1) * kPage, 8, 8, '\xff');
  write_file(file_, changed);
  expect_damaged("free list");
}

TEST_F(DamageTest, TheWalOfAKilledWriterIsRead) {
  leave_wal();
  const std::string wal = read_file(wal_);
  EXPECT_EQ(content_of(*open_store(file_, Access::kRead), keys_), content_);
  EXPECT_EQ(read_file(wal_), wal) << "a reader changed it";
  EXPECT_EQ(content_of(*open_store(file_, Access::kWrite), keys_), content_);
}

TEST_F(DamageTest, ACutOrChangedWalIsDetected) {
  leave_wal();
  const std::string wal = read_file(wal_);
  ASSERT_GT(wal.size(), 2 * kPage);
  for (const std::size_t size : {wal.size() - 1, wal.size() / 2, std::size_t{10}, std::size_t{0}}) {
    write_file(wal_, wal.substr(0, size));
    EXPECT_THAT(expect_damaged("wal cut to " + std::to_string(size)), HasSubstr("commits"));
  }
  for (const std::size_t position :
       {std::size_t{5}, std::size_t{20}, std::size_t{100}, wal.size() / 2}) {
    std::string changed = wal;
    changed[position] ^= 16;
    write_file(wal_, changed);
    EXPECT_THAT(expect_damaged("wal changed at " + std::to_string(position)), HasSubstr("commits"));
  }
  std::filesystem::remove(wal_);
  EXPECT_THAT(expect_damaged("no wal"), HasSubstr("commits"));
}

TEST_F(DamageTest, WithoutTheNoteACutWalIsAnEarlierState) {
  leave_wal();
  std::filesystem::remove(lock_);
  const std::string wal = read_file(wal_);
  write_file(wal_, wal.substr(0, wal.size() - 1));
  std::vector<Content> earlier = content_;
  earlier[1].entries.pop_back();
  EXPECT_EQ(content_of(*open_store(file_, Access::kWrite), keys_), earlier);
}

TEST_F(DamageTest, AnUnreadableNoteIsIgnored) {
  leave_wal();
  for (const std::string note : {"", "\0\0\0\0\0\0", "pid", "pid x commits y\n"}) {
    write_file(lock_, note);
    EXPECT_EQ(content_of(*open_store(file_, Access::kRead), keys_), content_);
  }
}

TEST_F(DamageTest, AWalWithoutItsFileIsNotDiscarded) {
  leave_wal();
  std::filesystem::remove(file_);
  const std::string wal = read_file(wal_);
  const auto failure = failure_of_opening(file_, Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged);
  EXPECT_EQ(read_file(wal_), wal);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(DamageTest, ADirectoryIsNotAStore) {
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  const auto failure = failure_of_opening(file_, Access::kWrite);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged);
}

}  // namespace
}  // namespace duets::storage::sqlite
