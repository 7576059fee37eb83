#include "duets/service/agent_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "duets/service/agent_journal_instance.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using testing::ElementsAre;

TEST(AgentJournal, EntriesRoundTrip) {
  const JournalAnswer answer{2, 3, JournalTrial::Kind::kInfeasible, -1.5, 0.25, "hot", {0.5, 1}};
  const auto back = std::get<JournalAnswer>(decode_entry(encode_entry(answer)));
  EXPECT_EQ(back.epoch, 2U);
  EXPECT_EQ(back.slot, 3U);
  EXPECT_EQ(back.kind, JournalTrial::Kind::kInfeasible);
  EXPECT_EQ(back.value, -1.5);
  EXPECT_EQ(back.seconds, 0.25);
  EXPECT_EQ(back.text, "hot");
  EXPECT_THAT(back.latent, ElementsAre(0.5, 1));
  protocol::Trim trim;
  trim.epoch = base::EpochId{4};
  trim.tau = 0.75;
  const auto message = std::get<protocol::Message>(decode_entry(encode_entry(trim)));
  EXPECT_EQ(protocol::encode(message), protocol::encode(trim));
}

TEST(AgentJournal, MalformedEntriesAreRefused) {
  base::Bytes bytes = encode_entry(JournalAnswer{});
  const auto kind = [](const base::Bytes& b) { return error_kind([&] { decode_entry(b); }); };
  EXPECT_EQ(kind({}), ErrorKind::kDecode);
  EXPECT_EQ(kind({9}), ErrorKind::kDecode);
  bytes.push_back(0);
  EXPECT_EQ(kind(bytes), ErrorKind::kDecode);
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(kind(bytes), ErrorKind::kDecode);
}

TEST(AgentJournal, NamesAreSafeAndUniquePerStudy) {
  EXPECT_EQ(journal_name("branin", 3), "branin-3.db");
  EXPECT_EQ(journal_name("../a b", 3), "%2E.%2Fa%20b-3.db");
  EXPECT_NE(journal_name("a%20b", 0), journal_name("a b", 0));
  const std::string name(300, '/');
  EXPECT_LT(journal_name(name, 4'000'000'000).size(), 250U);
  EXPECT_NE(journal_name(name, 0), journal_name(name + "/", 0));
}

TEST(AgentJournal, FindsTheJournalsOfAStudy) {
  const Scratch scratch;
  for (const char* name : {"a-10.db", "a-2.db", "a-b-1.db", "a-2.db-wal", "a-x.db", "a.db"}) {
    std::ofstream(scratch.path() / name).put('x');
  }
  const auto agents = [&](const std::string& study) {
    std::vector<std::uint32_t> found;
    for (const JournalFile& file : find_journals(scratch.path(), study)) {
      found.push_back(file.agent);
    }
    return found;
  };
  EXPECT_THAT(agents("a"), ElementsAre(2U, 10U));
  EXPECT_THAT(agents("a-b"), ElementsAre(1U));
  EXPECT_THAT(agents(""), ElementsAre(1U, 2U, 10U));
  EXPECT_THAT(find_journals(scratch.path() / "none", "a"), testing::IsEmpty());
}

TEST(AgentJournal, KeepsItsIdentityWhenReopened) {
  const Scratch scratch;
  const std::string instance = new_instance();
  EXPECT_NE(instance, new_instance());
  const Definition definition = test_definition();
  const base::Digest digest = protocol::study_digest(*definition.study);
  {
    AgentJournal journal = AgentJournal::open_or_make(scratch.path() / "new", "study", 2, instance);
    EXPECT_FALSE(journal.study_digest());
    journal.joined(digest, definition);
    journal.append(JournalAnswer{.epoch = 1, .slot = 1, .value = 5});
  }
  const AgentJournal journal =
      AgentJournal::open_or_make(scratch.path() / "new", "study", 2, new_instance());
  EXPECT_EQ(journal.instance(), instance);
  EXPECT_EQ(journal.study_digest(), digest);
  EXPECT_EQ(encode_definition(*journal.definition()), encode_definition(definition));
  ASSERT_EQ(journal.entries().size(), 1U);
  // Readable while another process holds it.
  EXPECT_EQ(read_agent_journal(journal.path()).trials.at(0).value, 5);
  EXPECT_EQ(read_agent_journal(journal.path()).trials.at(0).query.t, 1U);
}

TEST(AgentJournal, AnUninitialisedStoreIsNotAJournal) {
  const Scratch scratch;
  const JournalFile file{scratch.path() / "study-0.db", "study", 0};
  storage::open_store(file.path, storage::Access::kWrite);
  EXPECT_FALSE(AgentJournal::open(file));
  EXPECT_EQ(AgentJournal::open_or_make(scratch.path(), "study", 0, new_instance()).agent(), 0U);
  EXPECT_TRUE(AgentJournal::open(file));
}

TEST(AgentJournal, ARenamedJournalIsDetected) {
  const Scratch scratch;
  AgentJournal::open_or_make(scratch.path(), "study", 0, new_instance());
  std::filesystem::rename(scratch.path() / "study-0.db", scratch.path() / "study-1.db");
  EXPECT_EQ(
      error_kind([&] { AgentJournal::open_or_make(scratch.path(), "study", 1, new_instance()); }),
      ErrorKind::kStorage);
  const JournalFile file{scratch.path() / "study-1.db", "study", 1};
  EXPECT_EQ(error_kind([&] { AgentJournal::open(file); }), ErrorKind::kStorage);
}

TEST(PendingInstance, StaysUntilItIsRemovedAndHasOneHolder) {
  const Scratch scratch;
  const auto directory = scratch.path() / "new";
  std::string first;
  {
    const PendingInstance a(directory, "any");
    const PendingInstance b(directory, "any");
    const PendingInstance other(directory, "agent-1");
    first = a.instance();
    EXPECT_EQ(first.size(), 16U);
    EXPECT_NE(first, b.instance());
    EXPECT_NE(first, other.instance());
  }
  PendingInstance again(directory, "any");
  EXPECT_EQ(again.instance(), first);
  again.remove();
  EXPECT_NE(PendingInstance(directory, "any").instance(), first);
}

TEST(PendingInstance, IsForgottenOnceItHasAJournal) {
  const Scratch scratch;
  const std::string instance = PendingInstance(scratch.path(), "any").instance();
  PendingInstance::forget(scratch.path(), new_instance());
  EXPECT_EQ(PendingInstance(scratch.path(), "any").instance(), instance);
  PendingInstance::forget(scratch.path(), instance);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace duets::service
