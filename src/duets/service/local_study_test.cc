#include "duets/service/local_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "duets/service/raw_agent_test_support.h"
#include "duets/storage/fail_point.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using protocol::error_text;
using testing::HasSubstr;

LocalOptions local_options(const Scratch& scratch) {
  LocalOptions options;
  options.storage = scratch.path() / "journal";
  options.secret_text = kTestSecret;
  return options;
}

const base::SerialExecutor kLocalSerial;

TEST(LocalStudy, IsTheRunOfTheProtocol) {
  const Scratch scratch;
  LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
  while (const auto query = study.ask()) study.tell(*query, Value{wavy_value(*query)});
  EXPECT_TRUE(study.finished());
  protocol::TestRun expected = test_run();
  expected.finish();
  EXPECT_EQ(study.summary().run_digest(), expected.summary().run_digest());
  EXPECT_EQ(study.summary().state_digest(), expected.summary().state_digest());
  EXPECT_EQ(study.trials().size(), 27U);
  EXPECT_FALSE(study.ask());
  EXPECT_FALSE(study.ask(0));
}

TEST(LocalStudy, QueriesMayBeUnderWayTogetherAndAnsweredInAnyOrder) {
  const Scratch scratch;
  LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
  while (!study.finished()) {
    std::vector<LocalStudy::Told> told;
    while (const auto query = study.ask()) told.push_back({*query, Value{wavy_value(*query)}});
    std::reverse(told.begin(), told.end());
    study.tell(told);
  }
  protocol::TestRun expected = test_run();
  expected.finish();
  EXPECT_EQ(study.summary().run_digest(), expected.summary().run_digest());
}

TEST(LocalStudy, ASingleAgentCanBeAskedForAndAQueryGivenBack) {
  const Scratch scratch;
  LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
  const auto first = study.ask(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->agent, 1U);
  EXPECT_EQ(first->slot, 0U);
  std::size_t count = 1;
  while (study.ask(1)) ++count;
  EXPECT_EQ(count, protocol::lengths(*study.definition().study)[0]);
  study.give_back(*first);
  EXPECT_EQ(study.ask(1)->slot, 0U);
  EXPECT_EQ(error_kind([&] { study.ask(3); }), ErrorKind::kInvalid);
}

TEST(LocalStudy, RefusesAnswersThatDoNotFitAndKeepsNothingOfThem) {
  const Scratch scratch;
  LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
  const Query query = *study.ask();
  Query other = query;
  other.epoch = 2;
  EXPECT_EQ(error_kind([&] { study.tell(other, Value{1}); }), ErrorKind::kInvalid);
  other = query;
  other.slot = 1000;
  EXPECT_EQ(error_kind([&] { study.tell(other, Value{1}); }), ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { study.tell(query, Value{std::nan("")}); }), ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { study.tell(query, Value{1e308}); }), ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([&] { study.tell(query, Infeasible{"hot"}); }), ErrorKind::kObjective);
  const std::vector<LocalStudy::Told> twice{{query, Value{1}}, {query, Value{2}}};
  EXPECT_EQ(error_kind([&] { study.tell(twice); }), ErrorKind::kInvalid);
  EXPECT_TRUE(study.trials().empty());
  study.tell(query, Value{1});
  EXPECT_EQ(error_kind([&] { study.tell(query, Value{1}); }), ErrorKind::kInvalid);
  EXPECT_EQ(study.trials().size(), 1U);
}

TEST(LocalStudy, FailuresAreHolesAndInfeasibleAnswersHaveAValue) {
  const Scratch scratch;
  const Definition definition = test_definition(protocol::small_study(), with_infeasible(-2));
  LocalStudy study(definition, local_options(scratch), kLocalSerial);
  study.tell(*study.ask(0), Failure{"crashed", "last words"});
  study.tell(*study.ask(1), Infeasible{"hot"});
  while (const auto query = study.ask()) study.tell(*query, Value{wavy_value(*query)});
  const protocol::Participation expected{{1, {{}, {{0, {0}}}}}};
  EXPECT_EQ(study.summary().participation(), expected);
  EXPECT_EQ(study.trials()[0].text, "crashed\nlast words");
  EXPECT_EQ(study.trials()[1].value, -2);
}

struct Killed {};

// The process may die around every write: before it, when nothing of it is stored, and after it.
TEST(LocalStudy, KilledAtEveryWriteItContinuesWithTheSameRun) {
  protocol::Study few = protocol::small_study();
  few.agents = 2;
  few.horizon = 5;
  protocol::TestRun expected = test_run(few);
  expected.finish();
  for (const std::string_view place : {"append.before", "append.after"}) {
    for (int fatal = 0;; ++fatal) {
      const Scratch scratch;
      std::map<std::string, int> measured;
      bool was_killed = false;
      int num_writes = 0;
      storage::install_fail_point([&](std::string_view at) {
        if (at == place && num_writes++ == fatal) throw Killed{};
      });
      for (bool over = false; !over;) {
        try {
          LocalStudy study(test_definition(few), local_options(scratch), kLocalSerial);
          while (const auto query = study.ask()) {
            ++measured[trial_name(*query)];
            study.tell(*query, Value{wavy_value(*query)});
          }
          over = true;
          EXPECT_EQ(study.summary().run_digest(), expected.summary().run_digest());
          EXPECT_EQ(study.summary().state_digest(), expected.summary().state_digest());
          EXPECT_EQ(study.summary().best_trial()->reward, expected.summary().best_trial()->reward);
          EXPECT_EQ(study.trials().size(), 10U);
          EXPECT_EQ(study.exported().records.size(), expected.journal().size()) << "each once";
        } catch (const Killed&) {
          was_killed = true;
        }
      }
      storage::install_fail_point({});
      int repeated = 0;
      for (const auto& [trial, count] : measured) repeated += count - 1;
      // Only an answer that was not stored yet is measured again.
      EXPECT_LE(repeated, place == "append.before" ? 1 : 0) << place << ", write " << fatal;
      EXPECT_EQ(measured.size(), 10U);
      if (!was_killed) {
        EXPECT_GT(fatal, 10);
        break;
      }
    }
  }
}

void forget_records(const std::filesystem::path& storage) {
  for (const char* suffix : {"", "-lock", "-wal", "-shm"}) {
    std::filesystem::remove(store_path(storage).string() + suffix);
  }
}

// The records follow from the answers: without them nothing is measured again.
TEST(LocalStudy, LostRecordsAreMadeAgainFromTheAnswers) {
  const Scratch scratch;
  const auto measure = [&] {
    LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
    int count = 0;
    while (const auto query = study.ask()) {
      study.tell(*query, Value{wavy_value(*query)});
      ++count;
    }
    return std::pair(count, study.summary().state_digest());
  };
  const auto first = measure();
  EXPECT_EQ(first.first, 27);
  forget_records(scratch.path() / "journal");
  const auto again = measure();
  EXPECT_EQ(again.first, 0);
  EXPECT_EQ(again.second, first.second);
}

TEST(LocalStudy, AnotherStudyIsRefusedAndTheProgramMayChange) {
  const Scratch scratch;
  study::Objective objective;
  objective.command = {"./typo"};
  {
    LocalStudy study(test_definition({protocol::small_study()}, objective), local_options(scratch),
                     kLocalSerial);
  }
  objective.command = {"./measure"};
  objective.timeout = 5;
  {
    LocalStudy study(test_definition(protocol::small_study(), objective), local_options(scratch),
                     kLocalSerial);
    EXPECT_EQ(study.exported().definition.objective().command.front(), "./measure");
  }
  const auto refused = [&](const protocol::Study& other, const study::Objective& with) {
    return error_text(
        [&] { LocalStudy(test_definition(other, with), local_options(scratch), kLocalSerial); });
  };
  protocol::Study changed = protocol::small_study();
  changed.beta = 0.25;
  EXPECT_THAT(refused(changed, objective), HasSubstr("duets.beta is 0.5 there and 0.25 here"));
  study::Objective scaled = objective;
  scaled.scale = 2;
  EXPECT_THAT(refused(protocol::small_study(), scaled), HasSubstr("objective.scale = 2"));
  changed = protocol::small_study();
  changed.name = "other";
  EXPECT_THAT(refused(changed, objective), HasSubstr("has another study"));
  LocalOptions options = local_options(scratch);
  options.secret_text = std::string(64, '8');
  EXPECT_THAT(error_text([&] {
                LocalStudy(test_definition(protocol::small_study(), objective), options,
                           kLocalSerial);
              }),
              HasSubstr("with another one"));
}

TEST(LocalStudy, OneProcessAtATime) {
  const Scratch scratch;
  const LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
  EXPECT_EQ(
      error_kind([&] { LocalStudy(test_definition(), local_options(scratch), kLocalSerial); }),
      ErrorKind::kStorage);
}

// Answers of another secret lie at other points.
TEST(LocalStudy, AnswersOfAnotherRunAreRefused) {
  const Scratch scratch;
  {
    LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
    study.tell(*study.ask(), Value{1});
  }
  const auto storage = scratch.path() / "journal";
  forget_records(storage);
  std::filesystem::remove(secret_path(storage, test_definition().study->name));
  LocalOptions options = local_options(scratch);
  options.secret_text = std::string(64, '8');
  EXPECT_EQ(error_kind([&] { LocalStudy(test_definition(), options, kLocalSerial); }),
            ErrorKind::kDiverged);
}

TEST(LocalStudy, AFullDiskIsTriedAgain) {
  const Scratch scratch;
  int failures = 0;
  LocalOptions options = local_options(scratch);
  options.try_again = [&](const storage::StorageError&) { return ++failures < 3; };
  LocalStudy study(test_definition(), options, kLocalSerial);
  int broken = 2;
  storage::install_fail_point([&](std::string_view at) {
    if (at == "append.before" && broken-- > 0) {
      throw storage::StorageError(storage::StorageError::Cause::kUnwritable, "full");
    }
  });
  study.tell(*study.ask(), Value{1});
  EXPECT_EQ(failures, 2);
  broken = 1;
  EXPECT_EQ(error_kind([&] { study.tell(*study.ask(), Value{1}); }), ErrorKind::kStorage);
  storage::install_fail_point({});
}

// The storage is a coordinator's: every command that reads one reads it.
TEST(LocalStudy, OperatorsReadItsStorage) {
  const Scratch scratch;
  {
    LocalStudy study(test_definition(), local_options(scratch), kLocalSerial);
    while (const auto query = study.ask()) study.tell(*query, Value{wavy_value(*query)});
  }
  const v1::StudyStatus status = stored_status(scratch.path() / "journal", "");
  EXPECT_EQ(status.state(), v1::STUDY_STATE_FINISHED);
  EXPECT_TRUE(status.has_best_trial());
  const JournalContents contents = read_agent_journal(answers_path(scratch.path() / "journal"));
  EXPECT_EQ(contents.trials.size(), 27U);
  EXPECT_EQ(contents.trials[0].query.values, contents.trials[0].query.latent);
}

TEST(AnswerJournal, EntriesRoundTripAndMalformedOnesAreRefused) {
  const AgentAnswer answer{7, {2, 3, JournalTrial::Kind::kInfeasible, -1.5, 0.25, "hot", {0.5, 1}}};
  base::Bytes bytes = encode_agent_answer(answer);
  const AgentAnswer back = decode_agent_answer(bytes);
  EXPECT_EQ(back.agent, 7U);
  EXPECT_EQ(encode_entry(back.answer), encode_entry(answer.answer));
  const auto kind = [](const base::Bytes& b) {
    return error_kind([&] { decode_agent_answer(b); });
  };
  bytes.push_back(0);
  EXPECT_EQ(kind(bytes), ErrorKind::kDecode);
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(kind(bytes), ErrorKind::kDecode);
  base::ByteWriter broadcast;
  broadcast.u32(7);
  broadcast.blob(encode_entry(JournalDisowned{1}));
  EXPECT_EQ(kind(broadcast.take()), ErrorKind::kDecode);
}

TEST(AnswerJournal, TheJournalOfOneAgentIsNone) {
  const Scratch scratch;
  AgentJournal::open_or_make(scratch.path(), "s", 0, std::string(16, 'i'));
  const auto path = scratch.path() / journal_name("s", 0);
  EXPECT_EQ(error_kind([&] { AnswerJournal::open_or_make(path, test_definition()); }),
            ErrorKind::kStorage);
}

}  // namespace
}  // namespace duets::service
