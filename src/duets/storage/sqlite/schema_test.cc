// Tests versions of the format: old ones are migrated, newer ones are not changed.
#include "duets/storage/sqlite/schema.h"

#include <gmock/gmock.h>

#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

class SchemaTest : public testing::Test {
 protected:
  SchemaTest() {
    const auto store = open_store(file_, Access::kWrite);
    store->create("a", {});
    store->append("a", entries_);
    steps_.assign(schema_steps().begin(), schema_steps().end());
    newest_ = static_cast<int>(steps_.size());
  }

  void migrate_with(const char* step) {
    steps_.push_back(step);
    Connection connection(file_, Connection::Mode::kReadWrite);
    Transaction transaction(connection, Transaction::Kind::kWrite);
    migrate(connection, steps_);
    transaction.commit();
  }
  int version_by(Steps steps) {
    Connection connection(file_, Connection::Mode::kReadOnly);
    return schema_version(connection, steps);
  }

  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
  const std::vector<base::Bytes> entries_ = {bytes_of("1"), bytes_of("2")};
  std::vector<const char*> steps_;
  int newest_ = 0;
};

TEST_F(SchemaTest, ANewStoreHasTheNewestVersion) { EXPECT_EQ(version_by(schema_steps()), newest_); }

TEST_F(SchemaTest, AnOlderStoreGetsTheStepsItLacks) {
  migrate_with("ALTER TABLE journals ADD COLUMN note TEXT NOT NULL DEFAULT ''");
  EXPECT_EQ(version_by(steps_), newest_ + 1);
  Connection connection(file_, Connection::Mode::kReadOnly);
  EXPECT_EQ(connection.text("SELECT name || note FROM journals"), "a");
  EXPECT_EQ(connection.number("SELECT count(*) FROM entries"), 2);
}

TEST_F(SchemaTest, AnUpToDateStoreIsNotChanged) {
  Connection connection(file_, Connection::Mode::kReadWrite);
  Transaction transaction(connection, Transaction::Kind::kWrite);
  migrate(connection, schema_steps());
  EXPECT_EQ(schema_version(connection, schema_steps()), newest_);
  EXPECT_EQ(connection.number("SELECT count(*) FROM entries"), 2);
}

TEST_F(SchemaTest, AStepThatFailsLeavesTheOldVersion) {
  EXPECT_ANY_THROW(
      migrate_with("CREATE TABLE more (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1)"));
  EXPECT_EQ(version_by(schema_steps()), newest_);
  EXPECT_EQ(open_store(file_, Access::kWrite)->entries("a"), entries_);
}

TEST_F(SchemaTest, ANewerStoreIsRefusedAndNotChanged) {
  migrate_with("CREATE TABLE more (x INTEGER) STRICT");
  const std::string before = read_file(file_);
  for (const Access access : {Access::kRead, Access::kWrite}) {
    const auto failure = failure_of_opening(file_, access);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kVersion);
    EXPECT_THAT(failure->text, testing::HasSubstr("version " + std::to_string(newest_ + 1)));
  }
  EXPECT_EQ(read_file(file_), before);
}

TEST_F(SchemaTest, TablesMustBeThoseOfTheVersion) {
  steps_.back() = "CREATE TABLE others (x INTEGER) STRICT";
  const auto failure = failure_of([&] { version_by(steps_); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kDamaged);
}

}  // namespace
}  // namespace duets::storage::sqlite
