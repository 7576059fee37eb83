// Tests the contract of every engine, one property per test.
#include "duets/storage/store.h"

#include <gmock/gmock.h>

#include <numeric>
#include <thread>

#include "duets/storage/memory_store_test_support.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Engine {
  std::string name;
  std::function<std::unique_ptr<Store>(const Path&, Access)> open;
  std::function<bool(const Path&)> has_writer;
};

Engine memory_engine() {
  const auto disk = std::make_shared<MemoryDisk>();
  return {"Memory", [disk](const Path& file, Access access) { return disk->open(file, access); },
          [disk](const Path& file) { return disk->has_writer(file); }};
}

class StoreTest : public testing::TestWithParam<Engine> {
 protected:
  static std::unique_ptr<Store> open(const Path& file, Access access) {
    return GetParam().open(file, access);
  }

  TemporaryDirectory directory_;
  Path file_ = directory_ / "duets.db";
  const std::vector<base::Bytes> three_ = {bytes_of("one"), {}, bytes_of("three")};
};

INSTANTIATE_TEST_SUITE_P(Engines, StoreTest,
                         testing::Values(Engine{"Sqlite", open_store, has_writer}, memory_engine()),
                         [](const auto& engine) { return engine.param.name; });

TEST_P(StoreTest, StartsWithoutJournals) {
  const auto store = open(file_, Access::kWrite);
  EXPECT_THAT(store->names(), IsEmpty());
  EXPECT_FALSE(store->contains("a"));
}

TEST_P(StoreTest, NamesAreSorted) {
  const auto store = open(file_, Access::kWrite);
  for (const char* name : {"b", "c", "a", "B"}) store->create(name, {});
  EXPECT_THAT(store->names(), ElementsAre("B", "a", "b", "c"));
  EXPECT_TRUE(store->contains("c"));
  EXPECT_FALSE(store->contains("d"));
}

TEST_P(StoreTest, EntriesRoundTripInOrder) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", {});
  base::Bytes all(70'000);
  std::iota(all.begin(), all.end(), std::uint8_t{0});
  store->append("a", three_);
  store->append("a", Entries{all});
  EXPECT_EQ(store->size("a"), 4);
  EXPECT_THAT(store->entries("a"), ElementsAre(three_[0], three_[1], three_[2], all));
}

TEST_P(StoreTest, WhatIsAppendedSoonIsThereForEveryoneAndInOrder) {
  auto store = open(file_, Access::kWrite);
  store->create("a", {});
  store->append_soon("a", Entries{bytes_of("1")});
  store->append("a", Entries{bytes_of("2")});
  store->append_soon("a", Entries{bytes_of("3"), bytes_of("4")});
  const auto all = ElementsAre(bytes_of("1"), bytes_of("2"), bytes_of("3"), bytes_of("4"));
  EXPECT_THAT(store->entries("a"), all);
  EXPECT_THAT(open(file_, Access::kRead)->entries("a"), all);
  store.reset();
  EXPECT_THAT(open(file_, Access::kWrite)->entries("a"), all);
}

TEST_P(StoreTest, APartOfTheEntriesCanBeRead) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", {});
  store->append("a", three_);
  EXPECT_THAT(store->entries("a", 1), ElementsAre(three_[1], three_[2]));
  EXPECT_THAT(store->entries("a", 1, 1), ElementsAre(three_[1]));
  EXPECT_THAT(store->entries("a", 0, 0), IsEmpty());
  EXPECT_THAT(store->entries("a", 3), IsEmpty());
  EXPECT_THAT(store->entries("a", UINT64_MAX), IsEmpty());
  EXPECT_THAT(store->entries("a", 2, UINT64_MAX), ElementsAre(three_[2]));
}

TEST_P(StoreTest, JournalsDoNotMix) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", std::vector<Store::Fact>{{"k", bytes_of("of a")}});
  store->create("b", std::vector<Store::Fact>{{"k", bytes_of("of b")}});
  store->append("a", Entries{bytes_of("1")});
  store->append("b", Entries{bytes_of("2")});
  store->append("a", Entries{bytes_of("3")});
  EXPECT_THAT(store->entries("a"), ElementsAre(bytes_of("1"), bytes_of("3")));
  EXPECT_THAT(store->entries("b"), ElementsAre(bytes_of("2")));
  EXPECT_EQ(store->fact("b", "k"), bytes_of("of b"));
  store->remove("a");
  EXPECT_THAT(store->names(), ElementsAre("b"));
  EXPECT_THAT(store->entries("b"), ElementsAre(bytes_of("2")));
  EXPECT_EQ(store->fact("b", "k"), bytes_of("of b"));
}

TEST_P(StoreTest, ARemovedJournalLeavesNothingForANewOneOfItsName) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", std::vector<Store::Fact>{{"k", bytes_of("v")}});
  store->append("a", three_);
  store->remove("a");
  EXPECT_FALSE(store->contains("a"));
  store->create("a", {});
  EXPECT_EQ(store->size("a"), 0);
  EXPECT_EQ(store->fact("a", "k"), std::nullopt);
}

TEST_P(StoreTest, AFactIsTheLastValueSet) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", std::vector<Store::Fact>{{"k", bytes_of("1")}, {"empty", {}}});
  EXPECT_EQ(store->fact("a", "k"), bytes_of("1"));
  EXPECT_EQ(store->fact("a", "empty"), base::Bytes());
  EXPECT_EQ(store->fact("a", "other"), std::nullopt);
  store->set_fact("a", "k", bytes_of("2"));
  store->append("a", three_, std::vector<Store::Fact>{{"other", bytes_of("3")}});
  EXPECT_EQ(store->fact("a", "k"), bytes_of("2"));
  EXPECT_EQ(store->fact("a", "other"), bytes_of("3"));
}

TEST_P(StoreTest, NamesAndKeysMayHaveAnyCharacters) {
  const std::string odd("'; DROP TABLE journals; -- \0 \xc3\xa4", 30);
  const auto store = open(file_, Access::kWrite);
  store->create(odd, std::vector<Store::Fact>{{odd, bytes_of("v")}});
  store->append(odd, three_);
  EXPECT_THAT(store->names(), ElementsAre(odd));
  EXPECT_EQ(store->fact(odd, odd), bytes_of("v"));
  EXPECT_EQ(store->size(odd), 3);
}

TEST_P(StoreTest, EverythingIsThereAfterReopening) {
  const std::vector<std::string> keys = {"k", "l", "none"};
  std::vector<Content> before;
  {
    const auto store = open(file_, Access::kWrite);
    store->create("a", std::vector<Store::Fact>{{"k", bytes_of("1")}, {"l", {}}});
    store->create("b", {});
    store->append("a", three_);
    store->set_fact("b", "k", bytes_of("2"));
    before = content_of(*store, keys);
  }
  EXPECT_EQ(content_of(*open(file_, Access::kRead), keys), before);
  EXPECT_EQ(content_of(*open(file_, Access::kWrite), keys), before);
}

TEST_P(StoreTest, AnExistingOrUnknownNameIsRefusedAndChangesNothing) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", {});
  const std::vector<std::function<void()>> actions = {
      [&] {
        store->create("a", std::vector<Store::Fact>{{"k", bytes_of("v")}});
      },
      [&] { store->append("b", three_); },
      [&] { store->remove("b"); },
      [&] { store->set_fact("b", "k", {}); },
      [&] { store->size("b"); },
      [&] { store->entries("b"); },
      [&] { store->fact("b", "k"); },
  };
  for (const auto& action : actions) EXPECT_EQ(kind_of(action), base::ErrorKind::kInvalid);
  EXPECT_THAT(store->names(), ElementsAre("a"));
  EXPECT_EQ(store->fact("a", "k"), std::nullopt);
}

TEST_P(StoreTest, ASecondWriterIsRefusedWithTheFile) {
  const auto store = open(file_, Access::kWrite);
  const auto failure = failure_of([&] { open(file_, Access::kWrite); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kLocked);
  EXPECT_THAT(failure->text, HasSubstr(file_.string()));
}

TEST_P(StoreTest, ANewWriterMayFollowTheFirst) {
  { const auto store = open(file_, Access::kWrite); }
  EXPECT_NO_THROW(open(file_, Access::kWrite));
}

TEST_P(StoreTest, AReaderSeesWhatALiveWriterAppended) {
  const auto writer = open(file_, Access::kWrite);
  writer->create("a", {});
  const auto reader = open(file_, Access::kRead);
  EXPECT_EQ(reader->size("a"), 0);
  writer->append("a", three_);
  EXPECT_EQ(reader->entries("a"), three_);
  EXPECT_EQ(open(file_, Access::kRead)->entries("a"), three_);
}

TEST_P(StoreTest, ReadersOpenAndCloseDuringWrites) {
  const auto writer = open(file_, Access::kWrite);
  writer->create("a", {});
  std::thread appending([&] {
    for (int i = 0; i < 500; ++i) writer->append("a", three_);
  });
  std::uint64_t before = 0;
  while (before < 1500) {
    const auto reader = open(file_, Access::kRead);
    const std::uint64_t now = reader->entries("a").size();
    EXPECT_GE(now, before);
    EXPECT_EQ(now % 3, 0) << "half an append is visible";
    before = now;
  }
  appending.join();
}

TEST_P(StoreTest, AReaderCannotWriteAndCreatesNoStore) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(kind_of([&] { open(file_, Access::kRead); }), base::ErrorKind::kInvalid);
  }
  open(file_, Access::kWrite)->create("a", {});
  const auto reader = open(file_, Access::kRead);
  EXPECT_EQ(kind_of([&] { reader->append("a", three_); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind_of([&] { reader->create("b", {}); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind_of([&] { reader->set_fact("a", "k", {}); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind_of([&] { reader->remove("a"); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(reader->size("a"), 0);
}

TEST_P(StoreTest, DetectsWhetherThereIsAWriter) {
  EXPECT_FALSE(GetParam().has_writer(file_)) << "there is not even a file";
  {
    const auto store = open(file_, Access::kWrite);
    EXPECT_TRUE(GetParam().has_writer(file_));
  }
  EXPECT_FALSE(GetParam().has_writer(file_));
  const auto reader = open(file_, Access::kRead);
  EXPECT_FALSE(GetParam().has_writer(file_)) << "readers exclude nobody";
}

TEST_P(StoreTest, ThreadsMayShareAStore) {
  const auto store = open(file_, Access::kWrite);
  store->create("a", {});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) store->append("a", three_);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store->entries("a").size(), 600);
}

}  // namespace
}  // namespace duets::storage
