#include "duets/service/lease_table.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr double kLease = 10;

Holder holder(char c, char start = '1') {
  return {std::string(16, c), std::string(16, start), std::string("host-") + c};
}

TEST(LeaseTable, AFreeAgentIsGrantedAndTheSameInstanceKeepsItsToken) {
  LeaseTable table(2, kLease);
  const Grant first = table.join(1, holder('a'), false, 0);
  ASSERT_TRUE(first.granted);
  EXPECT_TRUE(first.changed);
  EXPECT_EQ(first.token, 1U);
  const Grant again = table.join(1, holder('a'), false, 3);
  ASSERT_TRUE(again.granted);
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.token, 1U);
}

TEST(LeaseTable, ALiveLeaseIsReplacedOnlyByATakeOver) {
  LeaseTable table(2, kLease);
  table.join(0, holder('a'), false, 0);
  const Grant refused = table.join(0, holder('b'), false, 9);
  EXPECT_FALSE(refused.granted);
  EXPECT_NE(refused.objection.find("host-a"), std::string::npos);
  EXPECT_TRUE(table.renew(0, 1, 9));
  const Grant taken = table.join(0, holder('b'), true, 10);
  ASSERT_TRUE(taken.granted);
  EXPECT_EQ(taken.token, 2U);
  EXPECT_FALSE(table.renew(0, 1, 11)) << "the old holder is fenced";
  EXPECT_NE(table.fenced_text(0).find("host-b"), std::string::npos);
}

TEST(LeaseTable, AnotherStartWithTheSameJournalFencesTheFirst) {
  LeaseTable table(1, kLease);
  EXPECT_EQ(table.join(0, holder('a', '1'), false, 0).token, 1U);
  const Grant second = table.join(0, holder('a', '2'), false, 1);
  ASSERT_TRUE(second.granted) << "a restarted agent is not locked out by its own lease";
  EXPECT_TRUE(second.changed);
  EXPECT_EQ(second.token, 2U);
  EXPECT_FALSE(table.renew(0, 1, 2)) << "a copy of the journal is in use: the first is fenced";
}

TEST(LeaseTable, AnExpiredLeasePermitsTakeOverButTheHolderMayComeBack) {
  LeaseTable table(1, kLease);
  table.join(0, holder('a'), false, 0);
  EXPECT_EQ(table.presence(0, 10), v1::PRESENCE_LIVE);
  EXPECT_EQ(table.presence(0, 10.5), v1::PRESENCE_LOST);
  EXPECT_TRUE(table.renew(0, 1, 11))
      << "not taken over: a late heartbeat does not end a live agent";
  EXPECT_EQ(table.presence(0, 12), v1::PRESENCE_LIVE);
  EXPECT_TRUE(table.join(0, holder('b'), false, 30).granted);
}

TEST(LeaseTable, WithoutANumberTheOwnThenANewThenAFreeAgentIsChosen) {
  LeaseTable table(3, kLease);
  EXPECT_EQ(table.join({}, holder('a'), false, 0).agent, 0U);
  EXPECT_EQ(table.join({}, holder('b'), false, 0).agent, 1U);
  EXPECT_EQ(table.join({}, holder('a'), false, 1).agent, 0U);
  table.leave(0, 1);
  table.renew(0, 1, 1);
  EXPECT_EQ(table.presence(0, 1), v1::PRESENCE_LEFT) << "a late heartbeat does not bring it back";
  EXPECT_EQ(table.join({}, holder('c'), false, 2).agent, 2U);
  EXPECT_EQ(table.join({}, holder('d'), false, 2).agent, 0U);
  const Grant full = table.join({}, holder('e'), false, 3);
  EXPECT_FALSE(full.granted);
  EXPECT_NE(full.objection.find("3 agents"), std::string::npos);
}

TEST(LeaseTable, AnAgentThatTheStudyDoesNotHaveIsRefused) {
  LeaseTable table(2, kLease);
  EXPECT_FALSE(table.join(2, holder('a'), false, 0).granted);
  EXPECT_FALSE(table.renew(2, 0, 0));
  EXPECT_FALSE(table.renew(0, 0, 0)) << "nobody holds token 0";
}

TEST(LeaseTable, TokensAndHoldersSurviveARestartAndEveryHolderGetsOneLease) {
  LeaseTable table(2, kLease);
  table.join(0, holder('a'), false, 0);
  table.join(0, holder('b'), true, 0);
  table.join(1, holder('c'), false, 0);
  LeaseTable restored(2, kLease);
  restored.load(table.save(), 100);
  EXPECT_EQ(restored.save(), table.save());
  EXPECT_FALSE(restored.renew(0, 1, 101));
  EXPECT_FALSE(restored.join(1, holder('d'), false, 105).granted);
  EXPECT_EQ(restored.presence(0, 101), v1::PRESENCE_LOST) << "not heard from since";
  EXPECT_TRUE(restored.renew(0, 2, 105));
  EXPECT_EQ(restored.presence(0, 105), v1::PRESENCE_LIVE);
  EXPECT_TRUE(restored.join(1, holder('d'), false, 111).granted);
  LeaseTable other(3, kLease);
  EXPECT_THROW(other.load(table.save(), 0), base::Error);
}

TEST(LeaseTable, NobodyCanHoldARetiredAgent) {
  LeaseTable table(3, kLease);
  table.join(0, holder('a'), false, 0);
  table.join(1, holder('b'), false, 0);
  v1::Progress progress;
  progress.set_token(1);
  progress.set_seconds_per_query(5);
  table.beat(progress, 0);
  table.retire(0);
  EXPECT_FALSE(table.renew(0, 1, 1));
  EXPECT_NE(table.fenced_text(0).find("retired by an operator"), std::string::npos);
  for (const bool take_over : {false, true}) {
    const Grant grant = table.join(0, holder('a'), take_over, 100);
    EXPECT_FALSE(grant.granted);
    EXPECT_NE(grant.objection.find("agent 0 was retired by an operator"), std::string::npos);
  }
  EXPECT_EQ(table.join({}, holder('c'), false, 1).agent, 2U);
  EXPECT_EQ(table.join({}, holder('d'), false, 100).agent, 1U) << "its lease is over, 0 stays out";
  EXPECT_FALSE(table.median_seconds_per_query()) << "its speed does not count for deadlines";
  LeaseTable restored(3, kLease);
  restored.load(table.save(), 100);
  EXPECT_EQ(restored.retired(), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(restored.status(0, 1, 100).retired());
  EXPECT_EQ(restored.save(), table.save());
}

TEST(LeaseTable, AnAgentThatNeverJoinedCanBeRetired) {
  LeaseTable table(2, kLease);
  table.retire(0);
  EXPECT_EQ(table.join({}, holder('a'), false, 0).agent, 1U);
  EXPECT_FALSE(table.join(0, holder('b'), false, 0).granted);
}

TEST(LeaseTable, ATokenThatWasNeverGrantedIsFromALaterTable) {
  LeaseTable table(1, kLease);
  EXPECT_TRUE(table.is_from_later(0, 1));
  table.join(0, holder('a'), false, 0);
  EXPECT_FALSE(table.is_from_later(0, 1));
  EXPECT_TRUE(table.is_from_later(0, 2));
  table.join(0, holder('a', '2'), false, 0);
  EXPECT_FALSE(table.is_from_later(0, 1)) << "an old one";
  EXPECT_FALSE(table.is_from_later(1, 1)) << "no such agent";
  table.retire(0);
  EXPECT_FALSE(table.is_from_later(0, 3)) << "it is told that it is retired";
}

TEST(LeaseTable, LeasesOfVersionOneAreRead) {
  LeaseTable table(1, kLease);
  table.join(0, holder('a'), false, 0);
  table.leave(0, 1);
  base::Bytes old = table.save();
  old[0] = 1;
  LeaseTable restored(1, kLease);
  restored.load(old, 0);
  EXPECT_EQ(restored.presence(0, 0), v1::PRESENCE_LEFT);
  EXPECT_TRUE(restored.retired().empty());
  old.back() = 3;
  EXPECT_THROW(restored.load(old, 0), base::Error) << "version 1 has no such flag";
}

TEST(LeaseTable, TheMedianIsOverAgentsThatHaveMeasured) {
  LeaseTable table(4, kLease);
  EXPECT_FALSE(table.median_seconds_per_query());
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    table.join(agent, holder(static_cast<char>('a' + agent)), false, 0);
    v1::Progress progress;
    progress.set_agent(agent);
    progress.set_token(1);
    progress.set_epoch(2);
    progress.set_answered(5);
    progress.set_seconds_per_query(agent == 2 ? 100.0 : 1.0 + agent);
    EXPECT_TRUE(table.beat(progress, 1));
  }
  EXPECT_DOUBLE_EQ(*table.median_seconds_per_query(), 2.0);
  EXPECT_EQ(table.status(0, 2, 1).answered(), 5U);
  EXPECT_EQ(table.status(0, 3, 1).answered(), 0U) << "progress of an earlier epoch does not count";
}

}  // namespace
}  // namespace duets::service
