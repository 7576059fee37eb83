#include "duets/problems/channel.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::problems {
namespace {

using base::AgentId;

TEST(Channel, DeliversAndCountsWhatIsSent) {
  Channel channel(3);
  EXPECT_EQ(channel.uplink(AgentId{1}, {1, 2}), (std::vector<double>{1, 2}));
  EXPECT_EQ(channel.uplink(AgentId{2}, {3}), (std::vector<double>{3}));
  EXPECT_EQ(channel.broadcast({4, 5, 6, 7}), (std::vector<double>{4, 5, 6, 7}));
  const base::LedgerTotals totals = channel.ledger().totals();
  EXPECT_DOUBLE_EQ(totals.paper, 3.0 / 3 + 4);  // mean uplink + broadcast once
  EXPECT_EQ(totals.figure, 3U);
  EXPECT_EQ(totals.links, 3U + 3 * 4);
  EXPECT_EQ(totals.bytes, 8 * totals.links);
}

// What an agent holds already arrives with the rest, but does not travel over its link.
TEST(Channel, HeldPartDoesNotTravel) {
  Channel channel(2);
  EXPECT_EQ(channel.broadcast({1, 2, 3}, 1).size(), 3U);
  const base::LedgerTotals totals = channel.ledger().totals();
  EXPECT_DOUBLE_EQ(totals.paper, 3);
  EXPECT_EQ(totals.links, 4U);
  EXPECT_EQ(totals.bytes, 32U);
}

TEST(Channel, RefusesNonsense) {
  Channel channel(2);
  EXPECT_THROW(channel.broadcast({1}, 2), base::Error);
  EXPECT_THROW(channel.uplink(AgentId{2}, {1}), base::Error);
  EXPECT_THROW(Channel(0), base::Error);
}

TEST(Channel, AnEmptyMessageCostsNothing) {
  Channel channel(2);
  channel.uplink(AgentId{0}, {});
  channel.broadcast({});
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
}

}  // namespace
}  // namespace duets::problems
